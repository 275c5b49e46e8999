"""Background work pauses after steps that had to wait for a processor."""

import pytest

from clew.surface.indexer.background.pauses import PAUSE_SECONDS_MAX, PAUSE_SHARE, Pauses, waited_s


class Clocks:
    """A clock, and the wait for a processor so far, both set by hand."""

    def __init__(self) -> None:
        self.now_s = self.waited_s = 0.0
        self.pauses = Pauses(lambda: self.waited_s, lambda: self.now_s)

    def step(self, ran_s: float, waited_s: float) -> None:
        with self.pauses.after_step():
            self.now_s += ran_s + waited_s
            self.waited_s += waited_s


@pytest.mark.parametrize("waited", [0.0, 0.001, 0.01, 1.0])
def test_a_pause_is_as_long_as_the_wait_demands_and_bounded(waited: float) -> None:
    clocks = Clocks()
    clocks.step(0.02, waited)
    pause_s = min(PAUSE_SHARE * waited, PAUSE_SECONDS_MAX)
    assert clocks.pauses.left_s == pytest.approx(pause_s)
    clocks.now_s += pause_s / 2
    assert clocks.pauses.left_s == pytest.approx(pause_s / 2)
    clocks.now_s += pause_s
    assert clocks.pauses.left_s == 0.0


def test_a_step_that_did_not_wait_ends_the_pause() -> None:
    clocks = Clocks()
    clocks.step(0.02, 1.0)
    clocks.step(0.02, 0.0)
    assert clocks.pauses.left_s == 0.0


def test_the_wait_for_a_processor_never_falls() -> None:
    counts = [waited_s() for _ in range(100)]
    assert counts == sorted(counts)
