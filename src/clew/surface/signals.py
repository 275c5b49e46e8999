"""Handlers for SIGTERM and SIGINT that a daemon sets before it does anything else.

A signal that arrives while the daemon is still starting is recorded, and handled as soon as the
daemon can shut down cleanly. This module imports little, because it is loaded first.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class EndSignals:
    """Records whether a signal to end has arrived, and calls a callback when one arrives."""

    def __init__(self) -> None:
        self._arrived = False
        self._callback: Callable[[], object] | None = None

    def listen(self) -> None:
        """Record the signals from now on; must be called on the main thread."""
        for number in END_SIGNALS:
            signal.signal(number, self._record)

    def ignore(self) -> None:
        """Ignore the signals from now on.

        Called when the daemon has shut down: Python restores the default handlers as it exits, and
        a late signal would then change the exit status.
        """
        for number in END_SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Iterator[None]:
        """Call ``callback`` on each signal within the block; at once if one arrived before."""
        self._callback = callback
        try:
            if self._arrived:
                callback()
            yield
        finally:
            self._callback = None

    def _record(self, _: int, __: FrameType | None) -> None:
        self._arrived = True
        if self._callback is not None:
            self._callback()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT, so that processes started within the block inherit the blocked signal.

    A terminal sends Ctrl-C to the daemon and to its children; the daemon ends its children itself.
    A SIGINT that arrives within the block is delivered to this process after it.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
