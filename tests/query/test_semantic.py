"""The semantic leg: notes by their nearest chunk, for any number of chunks."""

import pytest

from clew.query.search.legs.semantic import nearest_notes
from clew.query.search.passage_hits import HITS_MAX
from tests.searches import encode, encoder, vault

SLOW = "The clock was slow in the cold weather. " * 7
LOG = "".join(f"## Entry {n}\n\n{SLOW}\n\n" for n in range(HITS_MAX + 50))
NOTES = {
    "log.md": LOG,
    "right.md": "Timepieces lag when temperatures fall.",
    "other.md": "Bread needs an hour in the oven.",
}


def test_a_long_note_hides_no_other() -> None:
    snapshot = vault(NOTES)
    assert len(snapshot.note("log.md").chunks) > HITS_MAX
    hits = nearest_notes(snapshot, encode("clock slow in cold weather"))
    found = [snapshot.graph.path(note) for note in hits.note_ids.tolist()]
    assert found == ["log.md", "right.md", "other.md"]
    assert hits.note_scores.tolist() == sorted(hits.note_scores.tolist(), reverse=True)
    slots = snapshot.passages.slots.note_ids[hits.slots[:, 0]]
    assert slots.tolist() == hits.note_ids.tolist()


@pytest.mark.parametrize("sign", ["", "\u2019", "\u2014\u2026"])
def test_a_long_text_has_a_vector_whatever_signs_it_has(sign: str) -> None:
    text = "the tide gauge counts the waves of the harbour " * 110 + sign
    assert encoder().encode([text]).rows.any()


def test_a_text_in_a_script_unknown_to_the_model_has_no_vector() -> None:
    thai = "\u0e01\u0e32\u0e23\u0e27\u0e31\u0e14 " * 2_000
    assert not encoder().encode([f"{thai}tide"]).rows.any()
