"""Legs of search: how to add one, and hits with several passages for each note."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine.derived.layout import NO_SLOT
from clew.engine.snapshot import Snapshot
from clew.index.cosines import Cosines
from clew.query.search.legs import semantic
from clew.query.search.legs.base import Query
from clew.query.search.legs.keyword import keyword_hits
from clew.query.search.legs.registry import LEGS
from clew.query.search.legs.semantic import nearest_notes
from clew.query.search.legs.word_scores import score_words, scores_by_note
from clew.query.search.passage_hits import PASSAGES_MAX, PassageHits, without_passages
from clew.query.search.search_config import SearchConfig
from clew.query.slices import finished
from clew.values.arrays import BoolArray, Int64Array
from clew.values.search_replies import SearchReply
from tests.searches import SEARCH, ask, encode, paths, setting, vault
from tests.vaults import snapshot_of

NOTES = {"tide.md": "the tide", "long.md": "words " * 50, "short.md": "words"}


@dataclass(frozen=True)
class LongNotes:
    """Finds every long note, for any query; the longest is best."""

    characters_min: int
    name: str = "long"
    default_weight: float = 0.5

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        assert set(query.earlier_hits) == {leg.name for leg in LEGS}, "it runs after all others"
        texts = [snapshot.note(path).text for path in snapshot.graph.paths]
        lengths = np.array(list(map(len, texts)), np.float64)
        lengths[lengths < self.characters_min] = 0.0
        if allowed is not None:
            lengths[~allowed] = 0.0
        return without_passages(lengths, snapshot.graph.paths)


def searched(config: SearchConfig | None = None) -> SearchReply:
    given = setting(
        legs=(*LEGS, LongNotes(100)), config=config or SearchConfig(recency=0.0), has_model=False
    )
    return ask(snapshot_of(NOTES), "tide", given=given)


def test_a_new_leg_finds_notes_and_is_shown_under_its_name() -> None:
    row = next(row for row in searched().results if row.uri.endswith("long.md"))
    assert {leg: hit.rank for leg, hit in row.legs.items()} == {"long": 1}
    assert row.score == pytest.approx(0.5 / 61, abs=1e-6), "its default weight"


def test_config_sets_the_weight_of_a_new_leg_by_its_name() -> None:
    assert paths(searched()) == ["tide.md", "long.md"]
    config = SearchConfig(weights={"long": 20.0}, recency=0.0)
    reply = searched(config)
    assert paths(reply) == ["long.md", "tide.md"]
    assert reply.results[0].score == pytest.approx(20.0 / 61, abs=1e-6)


def test_a_mode_of_one_leg_does_not_run_the_legs_after_it() -> None:
    given = setting(legs=(*LEGS, LongNotes(100)), has_model=False)
    reply = ask(snapshot_of(NOTES), "tide", replace(SEARCH, mode="keyword"), given=given)
    assert paths(reply) == ["tide.md"]


def test_a_leg_that_is_turned_off_answers_in_its_own_mode() -> None:
    given = setting(config=SearchConfig(weights={"keyword": 0.0}), has_model=False)
    reply = ask(snapshot_of(NOTES), "tide", replace(SEARCH, mode="keyword"), given=given)
    assert (paths(reply), reply.answered) == (["tide.md"], "yes")


FILLER = "filler " * 300
TEXTS = st.lists(
    st.sampled_from(["tide", "tide tide", "tide gauge", "moon"]), min_size=1, max_size=6
)


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_hits_have_the_best_passages_of_each_note(notes: list[list[str]]) -> None:
    """Compared with a plain sort of the scores of all slots of a note."""
    snapshot = snapshot_of(
        {
            f"n{number}.md": "".join(
                f"## {n}\n\n{FILLER}\n\n{text}\n\n" for n, text in enumerate(texts)
            )
            for number, texts in enumerate(notes)
        }
    )
    ids = snapshot.passages.keyword.ids_of_term("tide")
    scores = finished(score_words(snapshot, [ids]))
    hits = finished(keyword_hits(snapshot, scores, None))
    layout = snapshot.derived.layout
    by_note = finished(scores_by_note(layout, scores, hits.note_ids))
    for index, note_id in enumerate(hits.note_ids.tolist()):
        slots = snapshot.passages.slots.slots_of(note_id)
        slot_numbers = np.arange(slots.start, slots.stop)
        own = dict(zip(scores.own.slots.tolist(), scores.own.scores.tolist(), strict=True))
        by_slot = [(-own.get(slot, 0.0), slot) for slot in slot_numbers.tolist()]
        best = [slot for score, slot in sorted(by_slot) if score < 0][:PASSAGES_MAX]
        padding = [NO_SLOT] * (PASSAGES_MAX - len(best))
        assert hits.slots[index].tolist() == best + padding
        row = hits.scores[index].tolist()
        assert row == sorted(row, reverse=True)
        assert row[0] == hits.note_scores[index] == by_note[note_id]
        assert [score > 0 for score in row] == [n < max(1, len(best)) for n in range(PASSAGES_MAX)]


def test_the_score_of_a_passage_of_the_semantic_leg_is_its_similarity() -> None:
    filler = "An hour in the oven is enough for bread. " * 30
    snapshot = vault(
        {"n.md": f"# A\n\n{filler}\n\n# B\n\nThe tide is high.\n\n{filler}\n\n# C\n\n{filler}"}
    )
    vector = encode("high tide")
    hits = nearest_notes(snapshot, vector)
    similarities = snapshot.passages.vectors.similarities(vector)
    used = hits.slots[0] != NO_SLOT
    assert used.sum() > 1
    assert hits.scores[0][used] == pytest.approx(similarities[hits.slots[0][used]])


def test_nearest_notes_are_the_same_whether_few_or_all_vectors_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subjects = ["the tide", "bread", "a clock", "the moon", "a harbour", "rain", "music", "glass"]
    snapshot = vault(
        {
            f"{number}.md": f"# {subject}\n\n{subject} {number} {FILLER}\n\n## More\n\n{FILLER}"
            for number, subject in enumerate(subjects * 12)
        }
    )
    vector = encode("high tide in the harbour")
    looked_at: list[int] = []
    above_0 = Cosines.above_0

    def counted(self: Cosines, slots: Int64Array) -> Any:
        looked_at.append(len(slots))
        return above_0(self, slots)

    monkeypatch.setattr(Cosines, "above_0", counted)
    monkeypatch.setattr(semantic, "HITS_MAX", 20)
    every = nearest_notes(snapshot, vector)
    monkeypatch.setattr(semantic, "SAMPLED_FROM", 1)
    monkeypatch.setattr(semantic, "SAMPLE_SLOTS", 50)
    for high_slots, tries in (((60, 90), 1), ((2, 60), 2), ((2, 3), 3)):
        monkeypatch.setattr(semantic, "HIGH_SLOTS", high_slots)
        looked_at.clear()
        few = nearest_notes(snapshot, vector)
        assert few.note_ids.tolist() == every.note_ids.tolist()
        assert few.scores.tolist() == every.scores.tolist()
        assert few.slots.tolist() == every.slots.tolist()
        assert len(looked_at) == tries, "more only where the first have too few notes"
        assert looked_at == sorted(looked_at)
        assert looked_at[0] < len(snapshot.passages.vectors) / 2
    is_allowed = np.arange(snapshot.graph.note_slots) % 48 == 5  # too few: all are looked at
    assert len(nearest_notes(snapshot, vector, is_allowed).note_ids) == 2
