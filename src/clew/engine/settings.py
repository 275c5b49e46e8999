"""What the engine is told once: sources of concepts and the shape of decay."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from clew.index.decay import DecayFunction


class ConceptSource(StrEnum):
    """What may make concepts; the config's ``[concepts] from``."""

    LINKS = "links"
    EMBEDS = "embeds"
    MARKDOWN = "markdown"
    FRONTMATTER = "frontmatter"
    TITLES = "titles"
    ALIASES = "aliases"


DEFAULT_GRACE_DAYS = 28.0
DEFAULT_TIERS: Mapping[str, float] = {"**/sequential/**": 7.0, "**/workflows/**": 14.0}


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Settings that shape every revision."""

    sources: frozenset[ConceptSource] = frozenset(ConceptSource)
    decay: DecayFunction = DecayFunction.POWER_LAW
    half_life_days: float = 30.0
    tiers: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_TIERS))
