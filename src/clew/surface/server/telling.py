"""How the daemon is: what ``hello``, ``status`` and ``doctor`` answer."""

import asyncio
import os
import resource
import time
from collections.abc import Iterable

from clew import __version__
from clew.engine.sealing import seal
from clew.query.moments import iso
from clew.query.notes import to_problem
from clew.surface.children import words_for
from clew.surface.server.places import shown
from clew.surface.server.service import VaultService
from clew.values import daemon, feed
from clew.values.errors import Busy
from clew.values.packing import pack

PROTOCOL = 1
PROBLEMS_MAX = 10_000
CHECK = words_for("clew.surface.indexer.check")
_CHECK_TRIES = 3  # the vault may change while it is compared
_CHECK_WAIT_S = 600.0


def hello(service: VaultService, capabilities: Iterable[str]) -> daemon.Hello:
    """Return what this daemon is and can do."""
    return daemon.Hello(
        revision=service.snapshot.revision,
        protocol=PROTOCOL,
        version=__version__,
        vault=shown(service.places.vault),
        capabilities=tuple(sorted(capabilities)),
    )


def status(service: VaultService) -> daemon.Status:
    """Return how the daemon is."""
    snapshot = service.snapshot
    is_ready = service.ready.is_set()
    progress = service.progress
    degraded = service.degraded_parts()
    if is_ready and service.edges[0] != snapshot.revision:
        degraded["edges"] = "a very large graph, or a busy indexer: their number is an older one"
    return daemon.Status(
        revision=snapshot.revision,
        ready=is_ready and not _is_embedding(service),
        notes=len(snapshot.entries),
        concepts=len(snapshot.graph.concepts()),
        edges=service.edges[1],
        communities=len(snapshot.communities.by_id),
        chunks=snapshot.passages.chunk_count,
        vectors=snapshot.passages.vectors.count,
        problems=len(service.problems()),
        indexing=daemon.Progress(done=progress.done, total=progress.total) if progress else None,
        stages={
            "graph": daemon.Stage(ready=is_ready, revision=snapshot.revision),
            "keyword": daemon.Stage(ready=is_ready, revision=snapshot.revision),
            "vectors": daemon.Stage(
                ready=is_ready and not _is_embedding(service) and "vectors" not in degraded,
                revision=snapshot.revision,
            ),
            "communities": _communities_stage(service),
        },
        degraded=tuple(f"{part}: {why}" for part, why in sorted(degraded.items())),
        cache={"hits": 0, "misses": 0, "entries": 0},
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


def _communities_stage(service: VaultService) -> daemon.Stage:
    found = service.snapshot.communities
    is_due = service.report is None or service.report.communities_due
    return daemon.Stage(
        ready=found.revision is not None and not is_due, revision=found.revision or 0
    )


def _walk(report: feed.Report | None) -> daemon.Walk:
    if report is None:
        return daemon.Walk(at=None, took_ms=0.0, count=0, missed=0, overflows=0, watched=0)
    return daemon.Walk(
        at=iso(report.walked_at_s) if report.walks else None,
        took_ms=report.walk_ms,
        count=report.walks,
        missed=report.missed,
        overflows=report.overflows,
        watched=report.watched_folders,
    )


def _persist(report: feed.Report | None) -> daemon.Persist:
    if report is None:
        return daemon.Persist(ok=True, reason=None, saved_at=None, logged=0)
    return daemon.Persist(
        ok=report.persist_failure is None,
        reason=report.persist_failure,
        saved_at=iso(report.saved_at_s) if report.saved_at_s else None,
        logged=report.log_records,
    )


async def doctor(service: VaultService, *, deep: bool) -> daemon.Doctor:
    """Return what was looked at and everything that is wrong.

    Raises:
        Busy: the index is being compared with a rebuild already.
    """
    checks = [_check_vault(service), *_check_parts(service)]
    if deep:
        checks.append(await _check_rebuild(service))
    return daemon.Doctor(
        revision=service.snapshot.revision,
        checks=tuple(checks),
        problems=tuple(map(to_problem, service.problems()[:PROBLEMS_MAX])),
    )


def _check_vault(service: VaultService) -> daemon.Check:
    vault = shown(service.places.vault)
    if reason := service.degraded_parts().get("vault"):
        return daemon.Check(name="vault", ok=False, message=reason, fix="bring it back")
    message = f"{len(service.snapshot.entries)} notes in {vault}"
    return daemon.Check(name="vault", ok=True, message=message, fix=None)


def _check_parts(service: VaultService) -> list[daemon.Check]:
    broken = {part: why for part, why in service.degraded_parts().items() if part != "vault"}
    fix = "clew sync, or restart the daemon"
    if broken:
        return [
            daemon.Check(name=part, ok=False, message=why, fix=fix)
            for part, why in sorted(broken.items())
        ]
    return [daemon.Check(name="parts", ok=True, message="everything works", fix=None)]


async def _check_rebuild(service: VaultService) -> daemon.Check:
    if service.checking.locked():
        raise Busy("the index is being compared already", "wait for that to end")
    async with service.checking:
        for _ in range(_CHECK_TRIES):
            await service.look(_CHECK_WAIT_S)
            if is_same := await _equals_rebuild(service):
                break
    if is_same:
        message = "the index equals a rebuild"
        return daemon.Check(name="rebuild", ok=True, message=message, fix=None)
    message = "the index differs from a rebuild, or the vault changes all the time"
    fix = "clew sync --full, and please report it"
    return daemon.Check(name="rebuild", ok=False, message=message, fix=fix)


async def _equals_rebuild(service: VaultService) -> bool:
    """Let another process compare what is known here with what the vault says."""
    process = await asyncio.create_subprocess_exec(
        *CHECK, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(feed.message_frame(feed.Start(pack(service.briefing), (), ())))
        async with service.indexer.held():
            for chunk in seal(service.indexes):
                process.stdin.write(feed.chunk_frame(chunk))
                await process.stdin.drain()
        process.stdin.close()
        return await process.stdout.readline() == feed.SAME
    finally:
        if process.returncode is None:
            await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    try:
        async with asyncio.timeout(1.0):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


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
