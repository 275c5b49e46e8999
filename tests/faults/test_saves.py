"""The ways in which editors save: the index never shows a wrong state before the new one."""

import mmap
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.daemons import Daemon
from tests.faults import LONG
from tests.faults.vaults import seconds_until, settled_daemon, targets, vault_of

TURNS = 20 if LONG else 3
RIGHT_SECONDS_MAX = 3.0
LINES = "a line of words that makes the note longer\n" * 2_000
EMPTY_SECONDS = 0.7
EMPTY_COUNTS_SECONDS_MIN = 0.9  # most of the second after which a note counts as empty
COUNTS_SECONDS_MAX = 5.0

Seen = tuple[str, ...] | None


def text_of(target: str) -> str:
    """Return a note that links to ``target`` at its beginning and at its end."""
    return f"[[{target}]]\n{LINES}[[{target} end]]\n"


def links_of(target: str) -> Seen:
    return (target, f"{target} end")


def _atomic(place: Path, text: str) -> None:
    aside = place.with_name(".note.md.tmp")
    aside.write_text(text)
    os.replace(aside, place)


def _atomic_with_visible_name(place: Path, text: str) -> None:
    aside = place.with_name("note.md~")
    aside.write_text(text)
    os.replace(aside, place)


def _truncate_and_write(place: Path, text: str) -> None:
    with place.open("w") as file:
        file.flush()
        time.sleep(0.05)
        file.write(text)


def _two_writes(place: Path, text: str) -> None:
    half = len(text) // 2
    with place.open("r+") as file:
        file.write(text[:half])
        file.flush()
        file.write(text[half:])
        file.truncate()


def _two_writes_apart(place: Path, text: str) -> None:
    half = len(text) // 2
    with place.open("r+") as file:
        file.write(text[:half])
        file.flush()
        time.sleep(0.15)
        file.write(text[half:])
        file.truncate()


def _backup_and_write(place: Path, text: str) -> None:
    """Save as vim does: rename the old file, write a new one, remove the old one."""
    backup = place.with_name("note.md~")
    place.rename(backup)
    place.write_text(text)
    backup.unlink()


def _delete_and_create(place: Path, text: str) -> None:
    place.unlink()
    place.write_text(text)


def _mapped(place: Path, text: str) -> None:
    with place.open("r+b") as file:
        file.truncate(len(text))
        with mmap.mmap(file.fileno(), 0) as memory:
            memory[:] = text.encode()
            memory.flush()


def _swap(place: Path, text: str) -> None:
    """Swap the note with another file that contains ``text``."""
    other = place.with_name("other.md")
    other.write_text(text)
    aside = place.with_name(".aside")
    place.rename(aside)
    other.rename(place)
    aside.rename(other)
    other.unlink()


SAVES: dict[str, Callable[[Path, str], None]] = {
    function.__name__.strip("_"): function
    for function in (
        *(_atomic, _atomic_with_visible_name, _truncate_and_write, _two_writes),
        *(_two_writes_apart, _backup_and_write, _delete_and_create, _mapped, _swap),
    )
}
# During these, a note is really missing, or half old and half new.
ABSENT_MEANWHILE = {"backup_and_write", "delete_and_create", "swap"}
MIXED_MEANWHILE = {"two_writes_apart", "two_writes", "mapped"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("d")
    with settled_daemon(home / "h", vault_of(home / "v", {"note.md": text_of("0")})) as started:
        yield started


def check_save(running: Daemon, save: Callable[[], None], target: str, allowed: set[Seen]) -> None:
    """Assert that a save is noticed, and that the note never has links other than ``allowed``."""
    seen: set[Seen] = set()

    def is_right() -> bool:
        found = targets(running, "note.md")
        seen.add(found)
        return found == links_of(target)

    with ThreadPoolExecutor(1) as pool:
        saving = pool.submit(save)
        while not saving.done():
            is_right()
        saving.result()
        took_s = seconds_until(is_right, RIGHT_SECONDS_MAX)
    assert took_s <= RIGHT_SECONDS_MAX, f"{targets(running, 'note.md')} at the end"
    assert seen <= allowed, f"{seen - allowed} was never a saved state"
    # A file that went away counts a moment longer, because it may come back under another name.
    assert running.ask("status", waitFresh=True)["notes"] == 1


@pytest.mark.parametrize("save", SAVES)
def test_a_save_ends_in_the_right_state(running: Daemon, save: str) -> None:
    for turn in range(TURNS):
        before = targets(running, "note.md", waitFresh=True)
        after = f"{save} {turn}"
        allowed = {before, links_of(after)}
        if save in ABSENT_MEANWHILE:
            allowed.add(None)
        if save in MIXED_MEANWHILE and before is not None:
            allowed |= {(before[0], f"{after} end"), (after, before[-1]), (after,), before[:1]}
        saving = partial(SAVES[save], running.vault / "note.md", text_of(after))
        check_save(running, saving, after, allowed)


def test_a_renamed_note_is_one_change(running: Daemon) -> None:
    place = running.vault / "note.md"
    place.write_text(text_of("to be moved"))
    targets(running, "note.md", waitFresh=True)
    before = running.ask("status")["revision"]
    place.rename(running.vault / "moved.md")
    running.until("why", lambda r: r["state"] == "indexed", uri="memory://moved.md")
    status = running.ask("status")
    (running.vault / "moved.md").rename(place)
    running.until("why", lambda r: r["state"] == "indexed", uri="memory://note.md")
    assert (status["notes"], status["revision"]) == (1, before + 1)


def test_a_write_that_the_system_does_not_report_is_seen_with_wait_fresh(
    running: Daemon,
) -> None:
    place = running.vault / "note.md"
    place.write_text(text_of("silence 000"))
    assert targets(running, "note.md", waitFresh=True) == links_of("silence 000")
    with place.open("r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    with memory:  # no descriptor for writing is open any more
        for turn in range(1, TURNS + 1):
            memory[:] = text_of(f"silence {turn:03}").encode()
            memory.flush()
            found = targets(running, "note.md", waitFresh=True)
            assert found == links_of(f"silence {turn:03}")


def content(running: Daemon) -> str:
    return str(running.ask("read", uri="memory://note.md")["content"])


def test_a_note_empty_for_a_moment_is_never_seen_empty(running: Daemon) -> None:
    place = running.vault / "note.md"
    place.write_text(text_of("full"))
    assert targets(running, "note.md", waitFresh=True) == links_of("full")
    for _ in range(TURNS):
        emptied_s = time.monotonic()
        place.write_text("")
        allowed = {links_of("full")}
        while time.monotonic() < emptied_s + EMPTY_SECONDS:
            is_full = targets(running, "note.md") and content(running)
            since_s = time.monotonic() - emptied_s
            assert is_full or since_s > EMPTY_COUNTS_SECONDS_MIN, f"empty after {since_s:.2f} s"

        def fill(emptied_s: float = emptied_s, allowed: set[Seen] = allowed) -> None:
            _atomic(place, text_of("full"))
            if time.monotonic() - emptied_s > EMPTY_COUNTS_SECONDS_MIN:
                allowed.add(())  # The machine was too slow, and the note really counts as empty.

        check_save(running, fill, "full", allowed)


def test_a_note_that_stays_empty_counts_as_empty(running: Daemon) -> None:
    place = running.vault / "note.md"
    place.write_text(text_of("full"))
    assert targets(running, "note.md", waitFresh=True) == links_of("full")
    place.write_text("")
    took_s = seconds_until(lambda: targets(running, "note.md") == (), COUNTS_SECONDS_MAX)
    assert took_s <= COUNTS_SECONDS_MAX, "still as it was before it was emptied"
    assert content(running) == ""
