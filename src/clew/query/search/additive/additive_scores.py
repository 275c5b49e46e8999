"""The parts of the additive ranking for the notes that the legs of a search found."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.decay import SECONDS_A_DAY
from clew.query.search.additive.additive_parts import (
    SOURCE_DEFAULT,
    Parts,
    additive_parts,
    entity_part,
    folded_words,
    is_named,
    keyword_part,
)
from clew.query.search.legs.keyword import KEYWORD
from clew.query.search.legs.semantic import SEMANTIC
from clew.query.search.named import named_in
from clew.query.search.passage_hits import NO_HITS, PassageHits
from clew.text.concept import fold_name
from clew.values import search_replies
from clew.values.arrays import Float64Array
from clew.values.note import Note
from clew.values.replies import rounded


class AdditiveScores:
    """The additive scores of the notes that some leg found; ``text`` is that of the query.

    ``source_scores`` come from config: the score that each folder or ``source:`` adds.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        text: str,
        hits_by_leg: Mapping[str, PassageHits],
        source_scores: Mapping[str, float],
        now_s: float,
    ) -> None:
        self._snapshot, self._now_s = snapshot, now_s
        self._named = named_in(snapshot, text)
        self._keyword_scores = _scores_by_note(hits_by_leg.get(KEYWORD, NO_HITS))
        self._similarities = _scores_by_note(hits_by_leg.get(SEMANTIC, NO_HITS))
        self._best_keyword_score = max(self._keyword_scores.values(), default=0.0)
        self._source_scores = {_source_key(name): score for name, score in source_scores.items()}
        words = folded_words(text)
        self._is_named_in_query = cache(lambda source: is_named(source, words))
        self.note_ids = {note for hits in hits_by_leg.values() for note in hits.note_ids.tolist()}

    def by_note(self) -> Float64Array:
        """Return the score of each note, by note id; 0.0 for those that no leg found."""
        scores = np.zeros(self._snapshot.graph.note_slots)
        for note_id in self.note_ids:
            scores[note_id] = self._parts(note_id).total
        return scores

    def breakdown(self, note_id: int) -> search_replies.Breakdown:
        """Return the parts of a note's score as replies show them."""
        parts = self._parts(note_id)
        return search_replies.Breakdown(
            semantic=rounded(parts.semantic),
            recency=rounded(parts.recency),
            entity=rounded(parts.entity),
            source=rounded(parts.source),
            keyword=rounded(parts.keyword),
            explicit=rounded(parts.explicit),
        )

    def _parts(self, note_id: int) -> Parts:
        path = self._snapshot.graph.path(note_id)
        concepts = self._snapshot.graph.row(path) if self._named else {}
        shared = [name for name in self._named if name.concept in concepts or path in name.paths]
        sources = _sources_of(self._snapshot.note(path))
        return additive_parts(
            similarity=self._similarities.get(note_id, 0.0),
            age_days=(self._now_s - self._snapshot.dates(path).changed_s) / SECONDS_A_DAY,
            entity=entity_part(len(shared), any(name.is_whole for name in shared)),
            source=self._source_score(sources),
            keyword=keyword_part(self._keyword_scores.get(note_id, 0.0), self._best_keyword_score),
            is_source_named=any(map(self._is_named_in_query, sources)),
        )

    def _source_score(self, sources: list[str]) -> float:
        """Return the configured score of the first of these sources that has one."""
        scores = (self._source_scores.get(_source_key(source)) for source in sources)
        return next((score for score in scores if score is not None), SOURCE_DEFAULT)


def _scores_by_note(hits: PassageHits) -> dict[int, float]:
    return dict(zip(hits.note_ids.tolist(), hits.note_scores.tolist(), strict=True))


def _sources_of(note: Note) -> list[str]:
    """Return the ``source`` of a note's front matter, if any, and its folders, innermost first."""
    sources = [note.fields.source] if note.fields.source else []
    folders = note.path.split("/")[:-1]
    return sources + ["/".join(folders[:depth]) for depth in range(len(folders), 0, -1)]


def _source_key(source: str) -> str:
    return fold_name(source.strip("/"))
