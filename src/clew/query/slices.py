"""Queries in slices: generators that pause often, so that other work can be done in between.

A query may take far longer than another client should wait. Its function then yields after each
step of well under a millisecond, and returns the reply at its end. It reads no clock: the caller
decides how many steps to run before it does something else. A snapshot never changes, so it does
not matter how long the pauses are.

A step that takes long and that other queries need too, such as counting the vocabulary, is yielded
as a function: the caller runs it, perhaps on another thread, before it goes on.
"""

from collections.abc import Callable, Generator
from typing import Final, TypeAlias, TypeVar

T = TypeVar("T")

PAUSE: Final = None  # what is yielded where there is no such work
Slices: TypeAlias = Generator[Callable[[], None] | None, None, T]


def finished(slices: Slices[T]) -> T:
    """Run all slices without a pause; return the result."""
    while True:
        try:
            work = next(slices)
        except StopIteration as end:
            result: T = end.value
            return result
        if work is not None:
            work()
