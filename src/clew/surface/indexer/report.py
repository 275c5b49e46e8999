"""The indexer's report to the server: degraded parts, problems, statistics of walks."""

from clew.engine.reading.indexer import Indexer
from clew.surface.indexer.background.approximate_scheduler import ApproximateScheduler
from clew.surface.indexer.background.partition_scheduler import PartitionScheduler
from clew.surface.indexer.background.vector_backlog import VectorBacklog
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.watching.walker import Walker
from clew.values import ipc
from clew.values.note import Problem


def indexer_report(
    indexer: Indexer,
    walker: Walker,
    saving: Saving,
    communities: PartitionScheduler,
    vectors: VectorBacklog,
    approximate: ApproximateScheduler,
    *,
    stall_count: int,
) -> ipc.IndexerReport:
    """Return the current report; ``stall_count``: how often the loop woke up too late."""
    statistics = walker.statistics
    return ipc.IndexerReport(
        degraded=_degraded(indexer, walker, saving, communities, vectors, approximate),
        vault_replaced=walker.is_replaced,
        vault_emptied=walker.is_emptied,
        problems=_problems(indexer, communities),
        walked_at_s=statistics.at_s,
        walk_ms=round(statistics.took_s * 1000, 3),
        walks=statistics.count,
        missed=statistics.missed,
        overflows=walker.hints.overflows + stall_count,
        watched_folders=walker.hints.folder_count,
        persist_failure=saving.failure,
        saved_at_s=saving.saved_at_s,
        log_records=saving.log_records,
        root_identity=indexer.root.identity,
        communities_due=communities.is_due,
        vectors_due=vectors.is_due,
        names_due=vectors.are_names_due,
    )


def _degraded(
    indexer: Indexer,
    walker: Walker,
    saving: Saving,
    communities: PartitionScheduler,
    vectors: VectorBacklog,
    approximate: ApproximateScheduler,
) -> dict[str, str]:
    """Return the parts that do not work now, each with the reason."""
    held = indexer.settling.held_deletion_count
    reasons = {
        "vault": walker.lost,
        "watch": walker.hints.failure,
        "notes": f"{held} notes are gone at once; kept until a second look" if held else None,
        "state": f"cannot be saved: {saving.failure}" if saving.failure is not None else None,
        "communities": communities.failure,
        "vectors": vectors.failure,
        "approximate": approximate.failure,
    }
    return {part: reason for part, reason in reasons.items() if reason is not None}


def _problems(indexer: Indexer, communities: PartitionScheduler) -> tuple[Problem, ...]:
    """Return the problems of files and settings, at most ``PROBLEMS_MAX``."""
    problems = [*indexer.file_problems(), *communities.left_out]
    return tuple(problems[: ipc.PROBLEMS_MAX])
