"""Tables of cases that are one test, since thousands of tests cost more than what they check."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]

_Row = type(pytest.param())


def for_each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each row of a table, and report all rows that fail.

    It takes what ``pytest.mark.parametrize`` takes. Use that one where a row takes long, or where
    each row needs its own fixtures or its own mark.
    """
    columns = [names] if isinstance(names, str) else list(names)
    table = [dict(zip(columns, _cells(row, len(columns)), strict=True)) for row in rows]
    assert table, "a table without rows would check nothing"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def of_all_rows(**more: Any) -> None:
            failures: list[Exception] = []
            for number, cells in enumerate(table):
                try:
                    test(**cells, **more)
                except Exception as failure:  # noqa: BLE001 - raised below
                    failure.add_note(f"row {number}: {cells!r}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(table)} rows fail", failures)

        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in columns]
        of_all_rows.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return of_all_rows

    return decorate


def _cells(row: Any, width: int) -> Sequence[Any]:
    if isinstance(row, _Row):
        assert not row.marks, "a row has no marks of its own"
        return row.values
    return (row,) if width == 1 else row
