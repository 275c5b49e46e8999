"""What the answer to a search depends on, besides the vault and the request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from clew.embed.noise import BUILTIN_NOISE
from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.query.search.fusion import BEFORE
from clew.query.search.legs.base import Leg
from clew.query.search.legs.comparison import Begin, Encode, put_off
from clew.query.search.legs.registry import LEGS
from clew.query.search.legs.semantic import SEMANTIC, vector_share
from clew.query.search.search_config import SearchConfig
from clew.query.search.spelling import IsWord, no_word

Specificity = Callable[[str], float]  # how much a word tells of a subject, 0..1


def all_specific(word: str) -> float:  # noqa: ARG001 - as of a ``Specificity``
    """Return how much a word tells of a subject if no model knows: as much as any other."""
    return 1.0


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings and the moment that a reply depends on, besides the vault and the request."""

    now_s: float
    zone: tzinfo  # the time zone in which days begin and end
    config: SearchConfig
    encode: Encode | None  # makes the vector of a query; ``None``: no model is loaded
    degraded: tuple[str, ...] = ()  # the degraded parts, for the reply
    legs: Sequence[Leg] = LEGS
    noise: float = BUILTIN_NOISE  # of the model of ``encode``
    is_word: IsWord = no_word  # whether the model knows a word, so that it is no slip
    begin: Begin = put_off  # begins to compare the query with all passages
    specificity: Specificity = all_specific  # how much a word tells of a subject, for packs
    before: float = BEFORE  # share of a leg's weight if a later leg ranks by its scores too

    @property
    def clock(self) -> Clock:
        """The moment, and the zone of its days."""
        return Clock(self.now_s, self.zone)

    def weights(self, snapshot: Snapshot) -> dict[str, float]:
        """Return the weight of each leg, by name: the configured one, else the leg's default.

        That of the semantic leg is multiplied by the share of passages that have vectors.
        """
        set_by_leg = self.config.weights
        weights = {leg.name: set_by_leg.get(leg.name, leg.default_weight) for leg in self.legs}
        if SEMANTIC in weights:
            weights[SEMANTIC] *= vector_share(snapshot)
        return weights
