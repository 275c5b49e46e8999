"""Pausing the garbage collector while many long-lived objects are made.

Modules are such objects too: collections would take a fifth of the time to load a process.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY_NOTES = 1_000  # so many are worth excluding from later collections


@contextmanager
def collector_paused(*, freezes: bool = True) -> Iterator[None]:
    """Pause the cycle collector; ``freezes``: exclude all objects so far from later collections.

    They live long, so scanning them again and again would be wasted time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if freezes:
            gc.freeze()
        if was_enabled:
            gc.enable()
