"""Communities of concepts, and the partition that holds them."""

from enum import StrEnum

from msgspec import Struct

LABEL_NAMES = 3
MAX_CONCEPTS = 256  # a note with more concepts is left out: it would connect all communities


class EdgeWeights(StrEnum):
    """The weight that a note adds to each pair of its concepts: ``[communities] weights``."""

    SHARED = "shared"  # 1 / (concepts - 1): the weights of one concept in one note sum to 1
    RAW = "raw"  # 1


class Community(Struct, frozen=True, array_like=True, gc=False):
    """Concepts that share notes with each other more than with others."""

    id: int  # 1 or more; a community keeps its id when its members change
    members: tuple[str, ...]  # sorted
    central: tuple[str, ...]  # members by their weight to other members, highest first
    bridges: tuple[str, ...]  # members by their weight to other communities, highest first

    @property
    def label(self) -> tuple[str, ...]:
        """The concepts that name the community."""
        return self.central[:LABEL_NAMES]


class Partition(Struct, frozen=True, array_like=True):
    """All communities, the largest first; a concept without an edge is in none."""

    communities: tuple[Community, ...] = ()
    modularity: float = 0.0  # weighted, -0.5..1
