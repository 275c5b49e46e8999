"""The method ``doctor``: checks, problems of notes, comparison with a rebuild, dump of the index.

Comparing and dumping take long, so another process does both, on a copy of the index.
"""

import asyncio
import os
from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from clew.engine.indexes import Indexes
from clew.engine.persist.index_file import serialize
from clew.query.doctor.groups import groups_and_page
from clew.query.notes.file_times import file_times
from clew.surface.children import module_command
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.answers.watch_limits import check_watch
from clew.surface.server.paths import shown
from clew.surface.server.service import VaultService
from clew.surface.signals import interrupts_blocked
from clew.values import daemon_replies, ipc, replies, requests
from clew.values.errors import Busy, ClewError
from clew.values.packing import pack

PROBLEMS_MAX = 10_000
CHECK = module_command("clew.surface.indexer.verify")
DUMP = "dump.json"  # the file's name in the state folder
_CHECKED_APART = ("vault", "watch")  # parts with checks of their own
_CHECK_TRIES = 3  # the vault may change during a comparison
_CHECK_WAIT_S = 600.0


async def doctor(service: VaultService, request: requests.Doctor) -> daemon_replies.Doctor:
    """Return the checks, the kinds of problems and suggestions, and a page of their rows.

    Raises:
        InvalidParams: there is no such kind, or the cursor is invalid.
        Busy: another ``doctor`` is comparing or dumping the index.
        ClewError: the dump cannot be written.
    """
    checks = [_check_vault(service), *_check_parts(service)]
    checks += [_check_watch(service), _check_state(service), _check_dates(service)]
    dumped: str | UnsetType = UNSET
    if request.deep or request.dump:
        if service.tools.checking.locked():
            raise Busy(
                "another doctor --deep or --dump is running", "wait for it to end, then try again"
            )
        async with service.tools.checking:
            if request.deep:
                checks.append(await _check_rebuild(service))
            if request.dump:
                dumped = await _dump(service)
    snapshot, problems = service.snapshot, service.problems()[:PROBLEMS_MAX]
    slices = groups_and_page(snapshot, problems, request)
    groups, shown_page = await in_turns(slices, service.tools.shared_work)
    # The search for problems read most of the index, and took 10 MB for 10,000 notes.
    service.receiver.release()
    return daemon_replies.Doctor(
        revision=snapshot.revision,
        total=shown_page.total,
        start=shown_page.start,
        cursor=shown_page.cursor,
        code=request.code,
        checks=tuple(checks),
        groups=tuple(map(_encodable_group, groups)),
        problems=tuple(map(_encodable, shown_page.rows)),
        dump=dumped,
    )


def _encodable_group(group: daemon_replies.ProblemGroup) -> daemon_replies.ProblemGroup:
    examples = tuple(map(_encodable, group.examples))
    return replace(group, fix=_escaped(group.fix), examples=examples)


def _encodable(problem: replies.Problem) -> replies.Problem:
    """Return a problem that JSON can hold: bytes of file names that are not UTF-8 are escaped."""
    value = problem.value if problem.value is None else _escaped(problem.value)
    return replace(problem, message=_escaped(problem.message), value=value)


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _check_vault(service: VaultService) -> daemon_replies.Check:
    vault = shown(service.paths.vault)
    if reason := service.health.degraded_parts().get("vault"):
        fix = service.health.vault_remedy()
        return daemon_replies.Check(name="vault", ok=False, message=reason, fix=fix)
    message = f"{len(service.snapshot.entries)} notes in {vault}"
    return daemon_replies.Check(name="vault", ok=True, message=message, fix=None)


def _check_parts(service: VaultService) -> list[daemon_replies.Check]:
    parts = service.health.degraded_parts()
    broken = {part: why for part, why in parts.items() if part not in _CHECKED_APART}
    fix = "clew sync, or restart the daemon"
    if broken:
        return [
            daemon_replies.Check(name=part, ok=False, message=why, fix=fix)
            for part, why in sorted(broken.items())
        ]
    return [daemon_replies.Check(name="parts", ok=True, message="everything works", fix=None)]


def _check_watch(service: VaultService) -> daemon_replies.Check:
    report = service.health.report
    failure = service.health.degraded_parts().get("watch")
    return check_watch(report.watched_folders if report else 0, failure)


def _check_state(service: VaultService) -> daemon_replies.Check:
    if service.other_vault is None:
        message = "used for this vault only"
        return daemon_replies.Check(name="state", ok=True, message=message, fix=None)
    state, other = shown(service.paths.state), shown(service.other_vault)
    message = (
        f"{state} was last used for {other}: what is remembered of the notes of both vaults is "
        "mixed, such as when they were read"
    )
    fix = "give each vault its own: leave out --state and [server] state, or name another folder"
    return daemon_replies.Check(name="state", ok=False, message=message, fix=fix)


def _check_dates(service: VaultService) -> daemon_replies.Check:
    times, report = file_times(service.snapshot), service.health.report
    remark = f"; git: {report.git_remark}" if report and report.git_remark else ""
    if not times.are_of_copy:
        dated = times.notes - times.without_date
        message = f"{dated} of {times.notes} notes have a date besides their file's{remark}"
        return daemon_replies.Check(name="dates", ok=True, message=message, fix=None)
    message = (
        f"{times.without_date} of {times.notes} notes have no date but their file's, and "
        f"{times.in_one_hour} of these files changed within one hour, as in a copied vault: the "
        f"ages of notes mean little{remark}"
    )
    fix = "copy it with its times (cp -a, rsync -t), or date notes by front matter, name or git"
    return daemon_replies.Check(name="dates", ok=False, message=message, fix=fix)


async def _check_rebuild(service: VaultService) -> daemon_replies.Check:
    for _ in range(_CHECK_TRIES):
        await service.requests.walk(_CHECK_WAIT_S)
        indexes = service.replica.views.whole.indexes
        if is_same := await _run_on_copy(service, indexes, CHECK) == ipc.INDEX_SAME:
            break
    if is_same:
        message = "the index equals a rebuild"
        return daemon_replies.Check(name="rebuild", ok=True, message=message, fix=None)
    message = "the index differs from a rebuild, or the vault changes all the time"
    fix = "clew sync --full, and please report it"
    return daemon_replies.Check(name="rebuild", ok=False, message=message, fix=fix)


async def _dump(service: VaultService) -> str:
    """Write the canonical dump of the index; return the path of the file."""
    path = os.path.join(service.paths.state, DUMP)
    await service.requests.walk(_CHECK_WAIT_S)
    if await _run_on_copy(service, service.indexes, (*CHECK, path)) != ipc.INDEX_DUMPED:
        raise ClewError(f"{shown(path)} cannot be written", "see the daemon's log")
    return shown(path)


async def _run_on_copy(service: VaultService, indexes: Indexes, command: Sequence[str]) -> bytes:
    """Run a command with a copy of ``indexes`` on its stdin; return the line that it prints.

    Raises:
        ClewError: the system starts no process, or no thread to wait for it.
    """
    try:
        with interrupts_blocked():
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
    except (OSError, RuntimeError) as error:
        message = f"the process that checks the index cannot be started: {error}"
        raise ClewError(message, "raise the limit of processes and open files") from error
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(ipc.message_frame(ipc.Start(pack(service.briefing), (), ())))
        async with service.indexer.hold_messages():
            for chunk in serialize(indexes):
                process.stdin.write(ipc.chunk_frame(chunk))
                await process.stdin.drain()
        process.stdin.close()
        return await process.stdout.readline()
    finally:
        if process.returncode is None:
            await _wait_or_kill(process)


async def _wait_or_kill(process: asyncio.subprocess.Process) -> None:
    try:
        async with asyncio.timeout(1.0):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
