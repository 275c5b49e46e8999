"""Passages that say what a sentence of a docstring says."""

from clew.engine.snapshot import Snapshot
from clew.query.code import doc_matches
from clew.query.code.doc_matches import MATCHES_MAX, slots_matching
from clew.query.slices import finished
from clew.values.vault import Batch
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note, snapshot_of

OTHERS = {f"Other {number}.md": f"Fog on day {number}, and wind.\n" for number in range(20)}
NOTES = {
    "Moorings.md": "# Moorings\n\nA mooring is inspected each spring, since chains rust.\n",
    "Chains.md": "# Chains\n\nChains rust. They are sold by the metre.\n",
    "Buoys.md": "# Buoys\n\nBuoys are red and green, and lit at night by batteries.\n",
    **OTHERS,
}
SNAPSHOT = snapshot_of(NOTES)


def notes_matching(*texts: str, left_out: tuple[str, ...] = ()) -> list[str]:
    slots = finished(slots_matching(SNAPSHOT, texts, frozenset(left_out)))
    note_ids = SNAPSHOT.passages.slots.note_ids
    return [SNAPSHOT.graph.path(int(note_ids[slot])) for slot in slots]


@for_each_row(
    ("text", "expected"),
    [
        ("Inspect moorings, as chains may rust.", ["Moorings.md"]),  # and not just two of the words
        ("Chains rust.", []),  # too few words
        ("Inspect moorings by day, in fog and wind, with batteries and paint", []),  # half is more
        # Words that no note has do not count.
        ("The inspector inspects moorings: rust, bollards, quays and cranes", ["Moorings.md"]),
        ("Fog and wind on a day", []),  # too common
        ("", []),
        ("the of and", []),
    ],
)
def test_a_passage_says_a_sentence_that_it_has_most_of(text: str, expected: list[str]) -> None:
    assert notes_matching(text) == expected


def test_each_sentence_counts_by_itself_and_the_surest_comes_first() -> None:
    moorings = "Moorings are inspected, since chains rust"
    buoys = "Buoys are lit at night by batteries, red and green"
    assert notes_matching(f"{moorings}. {buoys}.") == ["Buoys.md", "Moorings.md"]
    assert notes_matching(moorings, buoys, moorings) == ["Buoys.md", "Moorings.md"]


def test_notes_that_have_the_source_are_left_out() -> None:
    text = "Inspect moorings, as chains may rust"
    assert notes_matching(text, left_out=("Moorings.md",)) == []


def test_the_passages_and_the_work_have_bounds() -> None:
    notes = {f"{name}.md": f"Old {name} alpha{name} beta{name}.\n" for name in "abcdefgh"}
    snapshot = snapshot_of({**notes, **OTHERS})
    texts = [f"alpha{name} beta{name} old" for name in "abcdefgh"]
    assert len(finished(slots_matching(snapshot, texts, frozenset()))) == MATCHES_MAX
    many = [*["The fog is thick."] * doc_matches.SENTENCES_MAX, texts[0]]
    assert finished(slots_matching(snapshot, many, frozenset())) == []


def test_edits_made_before_leave_no_trace() -> None:
    """Dead slots do not count, and equal passages are in the order of paths."""
    notes = {"a.md": "Tide tables mark.", "b.md": "Tide tables mark.", **OTHERS}
    gone = {f"Gone {number}.md": "Tide and quays.\n" for number in range(40)}
    engine = engine_of({**notes, **gone})
    engine.apply(Batch(dropped=tuple(gone)))
    for text in ("other words", notes["a.md"]):  # afterwards its slots are the last
        engine.apply(Batch(put=(read_note("a.md", text),)))
    edited, rebuilt = engine.snapshot, snapshot_of(notes)
    assert edited.passages.slots.dead_count > len(rebuilt.passages.slots)
    assert places(edited, ["Tide tables mark"]) == [("a.md", 1)]
    assert places(rebuilt, ["Tide tables mark"]) == [("a.md", 1)]


def places(snapshot: Snapshot, texts: list[str]) -> list[tuple[str, int]]:
    passages = snapshot.passages.slots
    slots = finished(slots_matching(snapshot, texts, frozenset()))
    return [
        (snapshot.graph.path(int(passages.note_ids[slot])), int(passages.parts[slot]))
        for slot in slots
    ]
