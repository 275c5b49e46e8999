"""The number of examples of each property: few in the quick run, more in the long one.

The examples are the same in each run of the same code, except in the long run, which uses new ones.
"""

import os
from typing import Any

from hypothesis import settings

IS_QUICK = bool(os.environ.get("CLEW_QUICK"))
IS_LONG = bool(os.environ.get("CLEW_LONG"))
_DEFAULT = 100  # of a property that states no number
_QUICK_SHARE = 5
_QUICK_MIN = 15


def load_profile() -> None:
    """Load the settings of all properties; ``tests/conftest.py`` calls this first."""
    settings.register_profile(
        "clew", deadline=None, derandomize=not IS_LONG, max_examples=_number(_DEFAULT)
    )
    settings.load_profile("clew")


def examples(count: int = _DEFAULT, *, long: int | None = None, **more: Any) -> settings:
    """Return settings that try ``count`` examples, or ``long`` in a long run."""
    return settings(max_examples=long or count if IS_LONG else _number(count), **more)


def _number(count: int) -> int:
    return min(count, max(_QUICK_MIN, count // _QUICK_SHARE)) if IS_QUICK else count
