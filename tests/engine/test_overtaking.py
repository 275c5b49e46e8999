"""Notes that are saved in the middle of a round of reading are read before the rest of it."""

import os
import random
from collections.abc import Callable, Generator, Iterable, Iterator

import pytest

from clew.engine.reading import file_slices
from clew.engine.reading.file_slices import FileSlice, ReadingRules, SliceNotes
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed, Absorbing, drained
from clew.values.vault import Batch, Moment
from tests.indexed import OLD_S, Vault, apply_slices_at_once, read_in_portions
from tests.vaults import LATER, at

NAMES = [f"{name}.md" for name in "abcdef"]
READ_AT = 3  # slices of one note each


def read_all_ahead(
    rules: ReadingRules, slices: Iterator[FileSlice]
) -> Generator[tuple[FileSlice, SliceNotes | None], None, None]:
    """Read every slice before the first is used, as parsers may."""
    ready = [(files, file_slices.load_slice(rules, files)) for files in slices]
    yield from [(files, file_slices.parse_slice(rules, loaded)) for files, loaded in ready]


@pytest.fixture(params=["in one go", "in portions", "slice by slice"])
def changed(request: pytest.FixtureRequest, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault whose notes, but one, were changed since they were indexed.

    They are read and applied in one go, or are read ahead and applied in parts.
    """
    monkeypatch.setattr(file_slices, "SLICE_NOTES", 1)
    if request.param == "slice by slice":
        apply_slices_at_once(monkeypatch)
    if request.param == "in portions":
        read_in_portions(monkeypatch, 4)
    if request.param != "in one go":
        vault.indexer = Indexer(vault.settings, read_ahead=read_all_ahead)
    for name in (*NAMES, "kept.md"):
        vault.write(name, f"old {name}")
    vault.look()
    for name in NAMES:
        vault.write(name, f"the next {name}")
    return vault


def read_saved(vault: Vault, paths: Iterable[str], now: Moment = LATER) -> Absorbed:
    return drained(vault.indexer.read_saved(paths, now))


def in_a_round(vault: Vault, save: Callable[[], None], *hinted: str) -> dict[str, str]:
    """Save after some slices of a round; return the texts at its end.

    The hinted paths are checked after the round, as the walker does.
    """
    slices, taken = 0, set[str]()
    for step in vault.steps_of_round():
        slices += step.parsing is None and not step.is_applied
        # What a step has read is logged after the saved notes.
        assert taken.isdisjoint(read.note.path for read in step.read)
        if slices == READ_AT and step.parsing is None:
            revision = vault.indexer.engine.revision
            save()
            taken = set(hinted) if vault.indexer.engine.revision > revision else set()
            slices += 1
    texts = vault.texts()
    vault.look_at_paths(hinted, LATER.wall_ns)
    return texts


@pytest.mark.parametrize("name", ["a.md", "c.md", "f.md", "new.md"])
def test_a_saved_note_is_indexed_at_once_and_stays(changed: Vault, name: str) -> None:
    """Whether the round has read it, is about to, or does not know it."""
    texts = []

    def save() -> None:
        changed.write(name, "saved in the middle of it")
        assert [read.note.path for read in read_saved(changed, [name]).batch.put] == [name]
        texts.append(changed.texts())

    texts.append(in_a_round(changed, save, name))
    assert [each[name] for each in texts] == ["saved in the middle of it"] * 2
    assert texts[0]["e.md"] == "old e.md"
    assert changed.texts()["e.md"] == "the next e.md"
    changed.assert_as_read_anew()
    assert changed.look().is_nothing


def test_a_saved_note_that_is_deleted_again_is_dropped(changed: Vault) -> None:
    def save() -> None:
        changed.write("new.md", "saved")
        read_saved(changed, ["new.md"])
        (changed.root / "new.md").unlink()
        read_saved(changed, ["new.md"])

    in_a_round(changed, save, "new.md")
    changed.look()
    assert changed.texts().keys() == {*NAMES, "kept.md"}
    changed.assert_as_read_anew()


def test_a_note_that_was_gone_and_is_back_is_not_dropped(changed: Vault) -> None:
    (changed.root / "b.md").unlink()

    def save() -> None:
        changed.write("b.md", "it is back")
        read_saved(changed, ["b.md"])

    assert in_a_round(changed, save, "b.md")["b.md"] == "it is back"
    changed.assert_as_read_anew()


@pytest.mark.parametrize("is_seen_by_the_walk", [True, False])
def test_a_renamed_note_waits_for_the_end(changed: Vault, is_seen_by_the_walk: bool) -> None:
    """So one batch has both its names, and it keeps its dates."""
    changed.indexer.engine.apply(Batch(reads_s={"kept.md": 5.0}))

    def rename() -> None:
        (changed.root / "kept.md").rename(changed.root / "new.md")

    def save() -> None:
        if not is_seen_by_the_walk:
            rename()
        assert read_saved(changed, ["kept.md", "new.md"]).is_nothing

    if is_seen_by_the_walk:
        rename()
    texts = in_a_round(changed, save, "kept.md", "new.md")
    assert ("new.md" in texts) == is_seen_by_the_walk != ("kept.md" in texts)
    assert changed.indexer.snapshot.reads_s == {"new.md": 5.0}
    changed.assert_as_read_anew()


def test_what_needs_a_second_look_waits_for_the_end(changed: Vault) -> None:
    def save() -> None:
        written_ns = changed.write("a.md", "being written")
        assert read_saved(changed, ["a.md"], at(written_ns + 1)).is_nothing
        changed.write("b.md", "")
        (changed.root / "c.md").unlink()
        changed.write("unknown/folder.md", "text")
        changed.write(".hidden/d.md", "text")
        hinted = ["b.md", "c.md", "unknown/folder.md", ".hidden/d.md", "../x.md", "none.md"]
        assert read_saved(changed, hinted).is_nothing

    in_a_round(changed, save)
    changed.look_at_paths(["a.md", "b.md", "c.md", "unknown/folder.md"], LATER.wall_ns)
    assert changed.texts()["a.md"] == "being written"
    assert changed.texts()["b.md"] != ""  # emptied a moment ago
    changed.look(LATER.wall_ns + 10**10)
    changed.assert_as_read_anew()


def test_after_any_saves_in_rounds_the_index_is_as_read_anew(changed: Vault) -> None:
    rng = random.Random(7)
    names = [*NAMES, "g.md", "h.md"]
    size, now_ns = 20, LATER.wall_ns
    for _ in range(40):
        now_ns += 10**10
        hinted = set[str]()
        for name in rng.sample(names, 4):
            size += 1
            changed.write(name, "x" * size)
        for step in changed.indexer.absorb(changed.indexer.look(at(now_ns)), at(now_ns)):
            if step.parsing is not None or rng.random() < 0.5:
                continue
            size += 1
            path, other = rng.sample(names, 2)
            paths = {path}
            kind = rng.choice(["write", "write", "delete", "rename"])
            if kind == "write":
                changed.write(path, f"[[{other}]] " + "y" * size)
            elif (changed.root / path).exists():
                if kind == "delete":
                    (changed.root / path).unlink()
                else:
                    (changed.root / path).rename(changed.root / other)
                    paths.add(other)
            hinted |= paths
            read_saved(changed, paths, at(now_ns))
        changed.look_at_paths(sorted(hinted), now_ns + 10**9)
        changed.look_at_paths(sorted(hinted), now_ns + 2 * 10**9)
        changed.assert_as_read_anew()


def test_a_renamed_note_that_is_saved_anew_waits_for_the_end(changed: Vault) -> None:
    """The round has kept it for the deletion of its old name, and its new file is another one."""
    changed.indexer.engine.apply(Batch(reads_s={"kept.md": 5.0}))
    (changed.root / "kept.md").rename(changed.root / "aa.md")

    def save() -> None:
        changed.write(".next", "saved after it was renamed")
        (changed.root / ".next").rename(changed.root / "aa.md")
        assert read_saved(changed, ["aa.md"]).is_nothing

    assert in_a_round(changed, save, "aa.md")["aa.md"] == "old kept.md"
    assert changed.indexer.snapshot.reads_s == {"aa.md": 5.0}
    changed.assert_as_read_anew()


def test_a_note_that_was_leaving_and_is_back_is_not_dropped(changed: Vault) -> None:
    (changed.root / "kept.md").unlink()
    changed.look_at_paths(["kept.md"], LATER.wall_ns)
    changed.write("a.md", "changed once more")
    for name in NAMES:
        changed.write(name, f"changed once more {name}")

    def save() -> None:
        changed.write("kept.md", "it is back")
        read_saved(changed, ["kept.md"])

    assert in_a_round(changed, save, "kept.md")["kept.md"] == "it is back"
    changed.assert_as_read_anew()


def test_nobody_waits_for_an_emptied_note_that_was_saved(changed: Vault) -> None:
    changed.write("f.md", "")
    changed.look_at_paths(["f.md"], LATER.wall_ns)
    for name in NAMES[:-1]:
        changed.write(name, f"changed once more {name}")

    def save() -> None:
        changed.write("f.md", "saved")
        read_saved(changed, ["f.md"])

    assert in_a_round(changed, save, "f.md")["f.md"] == "saved"
    assert not changed.indexer.settling.unsettled


def edited_in(steps: Absorbing) -> set[str]:
    """Run a round to its end; return the notes whose edits it tells."""
    edited = set[str]()
    while True:
        try:
            edited |= next(steps).edits_s.keys()
        except StopIteration as done:
            absorbed: Absorbed = done.value
            return edited | absorbed.edits_s.keys()


def test_an_edit_is_seen_when_it_is_read_and_not_again_at_the_end(changed: Vault) -> None:
    steps = changed.steps_of_round()
    next(step for step in steps if any(read.note.path == "a.md" for read in step.read))
    changed.write("a.md", "saved in the middle of it")
    assert read_saved(changed, ["a.md"]).edits_s.keys() == {"a.md"}
    assert edited_in(steps) == {*NAMES[1:]}


def test_settings_and_other_files_wait_for_the_end(changed: Vault) -> None:
    """They may change the whole index, which is no small batch."""

    def save() -> None:
        changed.write(".clew/concepts.toml", '[aliases]\n"x" = ["y"]\n')
        assert read_saved(changed, ["none.md"]).is_nothing

    in_a_round(changed, save)
    changed.look()
    changed.assert_as_read_anew()


def test_after_a_round_nothing_of_it_is_in_memory(changed: Vault) -> None:
    (changed.root / "kept.md").rename(changed.root / "aa.md")
    changed.look()
    assert changed.indexer._overtaking.moved.kept == []  # noqa: SLF001 - would hold whole notes


def test_nothing_saved_is_no_revision_in_a_first_index(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_portions(monkeypatch, 2)
    for name in NAMES:
        vault.write(name, f"text of {name}")
    found = [read_saved(vault, ["none.md"]) for step in vault.steps_of_round() if step.is_portion]
    assert found
    assert all(absorbed.is_nothing for absorbed in found)


def test_a_renamed_note_whose_old_name_is_hinted_later_waits_for_the_end(changed: Vault) -> None:
    """Its content is older than its name, so it may be a note that is not known to be gone."""
    os.utime(changed.root / "kept.md", (OLD_S, OLD_S))
    changed.look()
    for name in NAMES:
        changed.write(name, f"changed once more {name}")
    changed.indexer.engine.apply(Batch(reads_s={"kept.md": 5.0}))

    def save() -> None:
        (changed.root / "kept.md").rename(changed.root / "new.md")
        assert read_saved(changed, ["new.md"]).is_nothing
        assert read_saved(changed, ["kept.md"]).is_nothing

    in_a_round(changed, save, "kept.md", "new.md")
    changed.look()
    assert changed.indexer.snapshot.reads_s == {"new.md": 5.0}
    changed.assert_as_read_anew()


def test_a_note_saved_with_a_time_in_the_future_is_young(changed: Vault) -> None:
    """Another such time of it was seen long ago, by which it seemed old."""
    present_ns = changed.write("a.md", "dated ahead")
    ahead_s = present_ns // 10**9 + 3600

    def moment(later_s: int) -> Moment:
        return Moment(present_ns + later_s * 10**9, later_s * 10**9)

    os.utime(changed.root / "a.md", (ahead_s, ahead_s))
    changed.look_at(moment(1))
    changed.write("b.md", "changed once more")
    now = moment(10)
    for step in changed.indexer.absorb(changed.indexer.look(now), now):
        if step.parsing is not None:
            changed.write("a.md", "dated ahead, further")
            os.utime(changed.root / "a.md", (ahead_s + 1, ahead_s + 1))
            (read,) = read_saved(changed, ["a.md"], now).batch.put
            assert changed.indexer._view.is_racy("a.md", read.stamp, now)  # noqa: SLF001
            break


def test_a_renamed_note_is_not_logged_before_its_deletion(changed: Vault) -> None:
    """After a kill it would be known under both names, and no rename would be seen."""
    (changed.root / "kept.md").rename(changed.root / "aa.md")
    log = []
    for step in changed.steps_of_round():
        log += [Batch(step.read, words=step.words)] if step.read else []
        if step.done == step.total and step.parsing is None:
            break
    changed.restart(log)
    batch = changed.look().batch
    assert (batch.dropped, [read.note.path for read in batch.put]) == (("kept.md",), ["aa.md"])
    changed.assert_as_read_anew()
