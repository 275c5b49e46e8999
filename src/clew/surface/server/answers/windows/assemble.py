"""The methods ``assemble``, ``validate`` and ``trace``."""

import asyncio
import time
from collections.abc import Sequence

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.assemble.assembled import assembled
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.gathered import Gathered, gather_given
from clew.query.assemble.pipelines.builtin import NAME, SECTION, built_in
from clew.query.assemble.pipelines.run import Given, run_pipeline
from clew.query.assemble.procedural import procedural_paths
from clew.query.assemble.replying import assemble_reply
from clew.query.assemble.validate import validate
from clew.query.assemble.window import Remembered
from clew.query.context.quoting import one_line
from clew.query.dates import iso
from clew.query.search.finding.setting import Setting
from clew.surface.server.answers.searching import setting_for
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.answers.windows.remembered import kept, recalling, remembered
from clew.surface.server.answers.windows.running import Started, run_all
from clew.surface.server.answers.windows.traces import TASK_CHARACTERS_MAX
from clew.surface.server.service import VaultService
from clew.text.secrets import masked
from clew.values import requests
from clew.values.windows import assemble_replies as replies


async def answer_assemble(
    service: VaultService, request: requests.Assemble, now_s: float
) -> replies.Assemble:
    """Return a window, and remember its trace."""
    encoder = await service.tools.model.encoder()
    began_s = time.perf_counter()
    of_session = await remembered(service, request, now_s)
    snapshot = service.ready_snapshot()
    setting = setting_for(service, encoder, now_s)
    shared = service.tools.shared_work
    paths = await _procedural(service, snapshot)
    given = gather_given(snapshot, request, paths, of_session, now_s)
    gathered = await in_turns(given, shared)
    sources = _pipelines(snapshot, gathered, setting, of_session) + recalling(request, of_session)
    of_pipelines = await run_all(sources, request.timeout_ms / 1000, shared)
    contributions = (*gathered.contributions, *of_pipelines)
    loop = asyncio.get_running_loop()
    reply = await loop.run_in_executor(None, _packed, gathered, contributions, setting.degraded)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    reply = replace(reply, trace=replace(reply.trace, took_ms=took_ms))
    _trace(service, request, reply)
    return reply


async def answer_validate(
    service: VaultService, request: requests.Validate, now_s: float
) -> replies.Validate:
    """Return what of a request could not be used."""
    of_session = await kept(service, request)
    slices = validate(service.ready_snapshot(), request, of_session, now_s)
    return await in_turns(slices, service.tools.shared_work)


def answer_trace(service: VaultService, request: requests.Trace, _: float) -> replies.Trace:
    """Return the last assemblies."""
    last = service.tools.traces.last(request.limit, shows_private=service.shows_private)
    return replies.Trace(revision=service.snapshot.revision, assemblies=last)


async def _procedural(service: VaultService, snapshot: Snapshot) -> Sequence[str]:
    """Return the paths of all preferences and constraints, from the cache if it is of now."""
    cache, key = service.tools.procedural, (snapshot.content_changes, service.shows_private)
    if key not in cache:
        slices = procedural_paths(snapshot)
        paths = await in_turns(slices, service.tools.shared_work)
        for other in [each for each in cache if each[1] == service.shows_private]:
            del cache[other]
        cache[key] = paths
    return cache[key]


def _pipelines(
    snapshot: Snapshot, gathered: Gathered, setting: Setting, of_session: Remembered
) -> list[Started]:
    """Return the pipelines of the vault, or the built-in one if it defines none."""
    request, defined = gathered.request, snapshot.rule_files.pipelines
    task, held = request.task.text, gathered.held
    if not defined:
        slices = built_in(snapshot, task, request.token_budget, held, setting)
        return [(NAME, SECTION, slices)]
    given = Given(snapshot, task, held, setting, of_session)
    return [(each.id, each.section, run_pipeline(each, given)) for each in defined if each.enabled]


def _packed(
    gathered: Gathered, contributions: Sequence[Contribution], degraded: tuple[str, ...]
) -> replies.Assemble:
    # Loading the tokenizer takes 0.4 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    window = assembled(gathered, contributions, count_tokens)
    return assemble_reply(gathered, contributions, window, degraded, count_tokens)


def _trace(service: VaultService, request: requests.Assemble, reply: replies.Assemble) -> None:
    traced = replies.TracedAssembly(
        at=iso(time.time()),
        task=one_line(masked(request.task.text)[0], TASK_CHARACTERS_MAX),
        task_type=request.task.type,
        trace=reply.trace,
        meta=reply.meta,
    )
    service.tools.traces.add(traced, shows_private=service.shows_private)
