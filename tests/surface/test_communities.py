"""When the partition process runs, and which messages the server gets."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from clew.engine.communities.partition_job import (
    SavedCommunities,
    rows_digest,
    rows_to_partition,
)
from clew.engine.communities.saved import load_communities, save_communities
from clew.engine.settings import CommunitySettings
from clew.surface.indexer.background.child_process import REST_SHARE
from clew.surface.indexer.background.partition_scheduler import (
    PARTITION_COMMAND,
    PATIENCE_SECONDS,
    QUIET_SECONDS,
)
from clew.values import ipc
from clew.values.communities import Community, EdgeWeights, Partition
from clew.values.packing import pack
from tests.schedulers import Rig


def test_communities_are_sent_and_saved(rig: Rig) -> None:
    rig.use_script("exec " + " ".join(PARTITION_COMMAND) + ' "$1"')
    assert rig.scheduler.is_due
    rig.rested()
    groups = rig.expected.partition
    assert rig.link.sent == [
        ipc.PartitionStarted(),
        *map(ipc.PartitionCommunity, groups.communities),
        ipc.PartitionFinished(groups.modularity),
    ]
    assert load_communities(str(rig.folder)) == rig.expected
    assert (rig.scheduler.failure, rig.scheduler.is_due) == (None, False)


def test_a_run_starts_some_time_after_the_last_change(rig: Rig) -> None:
    rig.rested()
    rig.edit()
    rig.settle()
    assert rig.scheduler.due_in_s() == QUIET_SECONDS
    rig.settle(QUIET_SECONDS - 0.5)
    assert rig.starts == 1
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS - 0.5)
    assert rig.scheduler.due_in_s() == 0.5
    assert (rig.starts, rig.scheduler.is_due) == (1, True)
    rig.settle(0.5)
    assert rig.starts == 2
    rig.ended()
    assert rig.sent_count == 2


def test_a_run_starts_though_changes_never_end(rig: Rig) -> None:
    rig.rested()
    began_s = rig.clock.now_s
    rig.edit()
    rig.settle()
    while rig.starts == 1:
        rig.edit()
        rig.settle(1.5)
        assert rig.clock.now_s <= began_s + PATIENCE_SECONDS
    assert rig.clock.now_s == began_s + PATIENCE_SECONDS
    rig.ended()


def test_a_long_run_is_followed_by_a_long_pause(rig: Rig) -> None:
    rig.settle()
    rig.ended(after_s=10.0)
    rig.edit()
    rig.settle()
    assert rig.scheduler.due_in_s() == REST_SHARE * 10.0
    for _ in range(13):
        rig.edit()
        rig.settle(3.0)
    assert rig.starts == 1
    rig.settle(1.0)
    assert rig.starts == 2
    rig.ended()


def test_two_runs_never_overlap(rig: Rig) -> None:
    rig.hold()
    rig.settle()
    for _ in range(5):
        rig.edit()
        rig.settle(PATIENCE_SECONDS + 1)
        assert rig.scheduler.due_in_s() is None
    assert rig.starts == 1
    rig.release()
    rig.ended()


def test_changes_during_a_run_cause_another_run(rig: Rig) -> None:
    old = rig.expected.partition
    rig.hold()
    rig.settle()
    rig.edit()
    rig.settle(0.5)
    rig.release()
    rig.ended()
    assert rig.link.sent[1:] == [
        *map(ipc.PartitionCommunity, old.communities),
        ipc.PartitionFinished(old.modularity),
    ]
    assert rig.scheduler.is_due
    rig.settle(QUIET_SECONDS)
    rig.ended()
    assert rig.sent_count == 2
    groups = {row.members for row in rig.expected.partition.communities}
    assert {
        row.members for row in load_communities(str(rig.folder)).partition.communities
    } == groups


def test_an_edit_that_changes_no_edge_causes_no_run(rig: Rig) -> None:
    rig.rested()
    rig.graph.put("1.md", dict.fromkeys(rig.graph.row("1.md"), 7))
    rig.graph.put("alone.md", {"nobody else": 1})
    rig.graph.put("empty.md", {})
    rig.graph.drop("empty.md")
    rig.settle(PATIENCE_SECONDS)
    assert (rig.starts, rig.scheduler.due_in_s(), rig.scheduler.is_due) == (1, None, False)


def test_saved_communities_of_the_same_rows_are_sent_at_once(rig: Rig) -> None:
    rig.rested()
    rig.link.sent.clear()
    rig.use_script("exit 9")
    rig.scheduler = rig.restarted()
    assert rig.scheduler.is_due
    rig.settle()
    groups = rig.expected.partition
    assert rig.link.sent == [
        ipc.PartitionStarted(),
        *map(ipc.PartitionCommunity, groups.communities),
        ipc.PartitionFinished(groups.modularity),
    ]
    rig.settle(PATIENCE_SECONDS)
    assert (rig.starts, rig.scheduler.failure, rig.scheduler.is_due) == (1, None, False)


def test_community_ids_survive_a_restart_with_other_rows(rig: Rig) -> None:
    remembered = rig.expected
    save_communities(str(rig.folder), _renumbered(remembered, 40))
    rig.edit()
    rig.scheduler = rig.restarted()
    rig.rested()
    ids = {row.id for row in load_communities(str(rig.folder)).partition.communities}
    assert 41 in ids


def _renumbered(remembered: SavedCommunities, more: int) -> SavedCommunities:
    rows = remembered.partition.communities
    moved = tuple(Community(row.id + more, row.members, row.central, row.bridges) for row in rows)
    partition = type(remembered.partition)(moved, remembered.partition.modularity)
    return SavedCommunities(remembered.digest, partition, remembered.next_id + more)


@pytest.mark.parametrize(
    "settings", [CommunitySettings(EdgeWeights.RAW), CommunitySettings(max_concepts=3)]
)
def test_other_settings_cause_a_run(rig: Rig, settings: CommunitySettings) -> None:
    rig.graph.put("long.md", dict.fromkeys("abcd", 1))
    rig.rested()
    rig.settings = settings
    rig.scheduler = rig.restarted()
    rig.settle()
    assert rig.starts == 2
    rig.ended()
    assert rig.sent_count == 2
    problems = [(problem.path, problem.code) for problem in rig.scheduler.left_out]
    assert problems == ([("long.md", "tooManyConcepts")] if settings.max_concepts == 3 else [])


def test_the_empty_result_of_a_graph_without_edges_is_sent(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "memory")
    rig.graph.drop("1.md")
    rig.rested()
    assert rig.link.sent == [ipc.PartitionStarted(), ipc.PartitionFinished(0.0)]


def test_the_saved_communities_are_kept_packed(rig: Rig) -> None:
    """As objects they take four times the memory, in a process that rarely needs them."""
    rows, _ = rows_to_partition(rig.graph, rig.settings.weights, rig.settings.max_concepts)
    members = tuple(f"concept {number}" for number in range(10_000))
    partition = Partition((Community(1, members, members[:1], ()),), 0.5)
    saved = SavedCommunities(rows_digest(rows), partition, 2)
    save_communities(str(rig.folder), saved)
    size = len(pack(saved))
    del members, partition, saved
    scheduler = rig.scheduler = rig.restarted()
    tracemalloc.start()
    try:
        rig.settle()
        assert not scheduler.is_due
        rig.link.sent.clear()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < kept < 2 * size
