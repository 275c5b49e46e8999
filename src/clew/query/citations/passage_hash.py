"""The hash in the reference of a passage: ``1a2b3c4d`` in ``memory://path.md#L14-L27~1a2b3c4d``.

It is the start of the SHA-256 of the passage's lines in UTF-8, each without white space at its end,
joined by line feeds. So it tells whether these lines are unchanged, wherever they stand.
"""

import hashlib
from collections.abc import Sequence

HASH_DIGITS = 8  # hexadecimal


def passage_hash(lines: Sequence[str]) -> str:
    """Return the hash of these lines of a note, given without their line ends."""
    text = "\n".join(line.rstrip() for line in lines)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


def hashes_of_runs(lines: Sequence[str], length: int) -> list[str]:
    """Return the hash of each run of ``length`` lines, in order of their first lines."""
    return [passage_hash(lines[at : at + length]) for at in range(len(lines) - length + 1)]


def line_reference(uri: str, lines: tuple[int, int], digits: str) -> str:
    """Return the reference of ``lines``, whose hash is ``digits``, in the note at ``uri``."""
    return f"{uri}#L{lines[0]}-L{lines[1]}~{digits}"
