"""The index on disk under kills, faults, power cuts and damage: what was promised, or nothing."""

import errno
import hashlib
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest

from clew.engine.durable import DISK, Disk
from clew.engine.store import FORMAT, Store
from tests.damage import DAMAGES
from tests.disks import (
    UNSYNCED,
    FailingDisk,
    Image,
    RecordingDisk,
    killed_at,
    lay_out,
    power_cuts,
    snapshot,
)

LONG = bool(os.environ.get("CLEW_LONG"))
MUTATED_COUNT = 10_000 if LONG else 300
CODES = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)
POWER_CUT_TRIES = 8 if LONG else 1

Step: TypeAlias = tuple[str, str]
State: TypeAlias = tuple[str, tuple[bytes, ...]]  # whose files, and what was logged after them

NOTHING: State = ("", ())
FINGERPRINT = "version 1, half-life 30"

SESSION: tuple[Step, ...] = (
    ("append", "r1"),
    ("append", "r2"),
    ("sync", ""),
    ("append", "r3" * 100),
    ("restart", ""),
    ("append", "r4"),
    ("publish", "A"),
    ("append", "a1"),
    ("append", "a2" * 200),
    ("sync", ""),
    ("append", "a3"),
    ("break off", "X"),
    ("append", "a4"),
    ("restart", ""),
    ("append", "a5"),
    ("publish", "B"),
    ("append", "b1"),
    ("restart", ""),
    ("publish", "C"),
    ("append", "c1"),
    ("append", ""),
)


def files_of(whose: str) -> dict[str, list[bytes]]:
    if not whose:
        return {}
    text = whose.encode()
    return {"notes": [text * 300, b"", text], "vectors": [text * 50], "empty": []}


def broken_off(whose: str) -> Iterator[bytes]:
    yield whose.encode() * 300
    raise OSError(errno.EIO, "the source of the chunks fails")


def take(store: Store, step: Step) -> None:
    """Do one step of a session, all but a restart."""
    match step:
        case ("append", record):
            store.append(record.encode())
        case ("publish", whose):
            store.publish(files_of(whose))
        case ("break off", whose):
            with suppress(OSError):
                store.publish({"notes": [b"first"], "vectors": broken_off(whose)})
        case ("sync", _):
            store.sync()


def after(state: State, step: Step) -> State:
    match step:
        case ("append", record):
            return state[0], (*state[1], record.encode())
        case ("publish", whose):
            return whose, ()
    return state


def opened(folder: Path, disk: Disk = UNSYNCED) -> tuple[Store, State]:
    """Return a store that has loaded, and what; fail when that was never published."""
    store = Store(str(folder), FINGERPRINT, disk)
    stored = store.load()
    if stored is None:
        return store, NOTHING
    files = {name: [bytes(chunk) for chunk in chunks] for name, chunks in stored.files.items()}
    whose = files["notes"][-1].decode() if files else ""
    assert files == files_of(whose)
    assert store.log_records == len(stored.records)
    return store, (whose, tuple(stored.records))


def state_of(folder: Path) -> State:
    store, state = opened(folder)
    store.close()
    return state


def live(folder: Path, disk: Disk, promised: Callable[[], None]) -> None:
    store, _ = opened(folder, disk)
    for step in SESSION:
        if step[0] == "restart":
            store.close()
            store, _ = opened(folder, disk)
        take(store, step)
        promised()


def states() -> list[State]:
    """Return the state before the session and after each of its steps."""
    found = [NOTHING]
    for step in SESSION:
        found.append(after(found[-1], step))
    return found


def assert_goes_on(store: Store, folder: Path) -> None:
    """Fail unless a store can publish and log, and leaves nothing else behind."""
    store.publish(files_of("Z"))
    store.append(b"z1")
    store.close()
    assert state_of(folder) == ("Z", (b"z1",))
    left = os.listdir(folder / f"v{FORMAT}")
    assert sorted(name[:4] for name in left) == ["gen-", "log-"]
    assert len({name[4:] for name in left}) == 1


def test_what_was_stored_comes_back(tmp_path: Path) -> None:
    live(tmp_path / "index", DISK, lambda: None)
    assert state_of(tmp_path / "index") == states()[-1] == ("C", (b"c1", b""))


def test_files_are_for_the_owner_alone(tmp_path: Path) -> None:
    live(tmp_path / "index", DISK, lambda: None)
    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


def test_the_sizes_are_those_on_disk(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    assert (store.log_bytes, store.log_records, store.generation_bytes) == (0, 0, 0)
    for step in (("append", "r"), ("publish", "A"), ("append", "a1"), ("append", "a2")):
        take(store, step)
    for each in (store, opened(tmp_path / "index")[0]):
        home = tmp_path / "index" / f"v{FORMAT}"
        sizes = [(home / "gen-00000001" / name).stat().st_size for name in files_of("A")]
        assert each.generation_bytes == sum(sizes)
        assert each.log_bytes == (home / "log-00000001").stat().st_size
        assert each.log_records == 2


def test_another_fingerprint_is_another_index(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.append(b"r1")
    other = Store(str(tmp_path / "index"), "\udcff other")
    assert other.load() is None
    store.publish(files_of("A"))
    assert other.load() is None
    other.append(b"o1")
    assert state_of(tmp_path / "index") == ("A", ())
    other.publish({})
    assert opened(tmp_path / "index")[1] == NOTHING
    again = Store(str(tmp_path / "index"), "\udcff other").load()
    assert again is not None
    assert (again.files, again.records) == ({}, [])


def test_nothing_is_logged_before_it_is_known_after_what(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="load or publish first"):
        Store(str(tmp_path / "index"), FINGERPRINT).append(b"r")


def test_a_restart_from_a_kill_at_any_step_finds_all_that_was_promised(tmp_path: Path) -> None:
    known = states()
    for at in count(1):
        folder = tmp_path / str(at) / "index"
        folder.parent.mkdir()
        killed, done = killed_at(at, lambda disk, promised: live(folder, disk, promised))  # noqa: B023
        if not killed:
            break
        store, state = opened(folder)
        assert state in known[done : done + 2], (at, done)
        assert_goes_on(store, folder)
        shutil.rmtree(folder.parent)
    assert done == len(SESSION)
    assert at > 150


def live_with_faults(folder: Path, disk: FailingDisk) -> Store:
    """Live a session although steps fail; fail when a restart finds what was not promised."""
    store, state = opened(folder, disk)
    allowed = [state]
    for step in SESSION:
        try:
            take(store, step)
        except OSError:
            if step[0] == "publish":
                allowed.append(after(state, step))
            continue
        if step[0] == "restart":
            store.close()
            store, found = opened(folder, disk)
            assert found in allowed
            state = found
        state = after(state, step)
        if step[0] in ("restart", "append", "publish"):
            allowed = [state]
    assert state_of(folder) in allowed
    return store


@pytest.mark.parametrize("lasting", [False, True])
def test_a_failing_step_costs_nothing_that_was_promised(tmp_path: Path, lasting: bool) -> None:
    for at in count(1):
        for code in CODES if LONG else [CODES[at % len(CODES)]]:
            folder = tmp_path / "state" / "index"
            folder.parent.mkdir()
            disk = FailingDisk(at, code, lasting=lasting)
            store = live_with_faults(folder, disk)
            if folder.exists() and (folder / f"v{FORMAT}").exists():
                assert len(os.listdir(folder / f"v{FORMAT}")) <= 4
            was_failing = disk.has_failed
            disk.mend()
            assert_goes_on(store, folder)
            shutil.rmtree(folder.parent)
        if not was_failing:
            break
    assert at > 150


@pytest.mark.parametrize("steps", ["unlink", "write unlink", "sync unlink rename", "sync_folder"])
def test_what_cannot_be_removed_does_not_pile_up(tmp_path: Path, steps: str) -> None:
    disk = FailingDisk(sys.maxsize, errno.EIO, lasting=True, steps=frozenset(steps.split()))
    store, _ = opened(tmp_path / "index", disk)
    store.publish(files_of("A"))
    disk.fail_from_now()
    for _ in range(30):
        with suppress(OSError):
            store.publish(files_of("B"))
    assert len(os.listdir(tmp_path / "index" / f"v{FORMAT}")) < 12
    assert state_of(tmp_path / "index")[0] in ("A", "B")
    disk.mend()
    assert_goes_on(store, tmp_path / "index")


def promised_after(done: int) -> tuple[list[State], int]:
    """Return the states a power cut may lead back to, and how many records must be there.

    That is what was logged after the last generation that was published, or the one on its way.
    """
    known = states()[: done + 2]
    last = states()[done][0]
    synced = 0
    for step, state in zip(SESSION[:done], known[1:], strict=False):
        if step[0] == "publish":
            synced = 0
        elif step[0] == "sync":
            synced = len(state[1])
    newer = {state[0] for state in known[done:]}
    return [state for state in known if state[0] == last or state[0] in newer], synced


def test_a_power_cut_at_any_step_leaves_only_what_was_promised(tmp_path: Path) -> None:
    disk = RecordingDisk()
    live(tmp_path / "index", disk, disk.mark)
    seen = 0
    before: Image = {}
    (tmp_path / "cut").mkdir()
    for done, image in power_cuts(str(tmp_path), disk.kept, POWER_CUT_TRIES, random.Random(1)):
        lay_out(image, tmp_path / "cut", before)
        before = image
        state = state_of(tmp_path / "cut" / "index")
        allowed, synced = promised_after(done)
        assert state in allowed, (done, state)
        assert state[0] != states()[done][0] or len(state[1]) >= synced
        seen += 1
    assert seen >= 1_000


@pytest.mark.parametrize("at", range(1, 5))
def test_no_power_cut_brings_back_a_publish_that_failed(tmp_path: Path, at: int) -> None:
    disk = RecordingDisk(steps=frozenset(["sync_folder"]))
    store, _ = opened(tmp_path / "index", disk)
    store.append(b"r1")
    store.sync()
    disk.at = disk.count + at
    with pytest.raises(OSError, match="Input/output error"):
        store.publish(files_of("A"))
    store.append(b"r2")
    store.sync()
    disk.mark()
    store.append(b"r3")
    cuts = power_cuts(str(tmp_path), disk.kept, POWER_CUT_TRIES, random.Random(1))
    before: Image = {}
    (tmp_path / "cut").mkdir()
    for image in [image for marks, image in cuts if marks]:
        lay_out(image, tmp_path / "cut", before)
        before = image
        whose, records = state_of(tmp_path / "cut" / "index")
        assert whose == ""
        assert records[:2] == (b"r1", b"r2")


def test_a_publish_neither_done_nor_undone_takes_no_more_records(tmp_path: Path) -> None:
    disk = FailingDisk(sys.maxsize, errno.EIO, lasting=True, steps=frozenset(["sync_folder"]))
    store, _ = opened(tmp_path / "index", disk)
    store.append(b"r1")
    disk.at = disk.count + 4
    with pytest.raises(OSError, match="Input/output error"):
        store.publish(files_of("A"))
    with pytest.raises(OSError, match="load or publish first"):
        store.append(b"r2")
    assert state_of(tmp_path / "index") in (("", (b"r1",)), ("A", ()))
    disk.mend()
    assert_goes_on(store, tmp_path / "index")


# Damage. A folder holds two generations with their logs and one of a newer format; what is loaded
# afterwards must be one of them with as much of its own log as is good, or nothing.


def two_generations(folder: Path) -> None:
    """Make an index that holds an earlier generation too, as one killed at the right moment."""
    store, _ = opened(folder)
    home = folder / f"v{FORMAT}"
    store.publish(files_of("A"))
    for n in range(5):
        store.append(b"a%d" % n)
    store.close()
    shutil.copytree(home, folder / "kept")
    store.publish(files_of("B"))
    for n in range(5):
        store.append(b"b%d" % n)
    store.close()
    shutil.copytree(folder / "kept", home, dirs_exist_ok=True)
    shutil.rmtree(folder / "kept")
    (folder / "v2" / "gen-00000007").mkdir(parents=True)
    (folder / "v2" / "gen-00000007" / "manifest.json").write_bytes(b"of a later time")
    (folder / "v2" / "log-00000007").write_bytes(bytes(range(256)))


def good(state: State) -> bool:
    whose, records = state
    logged = tuple(f"{whose.lower()}{n}".encode() for n in range(5))
    return state == NOTHING or (whose in ("A", "B") and records == logged[: len(records)])


@pytest.mark.timeout(1_200)
def test_damage_never_shows_as_other_content(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    home = folder / f"v{FORMAT}"
    two_generations(folder)
    newer = snapshot(folder / "v2")
    home.rename(tmp_path / "good")
    seen = set()
    for seed in range(MUTATED_COUNT):
        chance = random.Random(seed)
        shutil.copytree(tmp_path / "good", home)
        for damage in chance.choices(DAMAGES, k=chance.randint(1, 3)):
            damage(home, chance)
        store, state = opened(folder)
        assert good(state), seed
        seen.add(state)
        with suppress(OSError):
            store.append(b"more")
            assert state_of(folder) == (state[0], (*state[1], b"more")), seed
        store.publish(files_of("Z"))
        store.close()
        assert state_of(folder) == ("Z", ()), seed
        assert snapshot(folder / "v2") == newer
        shutil.rmtree(home)
    assert len(seen) > 8


def test_a_generation_under_another_number_is_none(tmp_path: Path) -> None:
    two_generations(tmp_path / "index")
    newest = state_of(tmp_path / "index")
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").rename(home / "gen-00000003")
    assert state_of(tmp_path / "index") == newest
    (home / "gen-00000002").rename(home / "gen-00000004")
    assert state_of(tmp_path / "index") == NOTHING


def test_the_next_generation_has_a_number_never_seen(tmp_path: Path) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    for name in ("gen-00000041", "gen-00000042.new", "log-123456789"):
        (home / name).mkdir(parents=True)
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    assert os.listdir(home) == ["gen-123456790"]
    assert state_of(tmp_path / "index") == ("A", ())


def test_a_store_holds_one_file_open_at_most(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        for step in (("append", "r"), ("publish", "A"), ("append", "a")):
            take(store, step)
        assert store.load() is not None
    assert len(os.listdir("/proc/self/fd")) == before
    store.append(b"a")
    assert len(os.listdir("/proc/self/fd")) == before + 1
    store.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_every_bit_of_a_generation_is_vouched_for(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    for path in sorted((tmp_path / "index").rglob("gen-*/*")):
        data = path.read_bytes()
        for place in range(0, len(data), 1 if LONG else 7):
            path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
            assert state_of(tmp_path / "index") in (NOTHING, ("A", ()))
            if path.name != "manifest.json":
                assert state_of(tmp_path / "index") == NOTHING
        path.write_bytes(data + b" ")
        assert state_of(tmp_path / "index") in (NOTHING, ("A", ()))
        assert path.name == "manifest.json" or state_of(tmp_path / "index") == NOTHING
        path.write_bytes(data)


def test_a_manifest_is_vouched_for(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    path = tmp_path / "index" / f"v{FORMAT}" / "gen-00000001" / "manifest.json"
    (path.parent / "notes").rename(path.parent / "nodes")
    path.write_bytes(path.read_bytes().replace(b"notes", b"nodes"))
    assert Store(str(tmp_path / "index"), FINGERPRINT).load() is None


def seal(home: Path, manifest: object) -> None:
    """Write a manifest that is good by its own checksum."""
    text = json.dumps(manifest)
    sealed = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "manifest": text}
    (home / "gen-00000001" / "manifest.json").write_text(json.dumps(sealed))


def entry(size_bytes: object, data: bytes) -> dict[str, object]:
    return {"size_bytes": size_bytes, "sha256": hashlib.sha256(data).hexdigest()}


@pytest.mark.parametrize(
    "files",
    [
        {"../../secret": entry(6, b"secret")},
        {"/etc/hostname": entry(6, b"secret")},
        {"manifest.json": entry(6, b"secret")},
        {"notes": entry(1 << 62, b"")},
        {"notes": entry(-1, b"")},
        {"notes": entry("3", b"abc")},
        {"notes": entry(3, b"abc")},  # ends within a chunk's length
        {"notes": entry(9, b"\xff\xff\xff\xffabcde")},  # a chunk beyond the end
        {"notes": {}},
        {"": entry(0, b"")},
        [],
    ],
)
def test_a_manifest_that_asks_for_too_much_is_refused(tmp_path: Path, files: object) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").mkdir(parents=True)
    (tmp_path / "index" / "secret").write_bytes(b"secret")
    for data in (b"abc", b"\xff\xff\xff\xffabcde", b""):
        (home / "gen-00000001" / "notes").write_bytes(data)
        seal(home, {"generation": 1, "fingerprint": FINGERPRINT, "files": files})
        assert Store(str(tmp_path / "index"), FINGERPRINT).load() is None


def test_a_file_larger_than_any_is_not_read(tmp_path: Path) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").mkdir(parents=True)
    with (home / "gen-00000001" / "notes").open("wb") as file:
        file.truncate(1 << 43)
    files = {"notes": entry(1 << 43, b"")}
    seal(home, {"generation": 1, "fingerprint": FINGERPRINT, "files": files})
    assert state_of(tmp_path / "index") == NOTHING


@pytest.mark.parametrize("text", ["[" * 500_000, "9" * 5_000, '{"sha256":1}', "\ud800", "", "null"])
def test_a_manifest_of_any_shape_is_no_error(tmp_path: Path, text: str) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").mkdir(parents=True)
    data = text.encode("utf-8", "surrogatepass")
    (home / "gen-00000001" / "manifest.json").write_bytes(data)
    assert state_of(tmp_path / "index") == NOTHING
    sealed = {"sha256": hashlib.sha256(data).hexdigest(), "manifest": text}
    (home / "gen-00000001" / "manifest.json").write_text(json.dumps(sealed))
    assert state_of(tmp_path / "index") == NOTHING


@pytest.mark.parametrize("place", ["v1", "v1/gen-00000001", "v1/gen-00000001/notes", "."])
def test_no_link_is_followed(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "index"
    store, _ = opened(folder)
    store.publish(files_of("A"))
    elsewhere = tmp_path / "elsewhere"
    (folder / place).rename(elsewhere)
    (folder / place).symlink_to(elsewhere)
    before = snapshot(elsewhere) if elsewhere.is_dir() else {}
    store, state = opened(folder)
    assert state == NOTHING
    with suppress(OSError):
        store.append(b"r")
        store.publish(files_of("B"))
    assert not before or snapshot(elsewhere) == before
    if place != ".":
        assert state_of(folder) == ("B", ())


@pytest.mark.parametrize("place", ["v1", "."])
def test_a_log_behind_a_linked_folder_is_not_read(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "index"
    store, _ = opened(folder)
    store.append(b"r1")
    (folder / place).rename(tmp_path / "elsewhere")
    (folder / place).symlink_to(tmp_path / "elsewhere")
    assert state_of(folder) == NOTHING


def test_a_linked_log_is_not_followed(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.append(b"r1")
    log = tmp_path / "index" / f"v{FORMAT}" / "log-00000000"
    log.rename(tmp_path / "log")
    log.symlink_to(tmp_path / "log")
    store, state = opened(tmp_path / "index")
    assert state == NOTHING
    with pytest.raises(OSError, match="symbolic links"):
        store.append(b"r2")
    store.publish({})
    assert (tmp_path / "log").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["gen-00000001/notes", "gen-00000001/manifest.json"])
def test_what_is_someone_elses_counts_as_nothing(tmp_path: Path, name: str) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    os.chown(tmp_path / "index" / f"v{FORMAT}" / name, 65_534, 65_534)
    assert state_of(tmp_path / "index") == NOTHING


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do anything")
@pytest.mark.parametrize("name", ["", "gen-00000001", "gen-00000001/notes", "log-00000001"])
def test_what_cannot_be_read_counts_as_nothing(tmp_path: Path, name: str) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    store.append(b"a1")
    path = tmp_path / "index" / f"v{FORMAT}" / name
    path.chmod(0)
    try:
        assert state_of(tmp_path / "index") in (NOTHING, ("A", ()))
    finally:
        path.chmod(0o700)


def test_a_file_in_the_place_of_the_folder_makes_way(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / f"v{FORMAT}").write_bytes(b"?")
    store, state = opened(tmp_path / "index")
    assert state == NOTHING
    assert_goes_on(store, tmp_path / "index")


def test_names_that_are_not_ours_stay(tmp_path: Path) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    foreign = dict.fromkeys(("gen-1", "gen-0000000x", "notes", "log-1", "gen-00000001.old"))
    for name in foreign:
        (home / name).mkdir(parents=True)
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    store.publish(files_of("B"))
    assert snapshot(home).items() >= foreign.items()


@pytest.mark.parametrize("name", ["", "../x", "manifest.json", "a/b", "A", "x" * 65, ".x"])
def test_a_file_of_a_generation_has_a_plain_name(tmp_path: Path, name: str) -> None:
    store, _ = opened(tmp_path / "index")
    with pytest.raises(ValueError, match="no name for a file"):
        store.publish({name: [b"x"]})
    assert os.listdir(tmp_path / "index" / f"v{FORMAT}") == []


def test_a_generation_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine.store.GENERATION_BYTES_MAX", 100)
    store, _ = opened(tmp_path / "index")
    store.publish({"a": [b"x" * 46], "b": [b"x" * 46]})
    with pytest.raises(OSError, match="File too large"):
        store.publish({"a": [b"x" * 46], "b": [b"x" * 47]})
    again = Store(str(tmp_path / "index"), FINGERPRINT).load()
    assert again is not None
    assert sorted(again.files) == ["a", "b"]


def test_loading_changes_nothing(tmp_path: Path) -> None:
    two_generations(tmp_path / "index")
    (tmp_path / "index" / "v1" / "gen-00000005.new").mkdir()
    before = snapshot(tmp_path / "index")
    disk = FailingDisk(1, errno.EROFS, lasting=True)
    assert opened(tmp_path / "index", disk)[1][0] == "B"
    assert disk.count == 0
    assert snapshot(tmp_path / "index") == before
