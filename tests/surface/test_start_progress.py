"""``clew start --wait`` shows how far the first index is."""

from typing import TYPE_CHECKING, Any

import pytest

from clew.surface.cli.daemon import progress
from clew.surface.cli.daemon.progress import (
    progress_text,
    shown_duration,
    stage_of,
    wait_until_ready,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def _status(done: int | None, vectors: int = 0, *, ready: bool = False) -> dict[str, Any]:
    indexing = None if done is None else {"done": done, "total": 1000}
    made = {"ready": vectors == 4000}
    counts = {"vectors": vectors, "chunks": 4000}
    return {
        "ready": ready,
        "indexing": indexing,
        "stages": {"vectors": made, "code": {"ready": False}},
        **counts,
    }


@pytest.mark.parametrize(
    ("stage", "seconds", "text"),
    [
        (("reading notes", 0, 0), 5.0, "reading notes ..."),
        (("reading notes", 0, 9000), 5.0, "reading notes: 0 of 9,000"),
        (("reading notes", 1200, 9000), 0.5, "reading notes: 1,200 of 9,000"),
        (("reading notes", 1000, 9000), 2.0, "reading notes: 1,000 of 9,000, about 16 s left"),
        (("making vectors", 10, 10), 9.0, "making vectors: 10 of 10"),
    ],
)
def test_the_time_left_follows_from_the_speed_so_far(
    stage: tuple[str, int, int], seconds: float, text: str
) -> None:
    assert progress_text(stage, seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h")],
)
def test_durations_have_one_unit(seconds: float, text: str) -> None:
    assert shown_duration(seconds) == text


def test_vectors_are_made_after_all_notes_are_read() -> None:
    assert stage_of(_status(10)) == ("reading notes", 10, 1000)
    assert stage_of(_status(None, 30)) == ("making vectors", 30, 4000)
    assert stage_of(_status(None, 5000)) == ("making vectors", 4000, 4000)  # names have some too
    assert stage_of(_status(None, 4000)) == ("reading code", 0, 0)


class _Daemon:
    """Answers ``status`` as if one second passed between two requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *replies: dict[str, Any] | None) -> None:
        self.shown: list[str] = []
        self.now_s = 0.0
        self._replies: Iterator[dict[str, Any] | None] = iter(replies)
        monkeypatch.setattr(progress, "result_or_none", lambda *_: next(self._replies))
        monkeypatch.setattr(progress, "show_progress", self.shown.append)
        monkeypatch.setattr(progress, "end_progress", lambda: self.shown.append("(cleared)"))

    def wait(self, seconds_max: float | None = None) -> dict[str, Any] | None:
        def sleep(_: float) -> None:
            self.now_s += 1.0

        return wait_until_ready("/s", seconds_max, clock=lambda: self.now_s, sleep=sleep)


def test_each_stage_is_timed_for_itself_and_the_line_is_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = _status(None, 4000, ready=True)
    daemon = _Daemon(
        monkeypatch, _status(0), _status(500), _status(None, 0), _status(None, 1000), done
    )
    assert daemon.wait() == done
    assert daemon.shown == [
        "reading notes: 0 of 1,000",
        "reading notes: 500 of 1,000, about 1 s left",
        "making vectors: 0 of 4,000",
        "making vectors: 1,000 of 4,000, about 3 s left",
        "(cleared)",
    ]


def test_waiting_ends_when_the_daemon_ends_or_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _Daemon(monkeypatch, _status(0), None).wait() is None
    slow = _Daemon(monkeypatch, *[_status(1)] * 9)
    assert slow.wait(seconds_max=3.0) is None
    assert slow.now_s == 4.0
