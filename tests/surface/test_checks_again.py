"""What the indexer looks at again without a hint, and when it starts a dead watch again."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.engine.reading.settling import Settling
from clew.surface.indexer.watching import change_hints
from clew.surface.indexer.watching import walker as walker_module
from clew.surface.indexer.watching.change_hints import (
    REVIVE_SECONDS_MAX,
    REVIVE_SECONDS_MIN,
    STEADY_SECONDS,
    Hints,
)
from clew.surface.indexer.watching.walker import ROOT_CHECK_SECONDS, SECOND_CHECK_NS, Walker
from clew.values.vault import Moment
from tests.surface.test_bursts import Clock, Rig

CHECK = vars(Walker)["_check"]  # a rig replaces it


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    rig = Rig(monkeypatch)
    moment = Moment(wall_ns=0, steady_ns=rig.clock.monotonic_ns())
    monkeypatch.setattr(walker_module, "present_moment", lambda: moment)
    monkeypatch.setattr(Walker, "_absorb", lambda *_: None)
    return rig


def test_a_hinted_path_is_checked_a_second_time(rig: Rig) -> None:
    """A writer may go on within the resolution of the file's time."""
    settling = Settling()
    rig.walker.indexer = cast("Any", SimpleNamespace(settling=settling, look_at=lambda *_: ()))
    CHECK(rig.walker, frozenset(("a.md", "b.md")), {"b.md"})
    at_ns = rig.clock.monotonic_ns() + SECOND_CHECK_NS
    assert settling.take_due_checks(at_ns - 1) == set()
    assert settling.take_due_checks(at_ns) == {"a.md"}, "b.md was checked for the second time"
    assert settling.take_due_checks(at_ns + SECOND_CHECK_NS) == set()


def test_unreadable_notes_are_tried_again_every_two_seconds(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rechecked: list[set[str]] = []
    monkeypatch.setattr(Walker, "_check", lambda _, __, recheck: rechecked.append(recheck))
    cast("Any", rig.walker.indexer).unreadable = lambda: {"locked.md"}
    cast("Any", rig.walker.hints).unwatchable = lambda: {"folder\udcff"}
    for _ in range(3):
        rig.walker.run()
        rig.clock.now_s += ROOT_CHECK_SECONDS - 0.1
        rig.walker.statistics.ended_s = rig.clock.now_s
        rig.walker.run()
        rig.clock.now_s += 0.1
    assert rechecked == [{"locked.md", "folder\udcff/."}] * 3


class FakeWatch:
    """A watch that is armed at once, and dies when it is told to."""

    last: "FakeWatch"

    def __init__(self, _: str, __: list[str], ___: int, ____: Any, on_end: Any) -> None:
        self.on_end = on_end
        FakeWatch.last = self

    def start(self, on_armed: Any) -> None:
        on_armed(self)

    def stop(self) -> None:
        """Nothing runs."""


def test_a_dead_watch_is_started_again_with_a_growing_delay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(change_hints, "time", clock)
    monkeypatch.setattr(change_hints, "Watch", FakeWatch)
    hints = Hints("/vault", 50, lambda: None)
    delays_s = []
    for _ in range(12):
        hints.watch({"": (1, 0)})
        assert hints.failure is None
        old, watch = FakeWatch.last, FakeWatch.last
        watch.on_end(watch, "it died")
        delays_s.append(hints.revive_in_s() or 0.0)
        hints.watch({"": (1, 0)})
        assert FakeWatch.last is old, "it is not time yet"
        clock.now_s += delays_s[-1]
    doubled = [min(REVIVE_SECONDS_MAX, REVIVE_SECONDS_MIN * 2**number) for number in range(12)]
    assert delays_s == pytest.approx(doubled)
    hints.watch({"": (1, 0)})
    clock.now_s += STEADY_SECONDS + 1
    FakeWatch.last.on_end(FakeWatch.last, "it died after it ran for long")
    assert hints.revive_in_s() == pytest.approx(REVIVE_SECONDS_MIN)
