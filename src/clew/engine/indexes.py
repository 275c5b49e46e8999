"""All indexes of one vault. Only the engine changes them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clew.engine.name_vectors import NameVectors
from clew.engine.passages import Passages
from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.ages import NoteAges
from clew.index.graph import ConceptGraph
from clew.index.names import NameIndex, NamingRules
from clew.index.structures import multimap
from clew.index.targets import TargetTable
from clew.text.terms import LANGUAGES
from clew.values.vault import ReadNote

_ENTRIES_FREED_AT_ONCE = 200


@dataclass(slots=True)
class Indexes:
    """The indexes of one vault; paths are keys throughout."""

    names: NameIndex
    ages: NoteAges
    passages: Passages
    graph: ConceptGraph = field(default_factory=ConceptGraph)
    targets: TargetTable = field(default_factory=TargetTable)
    name_vectors: NameVectors = field(default_factory=NameVectors)
    entries: dict[str, ReadNote] = field(default_factory=dict)
    # The concept that each note is, by path, and the reverse.
    concept_by_path: dict[str, str] = field(default_factory=dict)
    paths_by_concept: dict[str, set[str]] = field(default_factory=dict)
    # Parts of the search columns, by name, while a revision is loaded chunk by chunk.
    columns: dict[str, list[bytes]] = field(default_factory=dict)

    def set_concept_of_note(self, path: str, concept: str | None) -> None:
        """Set which concept the note at ``path`` is."""
        before = self.concept_by_path.pop(path, None)
        if before is not None:
            multimap.discard(self.paths_by_concept, before, path)
        if concept is not None:
            self.concept_by_path[path] = concept
            multimap.add(self.paths_by_concept, concept, path)


def compact(indexes: Indexes) -> None:
    """Drop the search entries of replaced and deleted notes; sort the rest for fast reading."""
    indexes.passages.compact(sorted(indexes.entries))


def free_incrementally(indexes: Indexes) -> Iterator[None]:
    """Free ``indexes`` a few entries at a time; freeing all at once would delay a query.

    Yields between steps. Nothing may read the indexes any more.
    """
    passages = indexes.passages
    parts = (
        *(indexes.names, indexes.targets, indexes.graph),
        *(passages.slots, passages.keyword, indexes.name_vectors),
    )
    containers: list[dict[str, Any] | list[Any]] = [indexes.entries]
    containers += [indexes.concept_by_path, indexes.paths_by_concept]
    containers += [container for part in parts for container in part.containers()]
    for container in containers:
        while container:
            for _ in range(min(_ENTRIES_FREED_AT_ONCE, len(container))):
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
