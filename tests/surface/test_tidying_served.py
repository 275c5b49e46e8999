"""Somebody who subscribed hears nothing of a compaction."""

from pathlib import Path

import pytest

from tests.daemons import daemon
from tests.faults.vaults import vault_of, write_at_once
from tests.surface.test_subscribe import Subscriber, uris

PARTS = 600


def long_note(edit: int) -> str:
    """Return a note of so many passages that two edits leave enough dead ones to compact."""
    return "\n\n".join(f"## Part {part}\n\nThe tide at {edit}." for part in range(PARTS))


def generation_of(state: Path) -> str:
    (newest,) = sorted(state.rglob("gen-*"))[-1:]
    return newest.name


@pytest.mark.slow
def test_a_subscriber_sees_no_overflow_over_a_compaction(tmp_path: Path) -> None:
    notes = {"long.md": long_note(0), "b.md": "x\n"}
    with daemon(tmp_path / "h", vault_of(tmp_path / "v", notes)) as running:
        running.ask("sync")
        with Subscriber(running) as client:
            first = generation_of(tmp_path)
            for edit in range(1, 4):
                write_at_once(running.vault / "long.md", long_note(edit))
                told = client.changed()
                assert uris(told) == ([], ["memory://long.md"], [])
                assert not told["overflow"]
            running.until("status", lambda _: generation_of(tmp_path) != first, seconds=60.0)
            write_at_once(running.vault / "b.md", "more\n")
            told = client.changed()
            assert uris(told) == ([], ["memory://b.md"], [])
            assert not told["overflow"]
