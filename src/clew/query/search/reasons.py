"""The parts of the additive ranking for the notes that a search found."""

from collections.abc import Mapping, Sequence

import numpy as np

from clew.engine.settings import Leg, SearchRules
from clew.engine.snapshot import Snapshot
from clew.index.formulas.decay import SECONDS_A_DAY
from clew.query.search.additive import (
    SOURCE_DEFAULT,
    Breakdown,
    additive,
    entity_part,
    folded_words,
    is_named,
    keyword_part,
)
from clew.query.search.hits import Hits
from clew.query.search.matching import Matching
from clew.query.search.named import Named
from clew.values import search_replies
from clew.values.arrays import Float64Array
from clew.values.note import Note
from clew.values.replies import rounded


class Additive:
    """What each reason adds for each note; worked out for the notes that are asked about."""

    def __init__(
        self,
        snapshot: Snapshot,
        matched: Matching,
        legs: Mapping[Leg, Hits],
        named: Sequence[Named],
        rules: SearchRules,
        now_s: float,
    ) -> None:
        self._snapshot, self._matched, self._legs = snapshot, matched, legs
        self._named, self._rules, self._now_s = named, rules, now_s
        self._places = {leg: hits.places() for leg, hits in legs.items()}
        self._sources = {_source_key(source): score for source, score in rules.sources.items()}
        self._words = folded_words(matched.asked.text)
        self._said: dict[str, bool] = {}  # source -> whether the query names it

    @property
    def notes(self) -> set[int]:
        """The notes that some leg found."""
        return {note for places in self._places.values() for note in places}

    def scores(self) -> Float64Array:
        """Return the score of each note that some leg found, by note id."""
        scores = np.zeros(self._snapshot.graph.note_slots)
        for note_id in self.notes:
            scores[note_id] = self._parts(note_id).total
        return scores

    def breakdown(self, note_id: int) -> search_replies.Breakdown:
        """Return what each reason adds for a note."""
        parts = self._parts(note_id)
        return search_replies.Breakdown(
            semantic=rounded(parts.semantic),
            recency=rounded(parts.recency),
            entity=rounded(parts.entity),
            source=rounded(parts.source),
            keyword=rounded(parts.keyword),
            explicit=rounded(parts.explicit),
        )

    def _parts(self, note_id: int) -> Breakdown:
        path = self._snapshot.graph.path(note_id)
        note = self._snapshot.note(path)
        row = self._snapshot.graph.row(path) if self._named else {}
        matches = [each for each in self._named if each.concept in row or path in each.paths]
        source, is_named = self._source(note)
        return additive(
            self._raw(Leg.SEMANTIC, note_id),
            (self._now_s - self._snapshot.modified_at_s(path)) / SECONDS_A_DAY,
            entity_part(len(matches), any(each.is_whole for each in matches)),
            source,
            keyword_part(self._raw(Leg.KEYWORD, note_id), self._best(Leg.KEYWORD)),
            is_named,
        )

    def _raw(self, leg: Leg, note_id: int) -> float:
        place = self._places.get(leg, {}).get(note_id)
        return float(self._legs[leg].scores[place]) if place is not None else 0.0

    def _best(self, leg: Leg) -> float:
        hits = self._legs.get(leg)
        return float(hits.scores[0]) if hits is not None and len(hits.scores) else 0.0

    def _source(self, note: Note) -> tuple[float, bool]:
        """Return what a note's source adds, and whether the query names one of its sources."""
        names = [note.fields.source] if note.fields.source else []
        folders = note.path.split("/")[:-1]
        names += ["/".join(folders[: depth + 1]) for depth in reversed(range(len(folders)))]
        said = (self._sources.get(_source_key(name)) for name in names)
        score = next((each for each in said if each is not None), SOURCE_DEFAULT)
        return score, any(self._is_said(name) for name in names)

    def _is_said(self, name: str) -> bool:
        if name not in self._said:
            self._said[name] = is_named(self._words, name)
        return self._said[name]


def _source_key(source: str) -> str:
    return source.strip("/").casefold()
