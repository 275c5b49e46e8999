"""A change counts only the parts of a note that are new or gone, with the same result."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from clew.engine.mentions.rarity import part_counts
from clew.engine.mentions.update import replaced_by
from clew.text.passages import count_note_words
from clew.values.vault import Batch
from tests.vaults import engine_of, read_note

HEADS = st.sampled_from(["", "---\naliases: [den]\n---\n", "---\ntags: [den]\n---\n"])
PARTS = st.lists(st.sampled_from(["# Red\n\nfox", "# Red\n\nden", "# Fox\n\nfox"]), max_size=4)
NOTES = st.builds(lambda head, parts: head + "\n\n".join(parts), HEADS, PARTS)


def in_more_parts(more: dict[str, int], fewer: dict[str, int]) -> Counter[str]:
    counts = Counter(more)
    counts.subtract(fewer)
    return Counter({word: count for word, count in counts.items() if count})


@given(NOTES, NOTES)
def test_parts_that_stay_are_counted_in_neither_note(before: str, after: str) -> None:
    engine = engine_of({"a.md": before})
    old, new = engine.indexes.entries["a.md"].note, read_note("a.md", after)
    replaced = replaced_by(Batch(put=(new,)), engine.indexes)
    words = count_note_words(new.note)
    assert in_more_parts(
        part_counts(words, replaced.kept["a.md"]), replaced.counts["a.md"]
    ) == in_more_parts(part_counts(words), part_counts(count_note_words(old)))
    if before == after:
        assert not replaced.counts["a.md"]


@given(NOTES, st.sampled_from(["x/a.md", "b.md"]))
def test_the_parts_of_a_renamed_note_are_counted_in_neither(text: str, path: str) -> None:
    engine = engine_of({"a.md": text})
    old, new = engine.indexes.entries["a.md"].note, read_note(path, text)
    replaced = replaced_by(Batch(put=(new,), dropped=("a.md",)), engine.indexes)
    words = count_note_words(new.note)
    assert in_more_parts(
        part_counts(words, replaced.kept[path]), replaced.counts["a.md"]
    ) == in_more_parts(part_counts(words), part_counts(count_note_words(old)))
    if path == "x/a.md":
        assert not replaced.counts["a.md"]
