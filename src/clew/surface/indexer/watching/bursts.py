"""Bursts of hints, as of a checkout: their notes are read together, once the burst has ended.

Else the first few hundred notes would be a round of their own, for which the whole index is
written, while the other notes wait for this.
"""

from dataclasses import dataclass

QUIET_S = 0.1  # a burst has ended after so long without many hints at once; twice a debounce
SECONDS_MAX = 1.0  # the longest wait for the end of a burst


@dataclass(slots=True)
class Burst:
    """The burst whose hints are not followed yet, if any; its times are on the monotonic clock."""

    _began_s: float | None = None
    _latest_s: float = 0.0  # when many hints came last

    def go_on(self, now_s: float) -> None:
        """Record that many hints came at once, which begins a burst if none is going on."""
        if self._began_s is None:
            self._began_s = now_s
        self._latest_s = now_s

    def left_s(self, now_s: float) -> float:
        """Return for how many seconds to wait for the end of the burst; 0 if there is none."""
        if self._began_s is None:
            return 0.0
        end_s = min(self._latest_s + QUIET_S, self._began_s + SECONDS_MAX)
        return max(0.0, end_s - now_s)

    def end(self) -> None:
        """Record that all hints so far are followed now; later ones begin another burst."""
        self._began_s = None
