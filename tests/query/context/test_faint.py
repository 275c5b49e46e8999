"""A pack leaves out what was found by chance, though it has room for it."""

from clew.values.search_replies import ContextReply
from tests.query.context.packs import pack
from tests.vaults import snapshot_of

QUESTION = "when does the ferry to the island leave on winter sundays"
ANSWER = "The ferry to the island leaves at nine on winter sundays. "
VAULT = {
    "Ferry.md": ANSWER,
    "Diary.md": "We had to leave early. " + "The bread was good, and so was the cheese. " * 9,
    "Timetable.md": "The ferry does not leave in winter if it is stormy on the island.",
    **{f"Soup {n}.md": f"A soup of {n} leeks." for n in range(20)},
}


def included(reply: ContextReply) -> dict[str, str | None]:
    """Return why each note is not in a pack, ``None`` if it is."""
    assert isinstance(reply.evidence, tuple)
    return {each.title: each.exclusion_reason for each in reply.evidence}


def test_a_passage_with_one_word_by_chance_is_left_out() -> None:
    reply = pack(snapshot_of(VAULT), QUESTION, token_budget=2_000, include_evidence=True)
    assert included(reply) == {"Ferry": None, "Timetable": None, "Diary": "below_threshold"}
    assert "cheese" not in reply.context


def test_it_is_shown_if_it_says_a_quarter_of_what_is_asked_and_no_note_says_all() -> None:
    diary = VAULT["Diary.md"].replace("early", "early, as it was winter")
    notes = {**VAULT, "Diary.md": diary, "Ferry.md": ANSWER.replace(" sundays", "")}
    notes["Bells.md"] = "Bells ring on sundays."
    reply = pack(snapshot_of(notes), QUESTION, token_budget=2_000, include_evidence=True)
    assert included(reply)["Diary"] is None
    all_said = {**notes, "Ferry.md": ANSWER}
    reply = pack(snapshot_of(all_said), QUESTION, token_budget=2_000, include_evidence=True)
    assert included(reply)["Diary"] == "below_threshold"


def test_it_is_shown_if_a_clear_passage_links_to_it() -> None:
    linked = {**VAULT, "Ferry.md": ANSWER + "See [[Diary]]."}
    reply = pack(snapshot_of(linked), QUESTION, token_budget=2_000, include_evidence=True)
    assert included(reply)["Diary"] is None


def test_a_note_that_shows_nothing_makes_no_other_faint() -> None:
    notes = {
        f"n{n}.md": f"We read a book about {name}." for n, name in enumerate(("whales", "ice"))
    }
    notes["Reading list of historical fiction.md"] = "![[Books.base]]"
    reply = pack(snapshot_of(notes), "reading list of historical fiction book", token_budget=1_000)
    assert "whales" in reply.context
    assert "held already" not in reply.context
