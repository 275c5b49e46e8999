"""Paging: the rows of one page of a list, and the cursor of the next page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from clew.values.errors import InvalidParams
from clew.values.requests import ListRequest

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """One page of a list of ``total`` rows."""

    rows: Sequence[Row]
    total: int
    cursor: str | None  # cursor of the next page; None on the last page


def page(rows: Sequence[Row], request: ListRequest) -> Page[Row]:
    """Return the page of ``rows`` that starts at the cursor of ``request``.

    Raises:
        InvalidParams: the cursor does not look like one from a reply.
    """
    start = start_of(request)
    return page_at(start, rows[start : start + request.limit], len(rows))


def start_of(request: ListRequest) -> int:
    """Return the number of rows before the page that ``request`` asks for.

    Raises:
        InvalidParams: the cursor does not look like one from a reply.
    """
    if request.cursor is None:
        return 0
    if not (request.cursor.isascii() and request.cursor.isdecimal()):
        raise InvalidParams("the cursor must be one from an earlier reply", "cursor")
    return int(request.cursor[:18])


def page_at(start: int, rows: Sequence[Row], total: int) -> Page[Row]:
    """Return the page of ``rows``, which follow ``start`` others in a list of ``total`` rows."""
    end = start + len(rows)
    return Page(rows, total, str(end) if rows and end < total else None)
