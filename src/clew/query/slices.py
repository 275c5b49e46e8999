"""Queries in slices: generators that pause often, so that other work can be done in between.

A query may take far longer than another client should wait. Its function then yields after each
step of well under a millisecond, and returns the reply at its end. It reads no clock: the caller
decides how many steps to run before it does something else. A snapshot never changes, so it does
not matter how long the pauses are.
"""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Slices: TypeAlias = Generator[None, None, T]


def finished(slices: Slices[T]) -> T:
    """Run all slices without a pause; return the result."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            result: T = end.value
            return result
