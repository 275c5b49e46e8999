"""The entry with the best passage of a note comes first, then its others as they stand in it."""

from tests.query.context.packs import pack
from tests.vaults import snapshot_of

QUESTION = "how many coins does it cost to hire a boat, and was bread bought"


def section(heading: str, line: str, words: str) -> str:
    """Return a section of about 200 tokens, which is a passage of its own."""
    filler = " ".join(f"{word.capitalize()} follows {word} all the day." for word in words.split())
    return f"## {heading}\n\n{line}\n\n{filler * 3}\n\n"


def test_the_best_section_of_a_note_comes_first() -> None:
    note = "".join(
        (
            section("Boats", "A boat was bought.", "oars ropes sails masts keels tills"),
            section("Weather", "It rained.", "rain wind hail snow fog sun"),
            section("Food", "Bread was bought.", "cheese wine figs plums beans"),
            section("Paths", "We walked.", "hills woods fields bridges stones"),
            section("Hire", "To hire a boat does cost nine coins.", "days hours weeks months"),
        )
    )
    vault = snapshot_of({"Trip.md": f"# Trip\n\n{note}"})
    context = pack(vault, QUESTION, token_budget=700, template="default").context
    lines = ("nine coins", "A boat was bought", "Bread was bought")
    places = [context.index(line) for line in lines]
    assert places == sorted(places)
