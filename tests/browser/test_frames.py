"""2,000 concepts and 6,000 edges move at 30 frames a second or more, without a GPU.

That holds on a usual machine. One where fresh memory is slow is given as much more time. Tests that
run at the same time would slow the frames, so ``make browser`` runs these by themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.browser.conftest import Library
from tests.browser.opened import Opened, Reader
from tests.pace import memory_slowness
from tests.webpages import large

FRAMES_PER_S_MIN = 30
ATTEMPTS_MAX = 3
BLOCKED_MS_MAX = 400  # the longest frame while the layout settles
MOTION = Reader(motion="no-preference")


@dataclass(frozen=True, slots=True)
class Frames:
    """Times between frames, in milliseconds, the shortest first."""

    times_ms: list[float]

    def per_s(self) -> float:
        """Return the frames a second, as a machine with usual memory would show them."""
        return 1000 * len(self.times_ms) / sum(self.times_ms) * memory_slowness()

    def longest_ms(self) -> float:
        """Return the longest frame, as it would be on a machine with usual memory."""
        return self.times_ms[-1] / memory_slowness()

    def __str__(self) -> str:
        times = self.times_ms
        median, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        return (
            f"{len(times)} frames, {self.per_s():.1f} a second; "
            f"median {median:.1f} ms, p95 {p95:.1f} ms, longest {times[-1]:.1f} ms"
        )


def frames(opened: Opened, layout: str) -> Frames:
    """Return the frames since the last call that began while ``layout`` was the page's state."""
    found = opened.run("() => frames_.splice(0)")
    return Frames(sorted(float(time) for time, state in found if state == layout))


def best(name: str, measure: Callable[[], Frames]) -> Frames:
    """Return the best of a few measurements: other programs can only make frames slower."""
    found = []
    for _ in range(ATTEMPTS_MAX):
        found.append(measure())
        print(f"{name}: {found[-1]}")  # noqa: T201
        if found[-1].per_s() >= FRAMES_PER_S_MIN and found[-1].longest_ms() < BLOCKED_MS_MAX:
            return found[-1]
    return max(found, key=Frames.per_s)


def test_the_layout_settles_without_stopping_the_page(library: Library) -> None:
    def measure() -> Frames:
        opened = library.open(large(2000, 6000), MOTION).settled()
        seen = frames(opened, "settling")
        opened.close()  # so that it slows no other page
        return seen

    seen = best("settling", measure)
    assert len(seen.times_ms) > 30, str(seen)
    assert seen.per_s() >= FRAMES_PER_S_MIN, str(seen)
    assert seen.longest_ms() < BLOCKED_MS_MAX, str(seen)


def test_the_map_pans_smoothly(library: Library) -> None:
    opened = library.open(large(2000, 6000), MOTION).settled()

    def measure() -> Frames:
        frames(opened, "settled")
        opened.page.mouse.move(700, 400)
        opened.page.mouse.down()
        for at in range(120):
            opened.page.mouse.move(700 + 2 * at, 400 + (at % 20) * 5)
            opened.page.wait_for_timeout(16)
        opened.page.mouse.up()
        return frames(opened, "settled")

    seen = best("panning", measure)
    assert seen.per_s() >= FRAMES_PER_S_MIN, str(seen)


def test_the_map_zooms_smoothly(library: Library) -> None:
    opened = library.open(large(2000, 6000), MOTION).settled()
    opened.page.mouse.move(760, 400)

    def measure() -> Frames:
        frames(opened, "settled")
        for at in range(100):
            opened.page.mouse.wheel(0, -50 if at < 50 else 50)
            opened.page.wait_for_timeout(20)
        return frames(opened, "settled")

    seen = best("zooming", measure)
    assert seen.per_s() >= FRAMES_PER_S_MIN, str(seen)


def test_pointing_along_the_map_is_smooth(library: Library) -> None:
    opened = library.open(large(2000, 6000), MOTION).settled()

    def measure() -> Frames:
        frames(opened, "settled")
        for at in range(100):
            opened.page.mouse.move(450 + 5 * at, 300 + (at % 30) * 6)
            opened.page.wait_for_timeout(16)
        return frames(opened, "settled")

    seen = best("pointing", measure)
    assert seen.per_s() >= FRAMES_PER_S_MIN, str(seen)
