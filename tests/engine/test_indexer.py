"""From a real folder to revisions: what counts when, at times that are chosen."""

import errno
import gc
import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.engine import indexer as indexer_module
from clew.engine.doubts import MASS_WAIT_NS
from clew.engine.dump import dump
from clew.engine.indexer import Absorbed, Indexer, Step, drained
from clew.engine.models import open_model
from clew.engine.rebuild import read_anew
from clew.engine.sealing import seal
from clew.engine.settings import IndexerSettings
from clew.values.replies import QUARANTINED
from clew.values.vault import Batch, ReadNote
from clew.vault import beneath, read
from clew.vault.ignore import APP_JSON
from clew.vault.read import Unparsed, load_file
from clew.vault.rules import CONCEPTS_TOML
from tests.vaults import LATER_NS

MS = 1_000_000
OLD_S = 1_000_000_000


class Vault:
    """A real folder with an indexer, and a record of what was loaded and parsed."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root / "vault"
        self.root.mkdir()
        self.settings = IndexerSettings(str(self.root))
        self.indexer = Indexer(self.settings)
        self.loaded: list[str] = []
        self.parsed: list[str] = []
        self.unreadable: dict[str, int] = {}  # path -> what opening it fails with
        self._open = beneath.open_beneath
        patch.setattr(indexer_module, "load_file", self._load_file)
        patch.setattr(indexer_module, "parse_files", self._parse_files)
        patch.setattr(read, "open_beneath", self._open_beneath)

    def write(self, path: str, content: str = "text") -> int:
        """Write a file; return when, by the file system's clock."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file.stat().st_ctime_ns

    def look(self, now_ns: int = LATER_NS) -> Absorbed:
        """Look at the whole vault and read what changed."""
        return drained(self.indexer.absorb(self.indexer.look(now_ns), now_ns))

    def steps(self) -> list[Step]:
        """Look at the whole vault; return how reading went."""
        return list(self.indexer.absorb(self.indexer.look(LATER_NS), LATER_NS))

    def texts(self) -> dict[str, str]:
        """Return what is known of the vault's notes."""
        entries = self.indexer.snapshot.entries
        return {path: entry.note.text for path, entry in entries.items()}

    def problems(self) -> set[tuple[str, str]]:
        """Return all problems: paths and codes."""
        of_notes = self.indexer.snapshot.problems()
        return {(p.path, p.code) for p in [*of_notes, *self.indexer.problems_beside()]}

    def restart(self, log: Sequence[Batch] = ()) -> None:
        """Go on with an indexer that comes back from what this one knows."""
        chunks = list(seal(self.indexer.engine.indexes))
        self.indexer = Indexer(self.settings)
        self.indexer.restore(chunks, log)
        self.loaded.clear()
        self.parsed.clear()

    def assert_as_read_anew(self) -> None:
        """Check that nothing is missing and nothing is left over."""
        anew = read_anew(self.settings, LATER_NS)
        assert dump(self.indexer.snapshot) == dump(anew)
        assert self.indexer.snapshot.names.files() == anew.names.files()

    def _load_file(
        self, root: str, path: str, max_bytes: int, known: ReadNote | None
    ) -> Unparsed | ReadNote | None:
        self.loaded.append(path)
        return load_file(root, path, max_bytes, known)

    def _parse_files(self, files: Sequence[Unparsed]) -> list[ReadNote]:
        self.parsed += [file.source.path for file in files]
        return read.parse_files(files)

    def _open_beneath(self, root: str, path: str) -> int:
        if path in self.unreadable:
            raise OSError(self.unreadable[path], os.strerror(self.unreadable[path]))
        return self._open(root, path)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    return Vault(tmp_path, monkeypatch)


def hash_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


# -- what counts when ---------------------------------------------------------------------------


@pytest.mark.parametrize(("age_ms", "counts"), [(0, False), (9, False), (10, True), (99, True)])
def test_a_note_counts_after_10_ms_of_quiet(vault: Vault, age_ms: int, counts: bool) -> None:
    written_ns = vault.write("a.md")
    absorbed = vault.look(written_ns + age_ms * MS)
    assert absorbed.is_nothing != counts
    assert vault.texts() == ({"a.md": "text"} if counts else {})
    assert bool(vault.loaded) == counts
    assert bool(vault.indexer.doubts.withheld) != counts


def test_an_unquiet_note_is_found_again_when_it_is_due(vault: Vault) -> None:
    vault.write("x/a.md")
    os.utime(
        vault.root / "x/a.md", (OLD_S, OLD_S)
    )  # so that its time of modification tells nothing
    changed_ns = (vault.root / "x/a.md").stat().st_ctime_ns
    vault.look(changed_ns)
    due_ns = vault.indexer.doubts.due_ns
    assert due_ns == changed_ns + 10 * MS
    near = vault.indexer.look_near(vault.indexer.doubts.take_due(due_ns), due_ns)
    assert drained(vault.indexer.absorb(near, due_ns)).added == 1


def test_a_young_note_is_read_again_at_100_ms_and_then_no_more(vault: Vault) -> None:
    written_ns = vault.write("a.md")
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))  # so that its time of modification tells nothing
    changed_ns = (vault.root / "a.md").stat().st_ctime_ns
    vault.look(written_ns + 50 * MS)
    assert vault.indexer.doubts.due_ns == changed_ns + 100 * MS
    for now_ns in (changed_ns + 100 * MS, changed_ns + 200 * MS):
        assert vault.look(now_ns).is_nothing
    assert vault.loaded == ["a.md", "a.md"]
    assert vault.parsed == ["a.md"]


def test_an_emptied_note_keeps_its_content_for_a_second(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    for after_ms in (0, 500, 999):
        assert vault.look(LATER_NS + after_ms * MS).is_nothing
        assert vault.texts() == {"a.md": "kept"}
    assert vault.look(LATER_NS + 1_000 * MS).modified == 1
    assert vault.texts() == {"a.md": ""}
    assert not vault.indexer.doubts.withheld


def test_an_emptied_note_that_is_written_anew_counts_at_once(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    vault.look(LATER_NS)
    vault.write("a.md", "new")
    vault.look(LATER_NS + 1)
    assert vault.texts() == {"a.md": "new"}
    assert not vault.indexer.doubts.withheld


def test_a_note_that_begins_empty_counts_at_once(vault: Vault) -> None:
    vault.write("a.md", "")
    assert vault.look().added == 1


def test_most_of_a_vault_gone_at_once_is_dropped_when_a_second_look_agrees(vault: Vault) -> None:
    for number in range(30):
        vault.write(f"x/{number}.md")
    vault.write("kept.md")
    vault.look()
    shutil.rmtree(vault.root / "x")
    for after_ns in (0, MASS_WAIT_NS - 1):
        assert vault.look(LATER_NS + after_ns).is_nothing
    assert vault.indexer.doubts.missing_count == 30
    assert vault.look(LATER_NS + MASS_WAIT_NS).removed == 30
    vault.assert_as_read_anew()


def test_most_of_a_vault_that_comes_back_is_not_parsed_again(vault: Vault) -> None:
    for number in range(30):
        vault.write(f"x/{number}.md")
    vault.look()
    (vault.root / "x").rename(vault.root / ".away")
    vault.look()
    (vault.root / ".away").rename(vault.root / "x")
    vault.parsed.clear()
    assert vault.look(LATER_NS + MASS_WAIT_NS).is_nothing
    assert vault.parsed == []
    assert not vault.indexer.doubts.withheld
    vault.assert_as_read_anew()


@pytest.mark.parametrize("is_known", [False, True])
def test_nobody_waits_for_a_note_that_was_deleted_while_it_was_written(
    vault: Vault, is_known: bool
) -> None:
    if is_known:
        vault.write("a.md", "before")
        vault.look()
    written_ns = vault.write("a.md")
    vault.look(written_ns)
    assert vault.indexer.doubts.withheld
    (vault.root / "a.md").unlink()
    vault.look(written_ns + 10 * MS)
    assert not vault.indexer.doubts.withheld


def test_nobody_waits_for_an_emptied_note_that_cannot_be_read_any_more(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    vault.look(LATER_NS)
    assert vault.indexer.doubts.withheld
    vault.unreadable["a.md"] = errno.EACCES
    vault.look(LATER_NS + 2_000 * MS)
    assert not vault.indexer.doubts.withheld
    assert vault.texts() == {"a.md": "kept"}


# -- revisions ----------------------------------------------------------------------------------


def test_all_that_a_look_found_is_one_revision(vault: Vault) -> None:
    for path in ("a.md", "b.md", "x/p.png", CONCEPTS_TOML):
        vault.write(path, 'ignore = ["z"]')
    vault.look()
    assert vault.indexer.snapshot.revision == 1
    assert vault.look().is_nothing
    assert vault.indexer.snapshot.revision == 1


def test_a_look_that_finds_nothing_is_nothing_with_a_model_too(vault: Vault) -> None:
    vault.indexer.embedder.encoder = open_model("builtin")
    vault.write("a.md", "the tide is high")
    vault.look()
    assert vault.indexer.embedder.due == []
    assert vault.look().is_nothing
    assert vault.indexer.snapshot.revision == 1


def test_what_was_touched_and_says_the_same_is_dated_and_not_parsed(vault: Vault) -> None:
    vault.write("a.md")
    vault.look()
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    vault.parsed.clear()
    assert vault.look().modified == 1
    assert vault.indexer.snapshot.modified_at_s("a.md") == OLD_S
    assert vault.parsed == []


def test_what_was_written_and_reads_the_same_is_nothing_new(vault: Vault) -> None:
    vault.write("a.md")
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    vault.look()
    vault.write("a.md")
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    assert vault.look().is_nothing
    assert vault.loaded == ["a.md", "a.md"]


def test_reading_every_note_again_finds_what_no_stamp_tells(vault: Vault) -> None:
    vault.write("a.md", "one")
    vault.look()
    entries = vault.indexer.engine.indexes.entries
    old = replace(entries["a.md"].note, content_hash="other", text="old")
    entries["a.md"] = replace(entries["a.md"], note=old)
    assert vault.look().is_nothing
    found = vault.indexer.with_every_note(vault.indexer.look(LATER_NS))
    assert drained(vault.indexer.absorb(found, LATER_NS)).modified == 1
    assert vault.texts() == {"a.md": "one"}


def test_a_note_that_goes_before_it_is_read_is_gone(vault: Vault) -> None:
    vault.write("a.md")
    vault.write("b.md")
    vault.look()
    vault.write("a.md", "other")
    vault.write("c.md")
    found = vault.indexer.look(LATER_NS)
    (vault.root / "a.md").unlink()
    (vault.root / "c.md").unlink()
    assert drained(vault.indexer.absorb(found, LATER_NS)).batch == Batch(dropped=("a.md",))
    assert vault.look().is_nothing
    vault.assert_as_read_anew()


@pytest.mark.parametrize("ends_early", [False, True])
def test_the_collector_runs_again_after_reading(vault: Vault, ends_early: bool) -> None:
    vault.write("a.md")
    absorbing = vault.indexer.absorb(vault.indexer.look(LATER_NS), LATER_NS)
    next(absorbing)
    assert not gc.isenabled()
    absorbing.close() if ends_early else drained(absorbing)
    assert gc.isenabled()


# -- slices, suspects and quarantine ------------------------------------------------------------


def announced(steps: Sequence[Step]) -> list[list[str]]:
    return [[path for path, _ in step.parsing] for step in steps if step.parsing]


def test_notes_are_read_in_slices_and_told_before_they_are_parsed(
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


def test_content_known_before_it_was_quarantined_stays_known(vault: Vault) -> None:
    vault.write("bad.md", "bad")
    vault.look()
    chunks = list(seal(vault.indexer.engine.indexes))
    vault.indexer = Indexer(vault.settings, quarantined=(hash_of("bad"),))
    vault.indexer.restore(chunks, ())
    os.utime(vault.root / "bad.md", (OLD_S, OLD_S))
    vault.look()
    assert vault.texts() == {"bad.md": "bad"}


# -- what cannot be read ------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EIO, errno.EMFILE])
def test_a_note_that_cannot_be_read_stays_known_and_is_a_problem(vault: Vault, reason: int) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "new")
    vault.unreadable["a.md"] = reason
    assert vault.look().is_nothing
    assert vault.texts() == {"a.md": "kept"}
    assert vault.problems() == {("a.md", "unreadable")}


@pytest.mark.parametrize("is_known", [False, True])
def test_a_note_that_can_be_read_again_is_read_though_its_stamp_is_the_same(
    vault: Vault, is_known: bool
) -> None:
    """A network's fault or too many open files leave no trace in a file's stamp."""
    if is_known:
        vault.write("a.md", "kept")
        vault.look()
    vault.write("a.md", "new")
    vault.unreadable["a.md"] = errno.EIO
    vault.look()
    vault.unreadable.clear()
    vault.look()
    assert vault.texts() == {"a.md": "new"}
    assert vault.problems() == set()
    vault.assert_as_read_anew()


def test_a_note_never_read_is_known_by_name(vault: Vault) -> None:
    vault.write("a.md", "[[b]]")
    vault.unreadable["a.md"] = errno.EACCES
    assert vault.look().added == 1
    assert vault.texts() == {"a.md": ""}
    assert vault.problems() == {("a.md", "unreadable")}


def test_the_problem_of_an_unreadable_note_goes_with_the_note(vault: Vault) -> None:
    vault.write("a.md")
    vault.look()
    vault.write("a.md", "new")
    vault.unreadable["a.md"] = errno.EACCES
    vault.look()
    (vault.root / "a.md").unlink()
    vault.look()
    assert vault.problems() == set()
    assert vault.texts() == {}


# -- a root that goes away ----------------------------------------------------------------------


@pytest.mark.parametrize("leaves_another", [False, True])
@pytest.mark.parametrize("goes_before", ["looking", "reading", "parsing", "applying"])
def test_a_root_that_goes_away_changes_nothing_and_is_caught_up_with_later(
    vault: Vault, leaves_another: bool, goes_before: str
) -> None:
    for path in ("kept.md", "written.md", "gone.md", "gone.png"):
        vault.write(path, "[[gone.png]] [[new.png]]")
    vault.look()
    before = dump(vault.indexer.snapshot)
    vault.write("written.md", "new [[new.png]]")
    vault.write("new.md")
    vault.write("new.png")
    (vault.root / "gone.md").unlink()
    (vault.root / "gone.png").unlink()
    away = vault.root.with_name("away")

    def leave(moment: str) -> None:
        if moment == goes_before:
            vault.root.rename(away)
            vault.root.mkdir() if leaves_another else None

    def absorb_and_leave() -> None:
        leave("looking")
        absorbing = vault.indexer.absorb(vault.indexer.look(LATER_NS), LATER_NS)
        for moment in ("reading", "parsing", "applying"):
            leave(moment)
            next(absorbing, None) if moment != "applying" else drained(absorbing)

    with pytest.raises(OSError, match="another folder" if leaves_another else "No such file"):
        absorb_and_leave()
    assert dump(vault.indexer.snapshot) == before
    vault.root.rmdir() if leaves_another else None
    away.rename(vault.root)
    for after_ns in (0, MASS_WAIT_NS):
        vault.look(LATER_NS + after_ns)
    assert not vault.indexer.doubts.withheld
    vault.assert_as_read_anew()


# -- settings in the vault ----------------------------------------------------------------------


def test_concept_rules_are_applied_as_they_change(vault: Vault) -> None:
    vault.write("a.md", "[[b]] [[c]]")
    vault.look()
    expected = {'ignore = ["b"]': {"c"}, '[merge]\nc = ["b"]': {"c"}, "no toml [": {"b", "c"}}
    for rules, concepts in expected.items():
        vault.write(CONCEPTS_TOML, rules)
        near = vault.indexer.look_near([], LATER_NS)
        absorbed = drained(vault.indexer.absorb(near, LATER_NS))
        assert absorbed.batch.rules is not None
        assert set(vault.indexer.snapshot.graph.row("a.md")) == concepts
        vault.assert_as_read_anew()
        assert vault.look().is_nothing
    (vault.root / CONCEPTS_TOML).unlink()
    assert vault.look().batch.rules is not None
    assert vault.problems() == set()


def test_filters_in_the_apps_settings_are_applied_by_a_whole_look(vault: Vault) -> None:
    vault.write("a.md", "[[b]]")
    vault.write("x/b.md")
    vault.look()
    vault.write(APP_JSON, '{"userIgnoreFilters": ["x/"]}')
    assert vault.look().batch == Batch(dropped=("x/b.md",), others_put=("x/b.md",))
    assert vault.indexer.ignore_rule("x/b.md") == f"{APP_JSON}: x/"
    vault.write(APP_JSON, "{")
    assert vault.look().added == 1
    assert vault.problems() == {(APP_JSON, "appJsonInvalid")}
    vault.assert_as_read_anew()


# -- coming back --------------------------------------------------------------------------------


def test_coming_back_reads_only_what_changed_meanwhile(vault: Vault) -> None:
    for path in ("same.md", "x/same.md", "written.md", "gone.md", "x/gone.md"):
        vault.write(path, "[[p.png]]")
        os.utime(vault.root / path, (OLD_S, OLD_S))
    for path in ("same.png", "x/gone.png", "gone/gone.png"):
        vault.write(path)
    vault.look()
    vault.restart()
    vault.write("written.md", "new")
    vault.write("x/new/new.md")
    vault.write("x/new/p.png")
    for path in ("gone.md", "x/gone.md", "x/gone.png"):
        (vault.root / path).unlink()
    shutil.rmtree(vault.root / "gone")
    absorbed = vault.look()
    assert [read.note.path for read in absorbed.batch.put] == ["written.md", "x/new/new.md"]
    assert absorbed.batch.dropped == ("gone.md", "x/gone.md")
    assert absorbed.batch.others_put == ("x/new/p.png",)
    assert absorbed.batch.others_dropped == ("gone/gone.png", "x/gone.png")
    assert vault.loaded == vault.parsed == ["written.md", "x/new/new.md"]
    vault.assert_as_read_anew()


def test_coming_back_takes_in_the_log(vault: Vault) -> None:
    vault.write("a.md", "one")
    vault.look()
    chunks = list(seal(vault.indexer.engine.indexes))
    vault.write("a.md", "two")
    vault.write("b.md")
    vault.write("p.png")
    log = [vault.look().batch]
    vault.write(CONCEPTS_TOML, 'ignore = ["b"]')
    (vault.root / "b.md").unlink()
    log.append(vault.look().batch)
    vault.indexer = Indexer(vault.settings)
    vault.indexer.restore(chunks, log)
    vault.assert_as_read_anew()
    vault.parsed.clear()
    assert vault.look().is_nothing
    assert vault.parsed == []


@pytest.mark.parametrize("was_racy", [False, True])
def test_coming_back_doubts_the_stamps_of_notes_that_were_read_young(
    vault: Vault, was_racy: bool
) -> None:
    """What was written after the read may have left the very stamp that is known."""
    written_ns = vault.write("a.md", "new")
    vault.look(written_ns + (1_500 if was_racy else 2_500) * MS)
    entries = vault.indexer.engine.indexes.entries
    assert entries["a.md"].is_racy == was_racy
    old = replace(entries["a.md"].note, content_hash="other", text="old")
    entries["a.md"] = replace(entries["a.md"], note=old)
    vault.restart()
    vault.look()
    assert vault.texts() == {"a.md": "new" if was_racy else "old"}


def test_an_emptied_note_is_doubted_anew_after_coming_back(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    vault.look()
    vault.restart()
    assert vault.look(LATER_NS + 5_000 * MS).is_nothing
    assert vault.texts() == {"a.md": "kept"}
    vault.look(LATER_NS + 6_000 * MS)
    assert vault.texts() == {"a.md": ""}


def test_coming_back_to_a_vault_that_is_away_keeps_what_was_known(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.restart()
    away = vault.root.with_name("away")
    vault.root.rename(away)
    with pytest.raises(FileNotFoundError):
        vault.look()
    assert vault.texts() == {"a.md": "kept"}
    away.rename(vault.root)
    assert vault.look().is_nothing


@pytest.mark.parametrize("damage", [b"", b"junk", b"\x00\xc1", b"\x01{", b"\x01[]"])
def test_what_was_not_sealed_here_is_refused(vault: Vault, damage: bytes) -> None:
    vault.write("a.md", "[[b]]")
    vault.look()
    chunks = [*seal(vault.indexer.engine.indexes), damage]
    with pytest.raises((ValueError, LookupError)):
        Indexer(vault.settings).restore(chunks, ())
    assert gc.isenabled()
