"""The indexer releases what changes read of the saved index, at most once a minute."""

from clew.surface.indexer.background.releasing import RELEASE_SECONDS, PageReleases


class Releases:
    """Releases of pages by a clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s, self.count = 0.0, 0
        self.pages = PageReleases(self._release, lambda: self.now_s)

    def _release(self) -> None:
        self.count += 1


def test_pages_are_released_some_time_after_a_change() -> None:
    releases = Releases()
    assert releases.pages.due_in_s(0) is None
    assert releases.pages.due_in_s(1) == RELEASE_SECONDS
    releases.pages.settle(1)
    assert releases.count == 0
    releases.now_s = 2 * RELEASE_SECONDS
    assert releases.pages.due_in_s(1) == 0.0
    releases.pages.settle(1)
    assert releases.count == 1
    assert releases.pages.due_in_s(1) is None


def test_many_changes_release_pages_once_a_minute() -> None:
    releases = Releases()
    for second in range(int(10 * RELEASE_SECONDS)):
        releases.now_s = float(second)
        releases.pages.settle(second)
    assert releases.count == 9
    releases.now_s += RELEASE_SECONDS
    releases.pages.settle(second)
    assert releases.count == 10
