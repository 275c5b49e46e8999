"""A session of changes to a stored index, and the expected state after each step."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from clew.disk.durable import Disk
from clew.engine.persist.generation_files import FORMAT
from clew.engine.persist.store import Store
from tests.disks import UNSYNCED

Step: TypeAlias = tuple[str, str]
State: TypeAlias = tuple[
    str, tuple[bytes, ...]
]  # the generation's content, and the records logged after it

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
    return {"notes": [text * 300, b"", text], "vectors": [text * 50], "empty": [], "whose": [text]}


def broken_off(whose: str) -> Iterator[bytes]:
    yield whose.encode() * 300
    raise OSError(errno.EIO, "the source of the chunks fails")


def take(store: Store, step: Step) -> None:
    """Run one step of a session; the step is not a restart."""
    match step:
        case ("append", record):
            store.append(record.encode())
        case ("publish", whose):
            store.publish(files_of(whose))
            store.remove_older()
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


def opened(
    folder: Path, disk: Disk = UNSYNCED, followed_generation: int | None = None
) -> tuple[Store, State]:
    """Return a loaded store and its state; fail if that state was never published."""
    store = Store(str(folder), FINGERPRINT, disk)
    stored = store.load(followed_generation)
    if stored is None:
        return store, NOTHING
    files = {name: bytes(data) for name, data in stored.files.items()}
    whose = files["whose"].decode() if files else ""
    assert files == {name: b"".join(pieces) for name, pieces in files_of(whose).items()}
    assert store.log_records == len(stored.records)
    return store, (whose, tuple(stored.records))


def state_of(folder: Path, followed_generation: int | None = None) -> State:
    store, state = opened(folder, followed_generation=followed_generation)
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
    """Check that the store can still publish and log, and removes all other files."""
    store.publish(files_of("Z"))
    store.remove_older()
    store.append(b"z1")
    store.close()
    assert state_of(folder) == ("Z", (b"z1",))
    left = os.listdir(folder / f"v{FORMAT}")
    assert sorted(name[:4] for name in left) == ["gen-", "log-"]
    assert len({name[4:] for name in left}) == 1


def two_generations(folder: Path) -> None:
    """Make an index with two generations, as after a kill between publishing and removing."""
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
    (folder / f"v{FORMAT + 1}" / "gen-00000007").mkdir(parents=True)
    (folder / f"v{FORMAT + 1}" / "gen-00000007" / "manifest.json").write_bytes(b"of a later time")
    (folder / f"v{FORMAT + 1}" / "log-00000007").write_bytes(bytes(range(256)))
