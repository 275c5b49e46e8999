"""Relevance of the notes that a query names by their titles or aliases.

"The difference between a pressure sensor and a radar gauge" is in the notes on both, though other
notes have more of its words: a note on one rarely names the other. So the beginning of each note
that the query names has at least ``BEGINNING`` of the highest relevance.

A name that several notes have names none of them for certain, nor does a single word in lower case:
who asks how to search a base may not mean the notes "Search" and "Base". A note that search did not
find, or that is superseded, stays as it is.
"""

from collections.abc import Collection

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.context.formulas.relevance import RankedSlots
from clew.query.search.admission.names import names_in
from clew.query.search.named import named_in

BEGINNING = 0.6  # of the highest relevance


def with_named_notes(
    snapshot: Snapshot, query: str, ranked: RankedSlots, superseded: Collection[int]
) -> RankedSlots:
    """Return the ranked slots with the beginnings of the notes that ``query`` names higher.

    Notes with the ids ``superseded`` stay as they are.
    """
    beginnings = _beginnings(snapshot, query, ranked, superseded)
    if not beginnings:  # as mostly
        return ranked
    least = BEGINNING * ranked.relevance[0]
    slots, relevance = ranked.including(beginnings)
    relevance[np.isin(slots, beginnings) & (relevance < least)] = least
    return RankedSlots.ordered(slots, relevance)


def _beginnings(
    snapshot: Snapshot, query: str, ranked: RankedSlots, superseded: Collection[int]
) -> list[int]:
    """Return the slots of the first passages of the notes that a query names for certain."""
    slots, capitalized = snapshot.passages.slots, names_in(query)
    named = [
        snapshot.graph.note_ids[each.paths[0]]
        for each in named_in(snapshot, query)
        if len(each.paths) == 1 and (len(each.words) > 1 or not capitalized.isdisjoint(each.words))
    ]
    found = np.isin(named, slots.note_ids[ranked.slots]).tolist()
    wanted = [note_id for note_id, is_found in zip(named, found, strict=True) if is_found]
    spans = [slots.slots_of(note_id) for note_id in wanted if note_id not in superseded]
    return [span.start + 1 for span in spans if span.stop - span.start > 1]  # after its head
