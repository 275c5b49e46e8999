"""Fakes of parts that are too large or too slow for tests."""

from collections.abc import Sequence

import numpy as np

from clew.embed.encoder import Encoder
from clew.embed.quantized import QuantizedVectors, quantize
from clew.engine.derived.change_log import Change, ChangeLog


class LetterEncoder(Encoder):
    """A model that finds texts with the same letters a-z similar; other texts have no vector."""

    def __init__(self, fingerprint: str = "letters") -> None:
        self.dimensions = 26
        self.fingerprint = fingerprint
        self.encoded: list[str] = []  # every text it was given

    def encode(self, texts: Sequence[str]) -> QuantizedVectors:
        """Return the count of each letter in each text, as vectors."""
        self.encoded += texts
        letters = [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]
        return quantize(np.array(letters, np.float32).reshape(len(texts), 26))


class ChangingService:
    """What a feed reads of the service, with revisions that modify as many notes as wanted."""

    epoch = "e"

    def __init__(self) -> None:
        self.revision = 0
        self.changes = ChangeLog()

    def change(self, count: int, name: str = "") -> None:
        """Make a revision that modifies ``count`` notes."""
        self.revision += 1
        paths = (f"{name}{number}.md" for number in range(count))
        self.changes.add(self.revision, dict.fromkeys(paths, Change.MODIFIED))
