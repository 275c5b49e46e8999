"""Pages of a list: a bounded slice, and the cursor to what follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from clew.values.errors import InvalidParams
from clew.values.requests import ListRequest

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A slice of a list of ``total`` rows."""

    rows: Sequence[Row]
    total: int
    cursor: str | None


def page(rows: Sequence[Row], request: ListRequest) -> Page[Row]:
    """Return the slice of ``rows`` that ``request`` asks for.

    Raises:
        InvalidParams: the cursor is not one that an earlier reply gave.
    """
    start = 0
    if request.cursor is not None:
        if not (request.cursor.isascii() and request.cursor.isdecimal()):
            raise InvalidParams("no earlier reply gave this cursor", "cursor")
        start = int(request.cursor[:18])
    end = start + request.limit
    return Page(rows[start:end], len(rows), str(end) if end < len(rows) else None)
