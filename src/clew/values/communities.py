"""Communities of concepts as values: what is computed aside, remembered, sent and asked for."""

from enum import StrEnum

from msgspec import Struct

LABEL_NAMES = 3
MAX_CONCEPTS = 256  # a note of more concepts makes no community; it would be the whole map


class EdgeWeights(StrEnum):
    """What a note adds to each pair of its concepts; the config's ``[communities] weights``."""

    SHARED = "shared"  # 1 / (concepts - 1), so that each concept gets 1 from a note in all
    RAW = "raw"  # 1


class Community(Struct, frozen=True, array_like=True, gc=False):
    """Concepts that share notes with each other more than with others."""

    id: int  # 1 or more; stays with a community that changes
    members: tuple[str, ...]  # sorted
    central: tuple[str, ...]  # those with the most weight inside, the most central first
    bridges: tuple[str, ...]  # those with the most weight to other communities

    @property
    def label(self) -> tuple[str, ...]:
        """The names that stand for it."""
        return self.central[:LABEL_NAMES]


class Partition(Struct, frozen=True, array_like=True):
    """All communities, the largest first; a concept that shares no note with another is in none."""

    communities: tuple[Community, ...] = ()
    modularity: float = 0.0  # weighted, -0.5..1
