"""Find all mentions of a vault at once, when all its notes are indexed.

Only then is the rarity of names final, so each text is searched once, and only for rare names.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from clew.engine.indexes import Indexes
from clew.engine.mentions.linked import notes_not_linked
from clew.engine.mentions.name_words import NameWords, Pairs
from clew.index.mentions.name_forms import lead, place_of_name, searched_text
from clew.index.structures.stored_map import pairs as pairs_of
from clew.values.arrays import Int64Array

PAIRS_MAX = 2_000_000  # of a name and a candidate note, kept at a time: 32 MB
STEP_NOTES = 500  # notes searched in one step


def search_all(indexes: Indexes) -> Iterator[None]:
    """Find the mentions of all notes, which were put off; yield after each step.

    The last step enters the result. The indexes must not change before it.
    """
    mentions = indexes.mentions
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for path, names_of_note in pairs_of(mentions.names_by_path):
        for name in names_of_note:
            claims[name].add(path)
    names = sorted(claims)
    required = NameWords(indexes.passages, names)
    search = _Search(indexes, names, claims)
    rare = np.flatnonzero(required.are_rare)
    yield
    for names_of_pairs, notes in _gathered(
        required.notes_with_all(rare, len(indexes.passages.slots))
    ):
        yield from search.run(names_of_pairs, notes)
    rare_by_lead: defaultdict[str, set[str]] = defaultdict(set)
    for at in rare.tolist():
        rare_by_lead[lead(names[at])].add(names[at])
    mentions.set_all(dict(claims), dict(rare_by_lead), search.held, search.mentioned)


class _Search:
    """Searches notes for names, and gathers what it finds."""

    def __init__(
        self, indexes: Indexes, names: Sequence[str], claims: Mapping[str, set[str]]
    ) -> None:
        self._indexes, self._names, self._claims = indexes, names, claims
        self.held: dict[str, tuple[str, ...]] = {}  # path -> rare names in the text
        self.mentioned: tuple[list[int], list[int]] = [], []  # note ids; ids mentioned there

    def run(self, names: Int64Array, notes: Int64Array) -> Iterator[None]:
        """Search each note for the name at the same index; ``names`` and ``notes`` are parallel."""
        order = np.lexsort((names, notes))
        distinct, firsts = np.unique(notes[order], return_index=True)
        runs = np.split(names[order], firsts[1:])
        for number, note_id in enumerate(distinct.tolist()):
            self._search(note_id, [self._names[at] for at in runs[number].tolist()])
            if number % STEP_NOTES == 0:
                yield

    def _search(self, note_id: int, names: Sequence[str]) -> None:
        indexes = self._indexes
        path = indexes.graph.path(note_id)
        text = searched_text(indexes.entries[path].note)
        own = indexes.mentions.names_by_path.get(path, ())
        found = [name for name in names if place_of_name(text, name, own) >= 0]
        if not found:
            return
        self.held[path] = tuple(sorted(chain(self.held.get(path, ()), found)))
        sole = {next(iter(claims)) for name in found if len(claims := self._claims[name]) == 1}
        if named := sole - {path}:
            mentioned = notes_not_linked(indexes, path, named)
            self.mentioned[0].extend([note_id] * len(mentioned))
            self.mentioned[1].extend(indexes.graph.note_ids[other] for other in mentioned)


def _gathered(blocks: Iterator[Pairs]) -> Iterator[Pairs]:
    """Join blocks into larger ones of at most ``PAIRS_MAX`` pairs."""
    kept: list[Pairs] = []
    for block in blocks:
        if sum(len(names) for names, _ in (*kept, block)) > PAIRS_MAX and kept:
            yield _joined(kept)
            kept = []
        kept.append(block)
    if kept:
        yield _joined(kept)


def _joined(blocks: Sequence[Pairs]) -> Pairs:
    names, notes = zip(*blocks, strict=True)
    return np.concatenate(names), np.concatenate(notes)
