"""What the graph says of the concepts in a query: so much of each, and of so many."""

from itertools import combinations

import pytest

from clew.query.context.insights import insights
from clew.query.context.shown import concepts as concepts_module
from clew.query.context.shown.concepts import SaidByPassage, without_what_is_shown
from clew.query.slices import finished
from clew.values.vault import Batch
from tests.counted import counted
from tests.vaults import NOW_S, engine_of, read_note, snapshot_of


def test_the_strongest_relations_and_the_newest_notes_of_a_concept_are_told() -> None:
    engine = engine_of({})
    notes = (
        read_note(f"{age}.md", f"[[hub]] [[near {age}]] [[other {age}]]", NOW_S - 86_400.0 * age)
        for age in range(100, 108)
    )
    engine.apply(Batch(put=tuple(notes)))
    (found,) = finished(insights(engine.snapshot, "hub", NOW_S))
    names = [f"{kind} {age}" for age in (100, 101, 102) for kind in ("near", "other")]
    assert [relation.name for relation in found.relations] == names
    assert found.relation_count == 16
    assert found.uris == tuple(f"memory://{age}.md" for age in (100, 101, 102))


def test_five_concepts_of_a_query_are_told_and_how_the_first_three_lead_to_each_other() -> None:
    names = [f"word{number}" for number in range(7)]
    snapshot = snapshot_of({f"{name}.md": f"[[{name}]] [[centre]]" for name in names})
    found = finished(insights(snapshot, " ".join(names), NOW_S))
    concepts = [each.entity for each in found if not each.is_path]
    assert concepts == [f"concept://{name}" for name in names[:5]]
    joined = {tuple(each.entity.split()) for each in found if each.is_path}
    assert joined == set(combinations(concepts[:3], 2))


def test_a_path_of_more_than_two_steps_is_not_told() -> None:
    """Most notes of a vault are so near to each other, whatever they are about."""
    links = ("one two", "two three", "three four")
    snapshot = snapshot_of(
        {f"{link}.md": " ".join(map("[[{}]]".format, link.split())) for link in links}
    )

    def steps(query: str) -> list[str]:
        found = finished(insights(snapshot, query, NOW_S))
        return [relation.name for each in found if each.is_path for relation in each.relations]

    assert steps("one three") == ["two", "three"]
    assert steps("one four") == []


def test_a_relation_is_left_out_only_if_a_passage_has_it_beside_the_concept() -> None:
    snapshot = snapshot_of({"a.md": "[[hub]] [[spoke]] [[rim]]"})
    found = finished(insights(snapshot, "hub", NOW_S))
    for passages, names in (
        (["The Hub turns.", "A spoke breaks."], {"spoke", "rim"}),
        (["The Hub turns.", "A spoke of the hub breaks. Rims bend."], {"rim"}),
    ):
        (left,) = without_what_is_shown(found, passages, {})
        assert {relation.name for relation in left.relations} == names


def test_drafts_look_once_for_what_a_passage_says(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of({"a.md": "[[hub]] [[spoke]] [[rim]]"})
    found = finished(insights(snapshot, "hub", NOW_S))
    looked = counted(monkeypatch, concepts_module, "_has_name")
    known: SaidByPassage = {}
    for passages in (["The hub has a rim."], ["A spoke breaks.", "The hub has a rim."]):
        (left,) = without_what_is_shown(found, passages, known)
        assert [relation.name for relation in left.relations] == ["spoke"]
    assert len(looked) == len(set(looked)) == 4


def test_what_a_passage_says_of_one_concept_is_not_taken_for_another() -> None:
    snapshot = snapshot_of({"a.md": "[[hub]] [[spoke]] [[rim]]"})
    both = [
        *finished(insights(snapshot, "hub", NOW_S)),
        *finished(insights(snapshot, "rim", NOW_S)),
    ]
    hub, rim = without_what_is_shown(both, ["The hub has a spoke."], {})
    assert [relation.name for relation in hub.relations] == ["rim"]
    assert {relation.name for relation in rim.relations} == {"hub", "spoke"}
