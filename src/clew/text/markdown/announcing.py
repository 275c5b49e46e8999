"""Text that says that something follows it: it ends with a colon."""

import re

_ANNOUNCES = re.compile(r"[:\uff1a][*_]{0,3}\s*\Z")


def announces(text: str) -> bool:
    """Return whether a text ends with a colon, so that something follows it."""
    return _ANNOUNCES.search(text) is not None
