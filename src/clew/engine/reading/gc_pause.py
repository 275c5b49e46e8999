"""Pausing the garbage collector while many long-lived objects are made.

Modules are such objects too: collections would take a fifth of the time to load a process.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MANY_NOTES = 1_000


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cycle collector, and exclude all objects so far from later collections.

    They live long, so scanning them again and again would be wasted time.
    """
    with collector_paused_for(_MANY_NOTES + 1):
        yield


@contextmanager
def collector_paused_for(note_count: int) -> Iterator[None]:
    """Pause the cycle collector; only after a large batch, exclude all objects from later ones."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if note_count > _MANY_NOTES:
            gc.freeze()
        if was_enabled:
            gc.enable()
