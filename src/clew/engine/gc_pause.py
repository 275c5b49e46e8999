"""The interpreter's cycle collector, while much is made that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY_NOTES = 1_000


@contextmanager
def collector_paused(note_count: int) -> Iterator[None]:
    """Keep the cycle collector from walking over all that is known while more of it is made.

    What a large batch made stays, so it is never looked at again.
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
