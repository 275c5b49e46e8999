"""The slots of words, among the sorted postings and in the tail."""

from clew.engine.passages import Passages
from clew.values.vault import Batch
from tests.vaults import engine_of, read_note


def slots_of(passages: Passages, words: list[str]) -> dict[str, list[int]]:
    """Return the slots of each word that has any."""
    id_by_word = {word: passages.keyword.id_of(word) for word in words}
    known = {word: word_id for word, word_id in id_by_word.items() if word_id is not None}
    slots = passages.slots_by_word(list(known.values()))
    return {word: each.tolist() for word, each in zip(known, slots, strict=True)}


def test_slots_by_word_are_those_of_both_parts_of_the_index() -> None:
    engine = engine_of({"a.md": "moon tide", "b.md": "tide sand"})
    engine.compact()
    engine.apply(Batch(put=(read_note("c.md", "sand gauge"),)))
    passages = engine.snapshot.passages
    assert len(passages.keyword.slots)
    assert len(passages.keyword.tail[0])
    words = ["tide", "gauge", "sand", "moon", "nothing"]
    assert slots_of(passages, words) == {"tide": [1, 3], "gauge": [5], "sand": [3, 5], "moon": [1]}
