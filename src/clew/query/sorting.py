"""Sort the rows of a long list in slices."""

import heapq
from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeVar

from clew.query.cursors import last_key
from clew.query.paging import Page, keyed_page
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.values.requests import ListRequest

Row = TypeVar("Row", bound=Any)  # rows can be compared
Key = TypeVar("Key", bound=tuple[Any, ...])


def sorted_page(rows: Iterable[Key], request: ListRequest, kind: type[Key]) -> Slices[Page[Key]]:
    """Return the page of the sorted ``rows`` that ``request`` asks for.

    ``rows``: in any order, no two equal, each of type ``kind``.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
    """
    last = last_key(request, kind)
    later, start, unread = [], 0, iter(rows)
    while run := list(islice(unread, SLICE_ROWS)):
        kept = run if last is None else [row for row in run if row > last]
        start += len(run) - len(kept)
        later += kept
        yield PAUSE
    first, count = yield from first_sorted(later, request.limit)
    return keyed_page(first, start, start + count, request, lambda row: row)


def first_sorted(rows: Iterable[Row], most: int) -> Slices[tuple[list[Row], int]]:
    """Return the ``most`` smallest rows, in order, and how many rows there are in all."""
    runs: list[list[Row]] = []
    total, unread = 0, iter(rows)
    while run := sorted(islice(unread, SLICE_ROWS)):
        total += len(run)
        runs.append(run)
        yield PAUSE
    first: list[Row] = []
    for row in islice(heapq.merge(*runs), most):
        first.append(row)
        if len(first) % SLICE_ROWS == 0:
            yield PAUSE
    return first, total
