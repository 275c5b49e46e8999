"""How much work references to long notes are, all in all and between two pauses."""

from typing import Any

import pytest

from clew.query.citations import note_lines
from clew.query.citations.note_lines import Effort, NoteLines, OutOfEffort
from clew.query.citations.passage_hash import passage_hash
from clew.query.citations.verify import verify
from clew.query.context.excluded import held_lines
from clew.query.slices import Slices, finished
from clew.values.requests import Verify
from tests.counted import counted
from tests.tables import for_each_row
from tests.vaults import snapshot_of

LONG_LINE = "tides " * 10_000
REFS = tuple(f"memory://a.md#L1~{number:08x}" for number in range(200))


def characters_hashed(monkeypatch: pytest.MonkeyPatch, work: Slices[Any]) -> list[int]:
    """Return how many characters each step hashes."""
    steps = [0]

    def counting(lines: list[str]) -> str:
        steps[-1] += sum(map(len, lines))
        return passage_hash(lines)

    monkeypatch.setattr(note_lines, "passage_hash", counting)
    steps.extend(0 for _ in work)
    return steps


def test_a_step_looks_at_one_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    work = verify(snapshot_of({"a.md": LONG_LINE}), Verify(text=" ".join(REFS)))
    assert max(characters_hashed(monkeypatch, work)) == len(LONG_LINE)


def test_a_step_looks_at_one_excluded_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    work = held_lines(snapshot_of({"a.md": LONG_LINE}), REFS, {"a.md"})
    assert max(characters_hashed(monkeypatch, work)) == len(LONG_LINE)


@pytest.mark.parametrize("text", ["memory://a.md ", "memory:// ", "(concept://) "])
def test_the_references_of_a_text_are_found_in_steps(text: str) -> None:
    snapshot = snapshot_of({"a.md": "tides"})
    assert sum(1 for _ in verify(snapshot, Verify(text=text * 20_000))) > 100


LONG_NOTES = snapshot_of(dict.fromkeys(("a.md", "b.md"), "tides\n" * 900))
OF_HEADINGS = tuple(f"memory://{name}.md#h{number}" for name in "ab" for number in range(50))


def splits(monkeypatch: pytest.MonkeyPatch, module: str) -> list[tuple[Any, ...]]:
    """Let requests read one of the notes only; return a list of the texts that are split."""
    monkeypatch.setattr(f"clew.query.{module}.Effort", lambda: Effort(1_000))
    return counted(monkeypatch, note_lines, "lines_of_text")


def test_a_note_that_may_not_be_read_is_not_split(monkeypatch: pytest.MonkeyPatch) -> None:
    split = splits(monkeypatch, "citations.verify")
    steps = sum(1 for _ in verify(LONG_NOTES, Verify(text=" ".join(OF_HEADINGS))))
    assert steps > len(OF_HEADINGS)
    assert len(split) == 1


def test_an_excluded_note_that_may_not_be_read_is_not_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    split = splits(monkeypatch, "context.excluded")
    finished(held_lines(LONG_NOTES, OF_HEADINGS, {"a.md", "b.md"}))
    assert len(split) == 1


@for_each_row(
    ("text", "first", "last", "lines"),
    [
        ("a\nb\nc", 1, 3, 3),
        ("a\n" + "b" * 1_000 + "\nc", 1, 3, 6),  # a line once more for every 256 characters
        ("a\n" + "b" * 1_000 + "\nc", 3, 3, 1),
    ],
)
def test_a_long_line_counts_as_several(text: str, first: int, last: int, lines: int) -> None:
    of_note = snapshot_of({"a.md": text}).note("a.md")
    spent = Effort(100)
    NoteLines(of_note, spent).hash((first, last))
    reading = spent.total - spent.left - lines
    NoteLines(of_note, Effort(reading + lines)).hash((first, last))
    with pytest.raises(OutOfEffort):
        NoteLines(of_note, Effort(reading + lines - 1)).hash((first, last))


@for_each_row(("count", "place"), [(1, 1), (7, 1), (7, 4), (7, 7), (7, -3), (7, 12), (8, 4)])
def test_the_nearest_starts_come_first(count: int, place: int) -> None:
    starts = range(1, count + 1)
    nearest = sorted(starts, key=lambda start: abs(start - place))
    assert list(note_lines.nearest_first(starts, place)) == nearest
