"""The server's copy of the communities: replaced all at once, even while a revision is received."""

import pytest

from clew.engine.settings import EngineSettings
from clew.surface.server.child.replica import Replica
from clew.values.communities import Community
from clew.values.vault import NoteEvents
from tests.surface.test_replica import replica_of, saved, take

AB = Community(1, ("a", "b"), ("a",), ())
CD = Community(2, ("c", "d"), ("c",), ("d",))
ABC = Community(1, ("a", "b", "c"), ("a",), ())


def seen(replica: Replica) -> tuple[int | None, dict[int, Community], dict[str, int], float]:
    found = replica.snapshot.communities
    return found.revision, dict(found.by_id), dict(found.ids), found.modularity


def divide(replica: Replica, modularity: float, *some: Community) -> None:
    replica.start_communities()
    for community in some:
        replica.add_community(community)
    replica.publish_communities(modularity)


def test_communities_are_published_at_once_with_the_revision_of_their_start() -> None:
    replica = Replica(EngineSettings())
    assert seen(replica) == (None, {}, {}, 0.0)
    take(replica, {"1.md": "[[a]] [[b]]"})
    replica.publish()
    replica.start_communities()
    replica.apply(saved("2.md"))
    for community in (AB, CD):
        replica.add_community(community)
        assert seen(replica) == (None, {}, {}, 0.0)
    replica.publish_communities(0.5)
    first = (1, {1: AB, 2: CD}, {"a": 1, "b": 1, "c": 2, "d": 2}, 0.5)
    assert seen(replica) == first
    held = replica.snapshot
    replica.start_communities()
    replica.add_community(ABC)
    assert seen(replica) == first
    replica.publish_communities(0.25)
    assert seen(replica) == (2, {1: ABC}, {"a": 1, "b": 1, "c": 1}, 0.25)
    assert dict(held.communities.ids) == first[2]


@pytest.mark.parametrize("ends_by", ["publish", "abandon"])
def test_communities_survive_a_new_whole_revision(ends_by: str) -> None:
    replica = replica_of({"1.md": "[[a]] [[b]]"})
    divide(replica, 0.5, AB, CD)
    before = seen(replica)
    take(replica, {"1.md": "[[a]] [[c]]"})
    assert seen(replica) == before
    getattr(replica, ends_by)()
    assert seen(replica) == before
    replica.remember(NoteEvents({"1.md": 5.0}))
    replica.apply(saved("2.md"))
    assert seen(replica) == before


def test_communities_received_with_a_revision_are_in_it_and_in_the_present_one() -> None:
    replica = replica_of({"1.md": "[[a]] [[b]]"})
    take(replica, {"1.md": "[[a]] [[c]]"})
    divide(replica, 0.5, AB)
    before = seen(replica)
    assert before == (1, {1: AB}, {"a": 1, "b": 1}, 0.5)
    replica.publish()
    assert seen(replica) == before


def test_unfinished_communities_of_a_dead_indexer_are_dropped() -> None:
    replica = replica_of({"1.md": "[[a]] [[b]]"})
    replica.start_communities()
    replica.add_community(CD)
    replica.abandon()
    divide(replica, 0.5, AB)
    assert seen(replica)[1:3] == ({1: AB}, {"a": 1, "b": 1})
