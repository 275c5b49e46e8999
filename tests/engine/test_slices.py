"""Notes are read in slices, suspects are parsed alone, and quarantined notes are never parsed."""

import hashlib
import os
from collections.abc import Sequence

import pytest

from clew.engine.persist.index_file import read_indexes
from clew.engine.reading import file_slices, portions
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed, Step, drained
from clew.values.replies import QUARANTINED
from clew.values.vault import Batch
from tests.indexed import OLD_S, Vault, apply_slices_at_once, read_in_portions
from tests.stored import stored
from tests.vaults import LATER, LATER_NS, at


def hash_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def announced(steps: Sequence[Step]) -> list[list[str]]:
    return [[path for path, _ in step.parsing] for step in steps if step.parsing]


def test_notes_are_read_in_slices_that_are_reported_before_parsing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_slices, "SLICE_NOTES", 2)
    for name in "abcde":
        vault.write(f"{name}.md", name)
    steps = vault.steps()
    assert announced(steps) == [["a.md", "b.md"], ["c.md", "d.md"], ["e.md"]]
    assert steps[0].parsing == (("a.md", hash_of("a")), ("b.md", hash_of("b")))
    assert [step.done for step in steps] == [0, 2, 2, 4, 4, 5]
    assert {step.total for step in steps} == {5}
    assert [note.note.path for step in steps for note in step.read] == sorted(vault.texts())


def test_a_slice_is_bounded_in_bytes(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_slices, "SLICE_BYTES", 10)
    for name, size in (("a", 6), ("b", 6), ("c", 1), ("d", 30), ("e", 1)):
        vault.write(f"{name}.md", name * size)
    assert announced(vault.steps()) == [["a.md", "b.md"], ["c.md", "d.md"], ["e.md"]]


def test_suspects_are_parsed_alone(vault: Vault) -> None:
    for name in "abcdef":
        vault.write(f"{name}.md")
    vault.indexer = Indexer(vault.settings, suspects=("c.md", "d.md", "gone.md"))
    assert announced(vault.steps()) == [["a.md", "b.md"], ["c.md"], ["d.md"], ["e.md", "f.md"]]


def test_quarantined_content_is_indexed_by_name_and_never_parsed(vault: Vault) -> None:
    vault.write("bad.md", "bad [[b]]")
    vault.write("x/also.md", "bad [[b]]")
    vault.write("good.md", "[[bad]]")
    vault.indexer = Indexer(vault.settings, quarantined=(hash_of("bad [[b]]"),))
    vault.look()
    assert vault.parsed == ["good.md"]
    assert vault.problems() == {("bad.md", QUARANTINED), ("x/also.md", QUARANTINED)}
    assert vault.texts() == {"bad.md": "", "x/also.md": "", "good.md": "[[bad]]"}
    assert vault.indexer.snapshot.targets.by_text["bad"].resolved == "bad.md"


def test_quarantine_ends_when_the_note_changes(vault: Vault) -> None:
    vault.write("bad.md", "bad")
    vault.indexer = Indexer(vault.settings, quarantined=(hash_of("bad"),))
    vault.look()
    vault.write("bad.md", "better")
    vault.look()
    assert vault.texts() == {"bad.md": "better"}
    assert vault.problems() == set()


def test_content_indexed_before_its_quarantine_stays_indexed(vault: Vault) -> None:
    vault.write("bad.md", "bad")
    vault.look()
    file = stored(vault.indexer.engine.indexes)
    vault.indexer = Indexer(vault.settings, quarantined=(hash_of("bad"),))
    vault.indexer.load(file)
    vault.indexer.restore()
    os.utime(vault.root / "bad.md", (OLD_S, OLD_S))
    vault.look()
    assert vault.texts() == {"bad.md": "bad"}


@pytest.mark.parametrize("portion", [1, 2, 5])
def test_a_large_round_is_applied_in_portions(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    read_in_portions(monkeypatch, portion * 2)
    for n in range(5):
        vault.write(f"{n}.md", f"[[{n + 1}]] [[p.png]]")
    vault.write("p.png")
    now = LATER
    steps, absorbing = [], vault.indexer.absorb(vault.indexer.look(now), now)
    absorbed: Absorbed | None = None
    while absorbed is None:
        try:
            steps.append(next(absorbing))
        except StopIteration as done:
            absorbed = done.value
        if steps[-1].is_portion:  # what was applied so far can be stored, and go on from there
            file = stored(vault.indexer.engine.indexes)
            vault.indexer.engine.adopt(read_indexes(file, vault.indexer.engine.settings))
    assert sum(step.is_portion for step in steps) == 5 // portion == absorbed.portions
    assert (absorbed.added, absorbed.modified, absorbed.is_nothing) == (5, 0, False)
    vault.assert_as_read_anew()


def test_a_long_round_is_applied_slice_by_slice_before_the_next_one_is_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        vault.write(f"{name}.md", f"old {name}")
    vault.look()
    apply_slices_at_once(monkeypatch)
    for name in "ac":
        vault.write(f"{name}.md", f"the next {name} [[b]]")
    os.utime(vault.root / "b.md")  # it is read again, and is as it was
    vault.parsed.clear()
    applied = [
        (sorted(path for path, text in vault.texts().items() if "next" in text), len(vault.parsed))
        for step in vault.steps_of_round()
        if step.is_applied and not step.is_portion
    ]
    assert applied == [(["a.md"], 1), (["a.md"], 1), (["a.md", "c.md"], 2)]
    vault.assert_as_read_anew()


def test_a_first_round_is_not_applied_slice_by_slice(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its portions are small, and each is sent to the server."""
    apply_slices_at_once(monkeypatch)
    for name in "ab":
        vault.write(f"{name}.md", name)
    assert not any(step.is_applied for step in vault.steps())
    vault.assert_as_read_anew()


def test_a_long_round_of_notes_that_are_as_they_were_is_no_revision(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("a.md", "text")
    vault.look()
    vault.look()
    apply_slices_at_once(monkeypatch)
    now = at(LATER_NS)
    found = vault.indexer.with_every_note(vault.indexer.look(now))
    assert found.changed == ("a.md",)
    assert drained(vault.indexer.absorb(found, now)).is_nothing


def test_a_long_round_applies_nothing_once_the_vault_is_gone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("a.md", "old a")
    vault.write("b.md", "old b")
    vault.look()
    apply_slices_at_once(monkeypatch)
    vault.write("a.md", "the next a")
    vault.write("b.md", "the next b")
    steps = vault.steps_of_round()
    next(step for step in steps if step.is_applied)
    next(step for step in steps if step.read)  # it has read b.md, and has not applied it
    vault.root.rename(vault.root.parent / "away")
    with pytest.raises(OSError, match="No such file"):
        drained(steps)
    assert vault.texts() == {"a.md": "the next a", "b.md": "old b"}
    (vault.root.parent / "away").rename(vault.root)
    vault.look()
    vault.assert_as_read_anew()


@pytest.mark.parametrize(
    ("indexed", "most"),
    [(0, 5_000), (20_000, 5_000), (40_000, 10_000), (240_000, 60_000), (10_000_000, 60_000)],
)
def test_a_portion_is_larger_where_more_is_indexed(indexed: int, most: int) -> None:
    assert portions.portion_passages(indexed) == most


def test_long_notes_make_a_portion_as_many_do(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portions, "PASSAGES_MIN", 100)
    monkeypatch.setattr(file_slices, "SLICE_BYTES", 1)
    for n in range(6):
        vault.write(
            f"{n}.md", "\n\n".join(f"## Part {part}\n\n{'word ' * 100}" for part in range(60))
        )
    absorbed = vault.look()
    assert absorbed.portions == 3  # of two notes each
    assert absorbed.added == 6
    vault.assert_as_read_anew()


@pytest.mark.parametrize("keeps_inode", [True, False])
def test_a_renamed_note_is_applied_with_the_deletion(
    keeps_inode: bool, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is recognized by its inode or its content; other notes are applied in portions."""
    vault.write("old.md", "same text")
    vault.look()
    vault.indexer.engine.apply(Batch(reads_s={"old.md": 5.0}))
    read_in_portions(monkeypatch, 2)
    for name in ("other", "third"):  # before the deletion, whose inode a new file may get
        vault.write(f"{name}.md", f"text of {name}")
    if keeps_inode:
        (vault.root / "old.md").rename(vault.root / "new.md")
    else:
        vault.write("new.md", "same text")
        (vault.root / "old.md").unlink()
    absorbed = vault.look()
    assert absorbed.portions == 2
    assert vault.indexer.snapshot.reads_s == {"new.md": 5.0}
    vault.assert_as_read_anew()
