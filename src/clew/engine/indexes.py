"""Everything that is known of one vault at one moment; changed by the engine alone."""

from dataclasses import dataclass, field

from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.ages import NoteAges
from clew.index.graph import ConceptGraph
from clew.index.names import NameIndex, NamingRules
from clew.index.targets import TargetTable
from clew.values.vault import ReadNote


@dataclass(slots=True)
class Indexes:
    """The indexes of one vault; paths are keys throughout."""

    names: NameIndex
    ages: NoteAges
    graph: ConceptGraph = field(default_factory=ConceptGraph)
    targets: TargetTable = field(default_factory=TargetTable)
    entries: dict[str, ReadNote] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)  # path -> the concept that the note is
    owners: dict[str, set[str]] = field(default_factory=dict)  # concept -> notes that are it

    def own_as(self, path: str, concept: str | None) -> None:
        """Set which concept the note at ``path`` is."""
        before = self.own.pop(path, None)
        if before is not None:
            self.owners[before].discard(path)
            if not self.owners[before]:
                del self.owners[before]
        if concept is not None:
            self.own[path] = concept
            self.owners.setdefault(concept, set()).add(path)


def empty_indexes(settings: EngineSettings) -> Indexes:
    """Return the indexes of a vault without notes."""
    sources = settings.sources
    naming = NamingRules(ConceptSource.TITLES in sources, ConceptSource.ALIASES in sources)
    return Indexes(NameIndex(naming), NoteAges(settings.decay, settings.half_life_days))
