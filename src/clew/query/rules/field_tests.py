"""Decide whether a test of a rule holds for the values of a field.

A field may have no value, one, or several (the sources of many items). A test holds if it holds for
one of them; a negated test (``neq``, ``not_contains``, ``not_in``), if it holds for all. A field
without a value fulfils ``not_exists`` and nothing else. Text is compared without letter case.
Values of another kind than the test compares with do not fulfil it.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from clew.text.patterns import BadPattern, found_in
from clew.values.vault import FieldTest

Value: TypeAlias = str | float | bool

_POSITIVE: Mapping[str, str] = {"neq": "eq", "not_contains": "contains", "not_in": "in"}


def holds(test: FieldTest, values: Sequence[Value]) -> bool:
    """Return whether ``test`` holds for a field with these values."""
    if test.op in ("exists", "not_exists"):
        return bool(values) == (test.op == "exists")
    positive = _POSITIVE.get(test.op)
    results = [_compare(positive or test.op, value, test.value) for value in values]
    if positive is None:
        return any(results)
    return bool(results) and all(result is False for result in results)


def _compare(op: str, value: Value, wanted: object) -> bool | None:
    """Return the result of a test that is not negated; ``None`` if the kinds cannot be compared."""
    if op == "eq":
        return _folded(value) == _folded(wanted)
    if op == "in":
        return isinstance(wanted, tuple) and _folded(value) in map(_folded, wanted)
    if op in ("gt", "gte", "lt", "lte"):
        return _compare_order(op, value, wanted)
    if isinstance(value, str) and isinstance(wanted, str):
        return _compare_text(op, value, wanted)
    return None


def _compare_order(op: str, value: Value, wanted: object) -> bool | None:
    kinds = (bool, str, tuple, type(None))
    if isinstance(value, kinds) or isinstance(wanted, kinds):
        return None
    assert isinstance(wanted, int | float)
    if op in ("gt", "gte"):
        return value > wanted or (op == "gte" and value == wanted)
    return value < wanted or (op == "lte" and value == wanted)


def _compare_text(op: str, value: str, wanted: str) -> bool | None:
    if op == "matches":
        try:
            return found_in(wanted, value)
        except BadPattern:
            return None
    text, part = value.casefold(), wanted.casefold()
    if op == "contains":
        return part in text
    return text.startswith(part) if op == "starts_with" else text.endswith(part)


def _folded(value: object) -> object:
    """Return a value as it is compared: numbers by value, and never equal to true or false."""
    if isinstance(value, str):
        return value.casefold()
    return (value,) if isinstance(value, bool) else value
