"""Settings of the engine and of the indexer, fixed when they are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from clew.index.formulas.decay import DecayFunction
from clew.text.dates.date_keys import DateKeys
from clew.text.languages.languages import AUTO
from clew.values.communities import MAX_CONCEPTS, EdgeWeights
from clew.values.vault import MAX_NOTE_BYTES


class ConceptSource(StrEnum):
    """The parts of a note that can name concepts; the config's ``[concepts] from``."""

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
    broad_from: int = 32  # a note with more concepts counts less; 0: none (formulas.breadth)
    language: str = AUTO  # of Latin script: ``AUTO`` or a key of ``text.terms.LANGUAGES``
    private: Sequence[str] = ()  # gitignore patterns of files that are private


@dataclass(frozen=True, slots=True)
class CommunitySettings:
    """Which notes are used for communities, and how their edges are weighted."""

    weights: EdgeWeights = EdgeWeights.SHARED
    max_concepts: int = MAX_CONCEPTS  # a note that mentions more concepts is left out


@dataclass(frozen=True, slots=True)
class SiblingConfig:
    """Which concepts of a community count as siblings of another concept."""

    min_shared: int = 3  # least number of neighbours in common
    min_overlap: float = 0.4  # minimum share of the sibling's weight in common neighbours, 0..1
    max_siblings: int = 10


@dataclass(frozen=True, slots=True)
class IndexerSettings:
    """Names the vault's folder and the folders of code, and selects the files to read."""

    root: str
    ignore: Sequence[str] = ()  # gitignore patterns
    max_note_bytes: int = MAX_NOTE_BYTES
    date_keys: DateKeys = field(default_factory=DateKeys)
    uses_git: bool = True  # whether author dates are used where the vault lies in a work tree
    engine: EngineSettings = field(default_factory=EngineSettings)
    code_roots: Sequence[str] = ()  # folders of code, absolute
    code_left_out: Sequence[str] = ()  # folders below them that are never walked
