"""Wait for the first index of a daemon, and show its progress on a terminal."""

import time
from collections.abc import Callable
from typing import Any

from clew.surface.cli.daemon.launching import result_or_none
from clew.surface.cli.output import end_progress, show_progress

MOMENT_S = 2.0  # long enough to read a small vault
_POLL_S = 0.05
_NO_ESTIMATE_S = 1.0  # the speed of the first second says little
_READING, _VECTORS, _CODE = "reading notes", "making vectors", "reading code"

Stage = tuple[str, int, int]  # name of the work, items done, items in all


def wait_until_ready(
    path: str,
    seconds_max: float | None = None,
    *,
    shows: bool = True,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any] | None:
    """Wait until the daemon at a socket has indexed all notes; return its status.

    ``None`` means that it stopped answering, or that ``seconds_max`` have passed.
    """
    began_s = clock()
    stage_name, stage_began_s = "", began_s
    try:
        while (status := result_or_none(path, "status", {})) is not None:
            if status["ready"]:
                return dict(status)
            now_s = clock()
            if seconds_max is not None and now_s - began_s > seconds_max:
                return None
            stage = stage_of(status)
            if stage[0] != stage_name:
                stage_name, stage_began_s = stage[0], now_s
            if shows:
                show_progress(progress_text(stage, now_s - stage_began_s))
            sleep(_POLL_S)
        return None
    finally:
        end_progress()


def stage_of(status: dict[str, Any]) -> Stage:
    """Return the stage that the daemon is at, from its reply to ``status``."""
    indexing = status["indexing"]
    if indexing is not None:
        return _READING, indexing["done"], indexing["total"]
    if status["stages"]["vectors"]["ready"] and not status["stages"]["code"]["ready"]:
        return _CODE, 0, 0
    return _VECTORS, min(status["vectors"], status["chunks"]), status["chunks"]


def progress_text(stage: Stage, seconds: float) -> str:
    """Return a line such as ``reading notes: 1,200 of 9,000, about 12 s left``.

    ``seconds``: the time since the stage began, from which the remaining time is extrapolated.
    """
    name, done, total = stage
    if not total:
        return f"{name} ..."
    text = f"{name}: {done:,} of {total:,}"
    if seconds < _NO_ESTIMATE_S or not 0 < done < total:
        return text
    return f"{text}, about {shown_duration(seconds * (total - done) / done)} left"


def shown_duration(seconds: float) -> str:
    """Return a duration in seconds, from 90 s on in minutes, from 90 minutes on in hours."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"
