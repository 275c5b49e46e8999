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
    start = 0
    if request.cursor is not None:
        if not (request.cursor.isascii() and request.cursor.isdecimal()):
            raise InvalidParams("the cursor must be one from an earlier reply", "cursor")
        start = int(request.cursor[:18])
    end = start + request.limit
    return Page(rows[start:end], len(rows), str(end) if end < len(rows) else None)
