"""Queries in slices: generators that pause often, so that other work can be done in between.

A query may take far longer than another client should wait. Its function then yields after each
step of well under a millisecond, and returns the reply at its end. It reads no clock: the caller
decides how many steps to run before it does something else. A snapshot never changes, so it does
not matter how long the pauses are.

A step that takes long and that other queries need too, such as computing the importance of nodes,
is yielded as a function: the caller runs it, perhaps on another thread, before it goes on.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from clew.values.arrays import Int64Array

A = TypeVar("A")
T = TypeVar("T")
SLICE_ROWS = 256  # rows of a list that one step reads

PAUSE: Final = None  # yielded by a step that hands over no function
Slices: TypeAlias = Generator[Callable[[], object] | None, None, T]


def batched(ids: Int64Array) -> Iterator[list[int]]:
    """Split an array of ids into runs for one step each."""
    for start in range(0, len(ids), SLICE_ROWS):
        yield ids[start : start + SLICE_ROWS].tolist()


def mapped(function: Callable[[A], T], values: Iterable[A]) -> Slices[list[T]]:
    """Return the result of ``function`` for each value, in order; pauses after each."""
    results = []
    for value in values:
        results.append(function(value))
        yield PAUSE
    return results


def elsewhere(work: Callable[[], T]) -> Slices[T]:
    """Return the result of ``work``, which the caller may run on another thread."""
    results: list[T] = []
    yield lambda: results.append(work())
    return results[0]


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
