"""What ``doctor`` answers: what is wrong, and whether the index equals a rebuild.

Whatever takes the whole index is done by another process, which is handed all of it.
"""

import asyncio
import os
from collections.abc import Sequence

from clew.engine.persist.index_chunks import serialize
from clew.query.notes.read import to_problem
from clew.surface.children import words_for
from clew.surface.server.paths import shown
from clew.surface.server.service import VaultService
from clew.values import daemon_replies, ipc, requests
from clew.values.errors import Busy, ClewError
from clew.values.packing import pack

PROBLEMS_MAX = 10_000
CHECK = words_for("clew.surface.indexer.verify")
DUMP = "dump.json"  # in the state's folder
_CHECK_TRIES = 3  # the vault may change while it is compared
_CHECK_WAIT_S = 600.0


async def doctor(service: VaultService, request: requests.Doctor) -> daemon_replies.Doctor:
    """Return what was looked at and everything that is wrong.

    Raises:
        Busy: the index is being compared or dumped already.
        ClewError: the dump cannot be written.
    """
    checks = [_check_vault(service), *_check_parts(service)]
    dumped = {}
    if request.deep or request.dump:
        if service.checking.locked():
            raise Busy("the index is being looked through already", "wait for that to end")
        async with service.checking:
            if request.deep:
                checks.append(await _check_rebuild(service))
            if request.dump:
                dumped["dump"] = await _dump(service)
    return daemon_replies.Doctor(
        revision=service.snapshot.revision,
        checks=tuple(checks),
        problems=tuple(map(to_problem, service.problems()[:PROBLEMS_MAX])),
        **dumped,
    )


def _check_vault(service: VaultService) -> daemon_replies.Check:
    vault = shown(service.places.vault)
    if reason := service.degraded_parts().get("vault"):
        fix = service.vault_remedy()
        return daemon_replies.Check(name="vault", ok=False, message=reason, fix=fix)
    message = f"{len(service.snapshot.entries)} notes in {vault}"
    return daemon_replies.Check(name="vault", ok=True, message=message, fix=None)


def _check_parts(service: VaultService) -> list[daemon_replies.Check]:
    broken = {part: why for part, why in service.degraded_parts().items() if part != "vault"}
    fix = "clew sync, or restart the daemon"
    if broken:
        return [
            daemon_replies.Check(name=part, ok=False, message=why, fix=fix)
            for part, why in sorted(broken.items())
        ]
    return [daemon_replies.Check(name="parts", ok=True, message="everything works", fix=None)]


async def _check_rebuild(service: VaultService) -> daemon_replies.Check:
    for _ in range(_CHECK_TRIES):
        await service.look(_CHECK_WAIT_S)
        if is_same := await _hand_over(service, CHECK) == ipc.INDEX_SAME:
            break
    if is_same:
        message = "the index equals a rebuild"
        return daemon_replies.Check(name="rebuild", ok=True, message=message, fix=None)
    message = "the index differs from a rebuild, or the vault changes all the time"
    fix = "clew sync --full, and please report it"
    return daemon_replies.Check(name="rebuild", ok=False, message=message, fix=fix)


async def _dump(service: VaultService) -> str:
    """Have the canonical dump of the index written; return the path of the file."""
    path = os.path.join(service.places.state, DUMP)
    await service.look(_CHECK_WAIT_S)
    if await _hand_over(service, (*CHECK, path)) != ipc.INDEX_DUMPED:
        raise ClewError(f"{shown(path)} cannot be written", "the log of the daemon may say why")
    return shown(path)


async def _hand_over(service: VaultService, words: Sequence[str]) -> bytes:
    """Let another process look through all that is known here; return the line it says."""
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(ipc.message_frame(ipc.Start(pack(service.briefing), (), ())))
        async with service.indexer.held():
            for chunk in serialize(service.indexes):
                process.stdin.write(ipc.chunk_frame(chunk))
                await process.stdin.drain()
        process.stdin.close()
        return await process.stdout.readline()
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
