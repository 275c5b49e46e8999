"""The methods ``hello`` and ``status``."""

import os
import resource
import sys
import time
from collections.abc import Iterable

import numpy as np

from clew import __version__
from clew.engine.snapshot import Snapshot
from clew.query.dates import iso
from clew.surface.client import PROTOCOL
from clew.surface.server.answers.packs.context_cache import ContextCache
from clew.surface.server.paths import shown
from clew.surface.server.service import VaultService
from clew.surface.server.shared_work import Threads
from clew.values import daemon_replies, ipc, replies


def hello(service: VaultService, capabilities: Iterable[str]) -> daemon_replies.Hello:
    """Return the daemon's version, vault and methods."""
    return daemon_replies.Hello(
        revision=service.snapshot.revision,
        protocol=PROTOCOL,
        epoch=service.epoch,
        version=__version__,
        vault=shown(service.paths.vault),
        capabilities=tuple(sorted(capabilities)),
    )


def status(service: VaultService) -> daemon_replies.Status:
    """Return the state of the daemon and the counts of its index."""
    snapshot = service.snapshot
    approximate = snapshot.passages.vectors.approximate
    report = service.health.report
    degraded = _degraded_parts(service)
    stages = _stages(service, has_failed_vectors="vectors" in degraded)
    return daemon_replies.Status(
        revision=snapshot.revision,
        epoch=service.epoch,
        ready=all(stages[part].ready for part in ("graph", "keyword", "code"))
        and not _is_embedding(report),
        notes=len(snapshot.entries),
        concepts=int(np.count_nonzero(snapshot.graph.note_counts)),
        edges=service.requests.edges.count,
        communities=len(snapshot.communities.by_id),
        chunks=snapshot.passages.chunk_count,
        vectors=snapshot.passages.vectors.count,
        vector_search="exact" if approximate is None else "approximate",
        vectors_covered=0 if approximate is None else approximate.coverage.vectors,
        problems=len(service.problems()),
        indexing=_progress(service.receiver.progress),
        stages=stages,
        degraded=tuple(f"{part}: {reason}" for part, reason in sorted(degraded.items())),
        cache=_cache(snapshot, service.tools.contexts),
        uptime_s=round(time.monotonic() - service.started_s, 3),
        rss_bytes={"server": rss_bytes(os.getpid()), "indexer": rss_bytes(service.indexer.pid)},
        walk=_walk(report),
        persist=_persist(report),
        restarts=service.indexer.deaths,
        socket=shown(service.paths.socket),
        state=shown(service.paths.state),
        vault=shown(service.paths.vault),
        version=__version__,
    )


def _degraded_parts(service: VaultService) -> dict[str, str]:
    """Return the reason for each degraded part, with advice for the vault."""
    degraded = service.health.degraded_parts()
    if "vault" in degraded:
        degraded["vault"] += f"; {service.health.vault_remedy()}"
    is_counted = service.requests.edges.revision == service.snapshot.revision
    if service.receiver.ready.is_set() and not is_counted:
        degraded["edges"] = "a very large graph, or a busy indexer: their number is an older one"
    if Threads.are_refused():
        degraded["threads"] = "the system starts none for the server, so requests wait for others"
    return degraded


def _stages(service: VaultService, *, has_failed_vectors: bool) -> dict[str, daemon_replies.Stage]:
    """Return whether each part of the index is ready, and its revision."""
    revision = service.snapshot.revision
    is_indexed = service.receiver.ready.is_set()
    is_embedded = is_indexed and not _is_embedding(service.health.report)
    return {
        "graph": daemon_replies.Stage(ready=is_indexed, revision=revision),
        "keyword": daemon_replies.Stage(ready=is_indexed, revision=revision),
        "vectors": daemon_replies.Stage(
            ready=is_embedded and not has_failed_vectors, revision=revision
        ),
        "communities": _communities_stage(service.snapshot, service.health.report),
        "code": daemon_replies.Stage(
            ready=is_indexed and not _is_reading_code(service.health.report), revision=revision
        ),
    }


def _progress(progress: ipc.ReadingProgress | None) -> replies.Progress | None:
    if progress is None:
        return None
    return replies.Progress(done=progress.done, total=progress.total)


def _is_embedding(report: ipc.IndexerReport | None) -> bool:
    """Return whether notes or concepts still lack vectors."""
    return report is None or report.vectors_due or report.names_due


def _is_reading_code(report: ipc.IndexerReport | None) -> bool:
    return report is None or report.code_due


def _communities_stage(
    snapshot: Snapshot, report: ipc.IndexerReport | None
) -> daemon_replies.Stage:
    revision = snapshot.communities.revision
    is_due = report is None or report.communities_due
    return daemon_replies.Stage(ready=revision is not None and not is_due, revision=revision or 0)


def _cache(snapshot: Snapshot, packs: ContextCache) -> dict[str, int]:
    """Return the summed counts of the query caches."""
    caches = (snapshot.neighbour_cache, snapshot.siblings)
    return {
        "hits": snapshot.cache_counts.hits + packs.counts.hits,
        "misses": snapshot.cache_counts.misses + packs.counts.misses,
        "entries": sum(len(cache.lru) for cache in caches) + len(packs),
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


def rss_bytes(pid: int | None) -> int:
    """Return the resident memory of a process; the peak of this one on systems without /proc."""
    if pid is None:
        return 0
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        if pid == os.getpid():
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return peak if sys.platform == "darwin" else peak * 1024  # bytes on macOS, else KiB
        return 0
