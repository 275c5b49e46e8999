"""The ids of the members of a community, which are looked up in steps and then kept."""

import pytest

from clew.engine.caches import member_ids
from clew.engine.caches.member_ids import MemberIds
from clew.engine.communities.current import Communities
from clew.index.graph import ConceptGraph
from clew.query.slices import finished
from clew.values.communities import Community
from tests.counted import counted

MEMBERS = tuple(f"c{n}" for n in range(10))


def communities(revision: int) -> Communities:
    community = Community(1, MEMBERS, MEMBERS[:1], ())
    return Communities(revision, {1: community}, dict.fromkeys(MEMBERS, 1), 0.0)


def test_members_are_looked_up_in_steps_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A community of 14,000 would keep other requests waiting."""
    monkeypatch.setattr(member_ids, "NAMES_AT_ONCE", 4)
    graph, members, latest = ConceptGraph(), MemberIds(), communities(1)
    graph.put("a.md", dict.fromkeys(MEMBERS, 1))
    looked_up = counted(monkeypatch, ConceptGraph, "concept_id")
    assert [len(looked_up) for _ in members.get(graph, latest, 1)] == [4, 8, 10]
    assert finished(members.get(graph, latest, 1)).tolist() == list(range(10))
    assert len(looked_up) == 10


def test_a_request_of_other_communities_in_between_changes_nothing() -> None:
    graph, members = ConceptGraph(), MemberIds()
    graph.put("a.md", dict.fromkeys(MEMBERS[:6], 1))
    later = graph.copy()
    later.put("b.md", dict.fromkeys(MEMBERS[6:], 1))
    steps = members.get(graph, communities(1), 1)
    next(steps)
    assert finished(members.get(later, communities(2), 1)).tolist() == list(range(10))
    assert finished(steps).tolist() == list(range(6))
    assert finished(members.get(later, communities(2), 1)).tolist() == list(range(10))


def test_a_graph_has_no_members_of_a_later_one_that_was_asked_for_before() -> None:
    """Their ids would be beyond its arrays, while a request of an earlier revision still runs."""
    graph, members, latest = ConceptGraph(), MemberIds(), communities(1)
    graph.put("a.md", dict.fromkeys(MEMBERS[:6], 1))
    later = graph.copy()
    later.put("b.md", dict.fromkeys(MEMBERS[6:], 1))
    assert finished(members.get(later, latest, 1)).tolist() == list(range(10))
    assert finished(members.get(graph, latest, 1)).tolist() == list(range(6))
