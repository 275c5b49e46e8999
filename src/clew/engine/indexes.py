"""Everything that is known of one vault at one moment; changed by the engine alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clew.engine.name_vectors import NameVectors
from clew.engine.passages import Passages
from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.ages import NoteAges
from clew.index.graph import ConceptGraph
from clew.index.names import NameIndex, NamingRules
from clew.index.targets import TargetTable
from clew.text.terms import LANGUAGES
from clew.values.vault import ReadNote

_PIECE = 200  # things let go of at once


@dataclass(slots=True)
class Indexes:
    """The indexes of one vault; paths are keys throughout."""

    names: NameIndex
    ages: NoteAges
    passages: Passages
    graph: ConceptGraph = field(default_factory=ConceptGraph)
    targets: TargetTable = field(default_factory=TargetTable)
    near: NameVectors = field(default_factory=NameVectors)
    entries: dict[str, ReadNote] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)  # path -> the concept that the note is
    columns: dict[str, list[bytes]] = field(default_factory=dict)  # of a revision being unsealed
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


def compact(indexes: Indexes) -> None:
    """Put what is searched in the order in which it is read fastest, and let go of what is dead."""
    indexes.passages.compact(sorted(indexes.entries))


def free_incrementally(indexes: Indexes) -> Iterator[None]:
    """Let go of ``indexes`` piece by piece, since all at once is a pause that a query would feel.

    Yields between pieces; nobody may look at them any more.
    """
    passages = indexes.passages
    parts = (
        *(indexes.names, indexes.targets, indexes.graph),
        *(passages.slots, passages.keyword, indexes.near),
    )
    containers: list[dict[str, Any] | list[Any]] = [indexes.entries, indexes.own, indexes.owners]
    containers += [container for part in parts for container in part.containers()]
    for container in containers:
        while container:
            for _ in range(min(_PIECE, len(container))):
                if isinstance(container, dict):
                    container.popitem()
                else:
                    container.pop()
            yield


def empty_indexes(settings: EngineSettings) -> Indexes:
    """Return the indexes of a vault without notes."""
    sources = settings.sources
    naming = NamingRules(ConceptSource.TITLES in sources, ConceptSource.ALIASES in sources)
    return Indexes(
        NameIndex(naming),
        NoteAges(settings.decay, settings.half_life_days),
        Passages(LANGUAGES[settings.language]),
    )
