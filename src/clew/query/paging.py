"""Paging: the rows of one page of a list, and the cursor of the next page."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, NamedTuple, TypeVar

from clew.query.cursors import cursor_after, last_key, outdated
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.values.requests import ListRequest

Row = TypeVar("Row")
_RANKED_DIGEST_BYTES = 7


class _Ranked(NamedTuple):
    """A place in a ranking: the number of rows on the pages so far, and a digest of them."""

    shown: int
    digest: int


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """One page of a list of ``total`` rows, after the first ``start``."""

    rows: Sequence[Row]
    start: int
    total: int
    cursor: str | None  # cursor of the next page; None on the last page


def page(
    rows: Sequence[Row],
    request: ListRequest,
    key_of: Callable[[Row], tuple[Any, ...]],
    kind: type[tuple[Any, ...]],
) -> Page[Row]:
    """Return the page of the whole list ``rows`` that ``request`` asks for.

    ``rows`` are sorted by ``key_of``, whose keys are of type ``kind``. Rows may have equal keys.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
    """
    last = last_key(request, tuple[kind, int])  # type: ignore[valid-type]
    start = 0
    if last is not None:
        key, count = last
        first = bisect_left(rows, key, key=key_of)
        start = min(first + count, bisect_right(rows, key, lo=first, key=key_of))
    shown = rows[start : start + request.limit]
    end = start + len(shown)
    if not shown or end == len(rows):
        return Page(shown, start, len(rows), None)
    key = key_of(shown[-1])
    same_key_count = end - bisect_left(rows, key, key=key_of)  # on this page or earlier ones
    return Page(shown, start, len(rows), cursor_after(request, (key, same_key_count)))


def keyed_page(
    rows: Sequence[Row],
    start: int,
    total: int,
    request: ListRequest,
    key_of: Callable[[Row], tuple[Any, ...]],
    now_s: float | None = None,
) -> Page[Row]:
    """Return the page of ``rows``, which follow ``start`` others in a list of ``total`` rows.

    ``now_s``: the moment at which ages were computed, if the order of the rows depends on it.
    """
    has_more = bool(rows) and start + len(rows) < total
    cursor = cursor_after(request, key_of(rows[-1]), now_s) if has_more else None
    return Page(rows, start, total, cursor)


def rows_before(request: ListRequest) -> int:
    """Return how many rows of a ranking the earlier pages had.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
    """
    last = last_key(request, _Ranked)
    return 0 if last is None else last.shown


def ranked_page(
    ranking: Sequence[Row],
    total: int,
    request: ListRequest,
    name_of: Callable[[Row], str],
    now_s: float,
) -> Slices[Page[Row]]:
    """Return the page that ``request`` asks for of ``ranking``, which begins with the best row.

    The scores of a ranking depend on all notes, so a key says nothing about the place of a row
    after a change. The rows of earlier pages must still be the first ones, in any order.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave, or the first rows
            are other ones now.
    """
    last, start = last_key(request, _Ranked), rows_before(request)
    digest = yield from _digest(ranking[:start], name_of, 0)
    if last is not None and (len(ranking) < start or digest != last.digest):
        raise outdated("the notes have changed, and with them which are the best")
    shown = ranking[start : start + request.limit]
    digest = yield from _digest(shown, name_of, digest)
    key = _Ranked(start + len(shown), digest)
    return keyed_page(shown, start, total, request, lambda _: key, now_s)


def _digest(rows: Sequence[Row], name_of: Callable[[Row], str], digest: int) -> Slices[int]:
    """Add ``rows`` to the digest of other rows and return it; their order makes no difference."""
    for number, row in enumerate(rows):
        name = name_of(row).encode("utf-8", "surrogatepass")
        digest ^= int.from_bytes(blake2b(name, digest_size=_RANKED_DIGEST_BYTES).digest())
        if number % SLICE_ROWS == 0:
            yield PAUSE
    return digest
