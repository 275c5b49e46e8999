"""How the daemon is: what ``hello`` and ``status`` answer."""

import os
import resource
import time
from collections.abc import Iterable

from clew import __version__
from clew.engine.snapshot import Snapshot
from clew.query.dates import iso
from clew.surface.server.paths import shown
from clew.surface.server.service import VaultService
from clew.values import daemon_replies, ipc

PROTOCOL = 1


def hello(service: VaultService, capabilities: Iterable[str]) -> daemon_replies.Hello:
    """Return what this daemon is and can do."""
    return daemon_replies.Hello(
        revision=service.snapshot.revision,
        protocol=PROTOCOL,
        version=__version__,
        vault=shown(service.places.vault),
        capabilities=tuple(sorted(capabilities)),
    )


def status(service: VaultService) -> daemon_replies.Status:
    """Return how the daemon is."""
    snapshot = service.snapshot
    is_ready = service.ready.is_set()
    progress = service.progress
    degraded = service.degraded_parts()
    if "vault" in degraded:
        degraded["vault"] += f"; {service.vault_remedy()}"
    if is_ready and service.edges[0] != snapshot.revision:
        degraded["edges"] = "a very large graph, or a busy indexer: their number is an older one"
    return daemon_replies.Status(
        revision=snapshot.revision,
        ready=is_ready and not _is_embedding(service),
        notes=len(snapshot.entries),
        concepts=len(snapshot.graph.concepts()),
        edges=service.edges[1],
        communities=len(snapshot.communities.by_id),
        chunks=snapshot.passages.chunk_count,
        vectors=snapshot.passages.vectors.count,
        problems=len(service.problems()),
        indexing=daemon_replies.Progress(done=progress.done, total=progress.total)
        if progress
        else None,
        stages={
            "graph": daemon_replies.Stage(ready=is_ready, revision=snapshot.revision),
            "keyword": daemon_replies.Stage(ready=is_ready, revision=snapshot.revision),
            "vectors": daemon_replies.Stage(
                ready=is_ready and not _is_embedding(service) and "vectors" not in degraded,
                revision=snapshot.revision,
            ),
            "communities": _communities_stage(service),
        },
        degraded=tuple(f"{part}: {why}" for part, why in sorted(degraded.items())),
        cache=_cache(snapshot),
        uptime_s=round(time.monotonic() - service.started_s, 3),
        rss_bytes={
            "server": _rss_bytes(os.getpid()),
            "indexer": _rss_bytes(service.indexer.pid),
        },
        walk=_walk(service.report),
        persist=_persist(service.report),
        restarts=service.indexer.deaths,
        socket=shown(service.places.socket),
        state=shown(service.places.state),
        vault=shown(service.places.vault),
        version=__version__,
    )


def _is_embedding(service: VaultService) -> bool:
    """Tell whether vectors are being made."""
    report = service.report
    return report is None or report.vectors_due or report.names_due


def _communities_stage(service: VaultService) -> daemon_replies.Stage:
    found = service.snapshot.communities
    is_due = service.report is None or service.report.communities_due
    return daemon_replies.Stage(
        ready=found.revision is not None and not is_due, revision=found.revision or 0
    )


def _cache(snapshot: Snapshot) -> dict[str, int]:
    """Return the counts of the query caches, added up."""
    caches = [
        cache.lru
        for cache in (snapshot.around, snapshot.member_rows, snapshot.member_rows.siblings)
    ]
    return {
        "hits": sum(cache.hits for cache in caches),
        "misses": sum(cache.misses for cache in caches),
        "entries": sum(len(cache) for cache in caches),
    }


def _walk(report: ipc.IndexerReport | None) -> daemon_replies.Walk:
    if report is None:
        return daemon_replies.Walk(at=None, took_ms=0.0, count=0, missed=0, overflows=0, watched=0)
    return daemon_replies.Walk(
        at=iso(report.walked_at_s) if report.walks else None,
        took_ms=report.walk_ms,
        count=report.walks,
        missed=report.missed,
        overflows=report.overflows,
        watched=report.watched_folders,
    )


def _persist(report: ipc.IndexerReport | None) -> daemon_replies.Persist:
    if report is None:
        return daemon_replies.Persist(ok=True, reason=None, saved_at=None, logged=0)
    return daemon_replies.Persist(
        ok=report.persist_failure is None,
        reason=report.persist_failure,
        saved_at=iso(report.saved_at_s) if report.saved_at_s else None,
        logged=report.log_records,
    )


def _rss_bytes(pid: int | None) -> int:
    if pid is None:
        return 0
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        if pid == os.getpid():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return 0
