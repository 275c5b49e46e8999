"""Which files the config says are private."""

import re
from collections.abc import Callable, Sequence

from clew.vault.ignore import path_matcher


def private_by_path(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a path matches the gitignore ``patterns``, as a function.

    Raises:
        ValueError: a pattern is malformed; the message names it.
    """
    if not patterns:
        return lambda _: False
    for pattern in patterns:
        try:
            path_matcher([pattern])
        except (ValueError, re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"{pattern!r} is not a gitignore pattern: {error}") from error
    return path_matcher(patterns)
