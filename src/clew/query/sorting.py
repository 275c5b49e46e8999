"""Sort the rows of a long list in slices."""

import heapq
from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeVar

from clew.query.paging import Page, page_at, start_of
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.values.requests import ListRequest

Row = TypeVar("Row", bound=Any)  # rows can be compared


def sorted_page(rows: Iterable[Row], request: ListRequest) -> Slices[Page[Row]]:
    """Return the page of the sorted ``rows`` that starts at the cursor of ``request``.

    Raises:
        InvalidParams: the cursor does not look like one from a reply.
    """
    start = start_of(request)
    first, total = yield from first_sorted(rows, start + request.limit)
    return page_at(start, first[start:], total)


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
