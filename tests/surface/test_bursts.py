"""How long the indexer waits for the end of a burst of hints."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.engine.reading.settling import Settling
from clew.surface.indexer.watching import walker as walker_module
from clew.surface.indexer.watching.bursts import QUIET_S, SECONDS_MAX, Burst
from clew.surface.indexer.watching.walker import SAVED_MAX, Walker
from clew.values.ipc import WalkRequest
from tests.tables import for_each_row

STEP_S = QUIET_S / 2
ROUNDING_S = 1e-6  # of sums
LONG = [number * STEP_S for number in range(1 + round(2 * SECONDS_MAX / STEP_S))]


@for_each_row(
    ("hinted_at_s", "now_s", "left_s"),
    [
        ([], 0.0, 0.0),
        ([0.0], 0.0, QUIET_S),
        ([0.0], STEP_S, QUIET_S - STEP_S),
        ([0.0], 2 * QUIET_S, 0.0),
        ([0.0, STEP_S], STEP_S, QUIET_S),
        ([0.0, STEP_S, 5.0], 5.0, 0.0),  # it is not followed yet, as the indexer was busy
        ([t for t in LONG if t < SECONDS_MAX], SECONDS_MAX - STEP_S / 2, STEP_S / 2),
        (LONG, LONG[-1], 0.0),  # it goes on for longer than it is waited for
    ],
)
def test_a_burst_is_waited_for_until_it_is_quiet_and_not_for_long(
    hinted_at_s: Sequence[float], now_s: float, left_s: float
) -> None:
    burst = Burst()
    for at_s in hinted_at_s:
        burst.go_on(at_s)
    assert abs(burst.left_s(now_s) - left_s) < ROUNDING_S


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def monotonic(self) -> float:
        return self.now_s

    def monotonic_ns(self) -> int:
        return round(self.now_s * 1e9)


class Rig:
    """A walker whose checks and walks are recorded, and the hints that it gets next."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hinted, self.has_overflowed = frozenset[str](), False
        self.checked: list[frozenset[str]] = []
        self.walks = 0
        self.clock = Clock()
        monkeypatch.setattr(walker_module, "time", self.clock)
        monkeypatch.setattr(Walker, "_check", lambda _, paths, __: self.checked.append(paths))
        monkeypatch.setattr(Walker, "walk", lambda walker, **_: self._walk(walker))
        indexer = SimpleNamespace(
            settling=Settling(), unreadable=set, root=SimpleNamespace(is_there=lambda: True)
        )
        hints = SimpleNamespace(take=self._take, unwatchable=set, rearm=lambda: None, failure=None)
        nothing: Any = None
        self.walker = Walker(
            link=nothing,
            indexer=cast("Any", indexer),
            publisher=nothing,
            saving=nothing,
            hints=cast("Any", hints),
            walk_seconds=None,
            receive=nothing,
            on_vault_lost=nothing,
            on_change=nothing,
        )
        self.walker.statistics.ended_s = self.clock.now_s

    def hint(self, count: int, *, has_overflowed: bool = False) -> frozenset[str]:
        """Let so many hints come; return them."""
        paths = frozenset(f"{self.clock.now_s}/{number}.md" for number in range(count))
        self.hinted, self.has_overflowed = paths, has_overflowed
        self.walker.run()
        return paths

    def _take(self) -> tuple[frozenset[str], bool]:
        taken = self.hinted, self.has_overflowed
        self.hinted, self.has_overflowed = frozenset(), False
        return taken

    def _walk(self, walker: Walker) -> None:
        walker.distrusts_hints = False
        self.walks += 1


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch)


def test_few_hints_are_followed_at_once(rig: Rig) -> None:
    assert rig.checked == [rig.hint(SAVED_MAX)]


def test_the_hints_of_a_burst_are_followed_together_once_it_is_quiet(rig: Rig) -> None:
    paths = frozenset[str]()
    for _ in range(3):
        rig.clock.now_s += STEP_S
        paths |= rig.hint(SAVED_MAX + 1)
        assert 0 < rig.walker.due_in_s() <= QUIET_S + ROUNDING_S
    rig.clock.now_s += QUIET_S / 2
    paths |= rig.hint(1)
    assert rig.checked == []
    rig.clock.now_s += QUIET_S
    assert rig.walker.due_in_s() == 0
    rig.walker.run()
    assert rig.checked == [paths]


def test_a_walk_follows_a_burst_of_too_many_hints(rig: Rig) -> None:
    rig.hint(0, has_overflowed=True)
    assert (rig.walks, rig.checked) == (0, [])
    assert 0 < rig.walker.due_in_s() <= QUIET_S + ROUNDING_S
    rig.clock.now_s += 2 * QUIET_S
    assert rig.walker.due_in_s() == 0
    rig.walker.run()
    assert (rig.walks, rig.checked) == (1, [])


def test_a_request_does_not_wait_for_the_end_of_a_burst(rig: Rig) -> None:
    rig.hint(SAVED_MAX + 1)
    rig.walker.requests.add(WalkRequest(1, full=False, paths=("a.md",)))
    assert rig.walker.due_in_s() == 0
    rig.walker.run()
    assert len(rig.checked) == 1


def test_a_burst_that_is_seen_at_long_intervals_is_followed_after_a_second(rig: Rig) -> None:
    """Such as while the indexer makes vectors between two looks at the hints."""
    steps = round(SECONDS_MAX / QUIET_S)
    for _ in range(steps):
        rig.clock.now_s += 1.5 * QUIET_S
        rig.hint(SAVED_MAX + 1)
    assert rig.checked


def test_each_second_of_a_long_burst_is_followed_together(rig: Rig) -> None:
    for _ in LONG:
        rig.clock.now_s += STEP_S
        rig.hint(SAVED_MAX + 1)
    assert 0 < len(rig.checked) <= LONG[-1] / SECONDS_MAX


def test_a_followed_burst_keeps_no_later_check_waiting(rig: Rig) -> None:
    rig.hint(SAVED_MAX + 1)
    rig.walker.requests.add(WalkRequest(1, full=False, paths=("a.md",)))
    rig.walker.run()
    rig.walker.requests.begin_walk()
    rig.walker.requests.refusals("")  # so that no request waits
    rig.walker.indexer.settling.check_at("a.md", rig.clock.monotonic_ns())
    assert rig.walker.due_in_s() == 0
    rig.walker.run()
    assert len(rig.checked) == 2


def test_a_request_whose_note_is_still_written_does_not_wait_for_a_burst(rig: Rig) -> None:
    rig.walker.requests.add(WalkRequest(1, full=False, paths=("a.md",)))
    rig.walker.requests.begin_walk()
    rig.walker.requests.end_walk(frozenset({("a.md", 1)}))
    paths = rig.hint(SAVED_MAX + 1)
    assert rig.checked == [paths]
