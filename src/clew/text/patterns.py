"""Regular expressions that RE2 searches for: in time proportional to pattern and text."""

from functools import lru_cache
from typing import Any

import re2

PATTERN_CHARACTERS_MAX = 1_000
_MEMORY_BYTES_MAX = 256 * 1024  # of one compiled pattern and its search
_COMPILED_MAX = 256


class BadPattern(ValueError):
    """A pattern that is not used; the message says why."""


def found_in(pattern: str, text: str) -> bool:
    """Return whether ``pattern`` matches anywhere in ``text``; letter case does not matter.

    Raises:
        BadPattern: it is no regular expression of RE2, or too long or large.
    """
    return compiled(pattern).search(text.encode("utf-8", "replace")) is not None


@lru_cache(maxsize=_COMPILED_MAX)
def compiled(pattern: str, *, heeds_case: bool = False) -> Any:
    """Return a pattern that a user wrote, to be searched for in UTF-8.

    Letter case does not matter unless ``heeds_case`` is true.

    Raises:
        BadPattern: it is no regular expression of RE2, or too long or large.
    """
    if len(pattern) > PATTERN_CHARACTERS_MAX:
        raise BadPattern(f"longer than {PATTERN_CHARACTERS_MAX} characters")
    options = re2.Options()
    options.case_sensitive = heeds_case
    options.max_mem = _MEMORY_BYTES_MAX
    options.log_errors = False
    try:
        return re2.compile(pattern.encode("utf-8", "replace"), options)
    except re2.error as error:
        reason = error.args[0]
        raise BadPattern(reason.decode() if isinstance(reason, bytes) else str(reason)) from error


def compiled_bytes(pattern: str) -> Any:
    """Return a pattern of our own, to be searched for in UTF-8."""
    return re2.compile(pattern.encode())
