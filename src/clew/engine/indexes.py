"""All indexes of one vault. Only the engine changes them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clew.engine.name_vectors import NameVectors
from clew.engine.passages import Passages
from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.ages import NoteAges
from clew.index.graph import ConceptGraph
from clew.index.names import NameIndex, NamingRules
from clew.index.structures import multimap
from clew.index.structures.layered_map import LayeredMap
from clew.index.targets import TargetTable
from clew.text.terms import LANGUAGES
from clew.values.vault import ReadNote

_ENTRIES_FREED_AT_ONCE = 200
_DEAD_NOTES_MIN = 1_000


@dataclass(slots=True)
class Indexes:
    """The indexes of one vault; paths are keys throughout."""

    names: NameIndex
    ages: NoteAges
    passages: Passages
    graph: ConceptGraph = field(default_factory=ConceptGraph)
    targets: TargetTable = field(default_factory=TargetTable)
    name_vectors: NameVectors = field(default_factory=NameVectors)
    entries: LayeredMap[str, ReadNote] = field(default_factory=LayeredMap)
    # The concept that each note is, by path, and the reverse.
    concept_by_path: LayeredMap[str, str] = field(default_factory=LayeredMap)
    paths_by_concept: multimap.Multimap = field(default_factory=LayeredMap)
    # Parts of the search columns, by name, while a revision is loaded chunk by chunk.
    columns: dict[str, list[bytes]] = field(default_factory=dict)

    @property
    def needs_compaction(self) -> bool:
        """Whether so much is left of replaced and deleted notes that ``compact`` is worth it."""
        return self.passages.needs_compaction or self.has_many_dead_notes

    @property
    def has_many_dead_notes(self) -> bool:
        """Whether most note ids belong to notes that were dropped."""
        return self.graph.dead_note_count > max(_DEAD_NOTES_MIN, len(self.entries))

    def copy(self) -> "Indexes":
        """Return equal indexes, in constant time; later changes do not reach them."""
        return Indexes(
            names=self.names.copy(),
            ages=self.ages.copy(),
            passages=self.passages.copy(),
            graph=self.graph.copy(),
            targets=self.targets.copy(),
            name_vectors=self.name_vectors.copy(),
            entries=self.entries.copy(),
            concept_by_path=self.concept_by_path.copy(),
            paths_by_concept=self.paths_by_concept.copy(),
        )

    def set_concept_of_note(self, path: str, concept: str | None) -> None:
        """Set which concept the note at ``path`` is."""
        before = self.concept_by_path.pop(path, None)
        if before is not None:
            multimap.discard(self.paths_by_concept, before, path)
        if concept is not None:
            self.concept_by_path[path] = concept
            multimap.add(self.paths_by_concept, concept, path)


def compact(indexes: Indexes) -> None:
    """Drop what is left of replaced and deleted notes; sort the rest for fast reading."""
    paths = sorted(indexes.entries)
    indexes.passages.compact(paths)
    if indexes.has_many_dead_notes:
        _renumber_notes(indexes, paths)


def _renumber_notes(indexes: Indexes, paths: list[str]) -> None:
    note_ids = np.array([indexes.graph.note_id(path) for path in paths], np.int64)
    new_ids = np.zeros(indexes.graph.note_slots, np.int32)
    new_ids[note_ids] = np.arange(len(paths))
    indexes.ages.keep(note_ids)
    indexes.passages.slots.renumber_notes(new_ids)
    indexes.graph = indexes.graph.renumbered(paths)


def free_incrementally(indexes: Indexes) -> Iterator[None]:
    """Free ``indexes`` a few entries at a time; freeing all at once would delay a query.

    Yields between steps. Nothing may read the indexes or a copy of them any more.
    """
    passages = indexes.passages
    parts = (
        *(indexes.names, indexes.targets, indexes.graph),
        *(passages.slots, passages.keyword, indexes.name_vectors),
    )
    maps = [indexes.entries, indexes.concept_by_path, indexes.paths_by_concept]
    containers: list[Any] = [container for part in parts for container in part.containers()]
    for container in [*maps, *containers]:
        layers = container.layers() if isinstance(container, LayeredMap) else (container,)
        yield from _free(layers)


def _free(containers: Iterable[Any]) -> Iterator[None]:
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
