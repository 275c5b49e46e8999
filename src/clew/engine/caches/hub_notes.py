"""Counts by note of how many of some concepts it mentions, in time for the rare ones of them.

A few hundred hubs have a third of all mentions, and four fifths of those of the neighbours of a
usual concept. So which hubs each note mentions is kept as bits, 32 bytes a note: those that are
asked for are counted in machine words, and only the postings of the other concepts are read.
"""

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import most_mentioned
from clew.values.arrays import BoolArray, Int32Array, Int64Array, IntegerArray, Uint64Array

_WORD_BITS = 64
# Twice as many would take as much longer to count as their postings take.
HUBS_MAX = 4 * _WORD_BITS
_GROWTH_MAX = 2  # from this many times as many notes on, the hubs are chosen anew


class HubNotes:
    """The hubs that each note mentions, in the graph that was asked for last.

    Follows the graph by reading the rows that changed. A graph that is no copy, or has far more
    notes than when the hubs were chosen, gets new ones.
    """

    def __init__(self) -> None:
        self._graph: ConceptGraph | None = None  # of which ``_words`` are
        self._notes_when_chosen = 0
        self._hubs = np.zeros(0, np.int64)  # concept ids
        self._words: Uint64Array = np.zeros((0, 0), np.uint64)  # hubs in groups, by note id

    def counts_by_note(self, graph: ConceptGraph, concepts: Int32Array) -> IntegerArray:
        """Return how many of ``concepts``, all distinct, each note of ``graph`` mentions."""
        self._follow(graph)
        is_asked = np.zeros(graph.concept_slots, np.bool_)
        is_asked[concepts] = True
        counts = np.zeros(graph.note_slots, np.uint16)
        asked_words = _packed(is_asked[self._hubs])
        for words, asked in zip(self._words, asked_words, strict=True):
            if asked:
                counts += np.bitwise_count(words & asked)
        is_asked[self._hubs] = False
        others = concepts[is_asked[concepts]].astype(np.int64)
        mentions = graph.notes_of_each(others)[1]
        return np.bincount(mentions, minlength=graph.note_slots) + counts

    def _follow(self, graph: ConceptGraph) -> None:
        earlier, self._graph = self._graph, graph
        if graph is earlier:
            return
        changed = None if earlier is None else graph.rows.written_since(earlier.rows)
        if changed is None or graph.note_slots > _GROWTH_MAX * self._notes_when_chosen:
            self._hubs = np.array(most_mentioned(graph, HUBS_MAX), np.int64)
            self._words = np.zeros((-(-len(self._hubs) // _WORD_BITS), 0), np.uint64)
            self._notes_when_chosen = graph.note_slots
            changed = np.arange(graph.note_slots)
        added = graph.note_slots - self._words.shape[1]
        if added:
            self._words = np.pad(self._words, ((0, 0), (0, added)))
        if len(changed):
            self._read(graph, changed)

    def _read(self, graph: ConceptGraph, notes: Int64Array) -> None:
        """Take the hubs of ``notes`` from their rows."""
        index_by_concept = np.full(graph.concept_slots, -1, np.int16)
        index_by_concept[self._hubs] = np.arange(len(self._hubs))
        concepts, lengths = graph.concepts_of_notes(notes)
        indexes = index_by_concept[concepts]
        cells = np.flatnonzero(indexes >= 0)
        numbers, bits = np.divmod(indexes[cells], _WORD_BITS)
        self._words[:, notes] = 0
        places = numbers, np.repeat(notes, lengths)[cells]
        np.bitwise_or.at(self._words, places, np.uint64(1) << bits.astype(np.uint64))


def _packed(flags: BoolArray) -> Uint64Array:
    """Return flags as words; the first flag is the lowest bit of the first word."""
    padded = np.zeros(-(-len(flags) // _WORD_BITS) * _WORD_BITS, np.bool_)
    padded[: len(flags)] = flags
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
