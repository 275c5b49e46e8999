"""Notes are read in slices, suspects are parsed alone, and quarantined notes are never parsed."""

import hashlib
import os
from collections.abc import Sequence

import pytest

from clew.engine import indexer as indexer_module
from clew.engine.indexer import Indexer, Step
from clew.engine.persist.index_chunks import serialize
from clew.values.replies import QUARANTINED
from tests.indexed import OLD_S, Vault


def hash_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def announced(steps: Sequence[Step]) -> list[list[str]]:
    return [[path for path, _ in step.parsing] for step in steps if step.parsing]


def test_notes_are_read_in_slices_that_are_reported_before_parsing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer_module, "SLICE_NOTES", 2)
    for name in "abcde":
        vault.write(f"{name}.md", name)
    steps = vault.steps()
    assert announced(steps) == [["a.md", "b.md"], ["c.md", "d.md"], ["e.md"]]
    assert steps[0].parsing[0] == ("a.md", hash_of("a"))
    assert [step.done for step in steps] == [0, 2, 2, 4, 4, 5]
    assert {step.total for step in steps} == {5}
    assert [note.note.path for step in steps for note in step.read] == sorted(vault.texts())


def test_a_slice_is_bounded_in_bytes(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer_module, "SLICE_BYTES", 10)
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
    chunks = list(serialize(vault.indexer.engine.indexes))
    vault.indexer = Indexer(vault.settings, quarantined=(hash_of("bad"),))
    vault.indexer.restore(chunks, ())
    os.utime(vault.root / "bad.md", (OLD_S, OLD_S))
    vault.look()
    assert vault.texts() == {"bad.md": "bad"}
