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
}


def included(reply: ContextReply) -> dict[str, str | None]:
    """Return why each note is not in a pack, ``None`` if it is."""
    assert isinstance(reply.evidence, tuple)
    return {each.title: each.exclusion_reason for each in reply.evidence}


def test_a_passage_with_one_word_by_chance_is_left_out() -> None:
    reply = pack(snapshot_of(VAULT), QUESTION, token_budget=2_000, include_evidence=True)
    assert included(reply) == {"Ferry": None, "Timetable": None, "Diary": "below_threshold"}
    assert "cheese" not in reply.context


def test_it_is_shown_if_it_says_most_of_what_is_asked() -> None:
    reply = pack(snapshot_of(VAULT), "leave early", token_budget=2_000, include_evidence=True)
    assert included(reply)["Diary"] is None
