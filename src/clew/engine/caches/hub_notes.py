"""Counts by note of how many of some concepts it mentions, in time for the rare ones of them.

A few hundred hubs have a third of all mentions, and four fifths of those of the neighbours of a
usual concept. So which hubs each note mentions is kept as bits, 32 bytes a note: those that are
asked for are counted in machine words, and only the postings of the other concepts are read.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import NOTES_AT_ONCE, most_mentioned
from clew.values.arrays import BoolArray, Int32Array, Int64Array, IntegerArray, Uint64Array

_WORD_BITS = 64
# Twice as many would take as much longer to count as their postings take. One less than there are
# bits, so that a byte holds their number.
HUBS_MAX = 4 * _WORD_BITS - 1
_GROWTH_MAX = 2  # from this many times as many notes on, the hubs are chosen anew


@dataclass(frozen=True, slots=True, eq=False)
class _Bits:
    """Which hubs each note of a graph mentions."""

    graph: ConceptGraph
    notes_when_chosen: int  # slots of notes when the hubs were chosen
    hubs: Int64Array  # concept ids
    words: Uint64Array  # hubs in groups, by note id


class HubNotes:
    """The hubs that each note mentions, in the graph that was asked for last.

    Follows the graph by reading the rows that changed. A graph that is no copy, or has far more
    notes than when the hubs were chosen, gets new ones. Requests may be answered by turns, each for
    another graph.
    """

    def __init__(self) -> None:
        self._latest: _Bits | None = None

    def counts_by_note(
        self, graph: ConceptGraph, concepts: Int32Array
    ) -> Generator[None, None, IntegerArray]:
        """Return how many of ``concepts``, all distinct, each note of ``graph`` mentions.

        Pauses after each ``NOTES_AT_ONCE`` rows that are read for the bits.
        """
        bits = yield from self._bits_of(graph)
        is_asked = np.zeros(graph.concept_slots, np.bool_)
        is_asked[concepts] = True
        is_asked_hub = is_asked[bits.hubs]
        is_asked[bits.hubs] = False
        others = concepts[is_asked[concepts]].astype(np.int64)
        # The rest is counted where it has fewer mentions: most concepts are next to a hub.
        mentions = graph.note_counts
        rest_count = mentions.sum() - mentions[bits.hubs].sum() - mentions[others].sum()
        counts_rest = bool(mentions[others].sum() > rest_count)
        if counts_rest:
            is_asked[bits.hubs] = True
            others = np.flatnonzero(~is_asked)
            is_asked_hub = ~is_asked_hub
        notes = graph.notes_of_each(others)[1]
        of_hubs = np.zeros(graph.note_slots, np.uint8)
        for words, asked in zip(bits.words, _packed(is_asked_hub), strict=True):
            if asked:
                of_hubs += np.bitwise_count(words & asked)
        counts = np.bincount(notes, minlength=graph.note_slots).astype(np.int32)
        counts += of_hubs
        return graph.rows.lengths - counts if counts_rest else counts

    def _bits_of(self, graph: ConceptGraph) -> Generator[None, None, _Bits]:
        earlier = self._latest
        if earlier is not None and earlier.graph is graph:
            return earlier
        if earlier is not None and _is_beyond(earlier.graph, graph):
            earlier = None
        changed = None if earlier is None else graph.rows.written_since(earlier.graph.rows)
        if earlier is None or changed is None or _has_outgrown(graph, earlier):
            hubs = np.array(most_mentioned(graph, HUBS_MAX), np.int64)
            groups = -(-len(hubs) // _WORD_BITS)
            words = np.zeros((groups, graph.note_slots), np.uint64)
            bits = _Bits(graph, graph.note_slots, hubs, words)
            changed = np.arange(graph.note_slots)
        else:
            # A copy, since another request may go on with the earlier ones after a pause.
            added = graph.note_slots - earlier.words.shape[1]
            bits = replace(earlier, graph=graph, words=np.pad(earlier.words, ((0, 0), (0, added))))
        for first in range(0, len(changed), NOTES_AT_ONCE):
            _read(bits, changed[first : first + NOTES_AT_ONCE])
            yield
        self._latest = bits
        return bits


def _is_beyond(later: ConceptGraph, graph: ConceptGraph) -> bool:
    """Return whether ``later`` has notes or concepts that ``graph``, an older one, has not."""
    return later.note_slots > graph.note_slots or later.concept_slots > graph.concept_slots


def _has_outgrown(graph: ConceptGraph, bits: _Bits) -> bool:
    """Return whether ``graph`` has far more notes than when the hubs were chosen."""
    return graph.note_slots > _GROWTH_MAX * bits.notes_when_chosen


def _read(bits: _Bits, notes: Int64Array) -> None:
    """Take the hubs of ``notes`` from their rows."""
    index_by_concept = np.full(bits.graph.concept_slots, -1, np.int16)
    index_by_concept[bits.hubs] = np.arange(len(bits.hubs))
    concepts, lengths = bits.graph.concepts_of_notes(notes)
    indexes = index_by_concept[concepts]
    cells = np.flatnonzero(indexes >= 0)
    numbers, in_word = np.divmod(indexes[cells], _WORD_BITS)
    bits.words[:, notes] = 0
    places = numbers, np.repeat(notes, lengths)[cells]
    np.bitwise_or.at(bits.words, places, np.uint64(1) << in_word.astype(np.uint64))


def _packed(flags: BoolArray) -> Uint64Array:
    """Return flags as words; the first flag is the lowest bit of the first word."""
    padded = np.zeros(-(-len(flags) // _WORD_BITS) * _WORD_BITS, np.bool_)
    padded[: len(flags)] = flags
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
