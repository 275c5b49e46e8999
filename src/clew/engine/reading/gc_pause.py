"""Pausing the garbage collector while many long-lived objects are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY_NOTES = 1_000


@contextmanager
def collector_paused(note_count: int) -> Iterator[None]:
    """Pause the cycle collector; after a large batch, exclude all objects from later collections.

    Indexed notes live long, so scanning them again and again would be wasted time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if note_count > MANY_NOTES:
            gc.freeze()
        if was_enabled:
            gc.enable()
