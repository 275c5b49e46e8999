"""Settings of search that come from the config file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.query.search.legs.registry import LEGS

DEFAULT_WEIGHTS: Mapping[str, float] = {leg.name: leg.default_weight for leg in LEGS}
DEFAULT_RECENCY = 0.05


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How hits are ranked, and what concepts are called: ``[search]``, ``[context]``."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    recency: float = DEFAULT_RECENCY  # 0..1: how much of its score a note can lose by age
    sources: Mapping[str, float] = field(default_factory=dict)  # a folder or ``source:`` -> score
    entity_types: Mapping[str, str] = field(default_factory=dict)  # type of a note -> of a concept
