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
from clew.query.assemble.procedural import TYPES
from clew.query.assemble.replying import assemble_reply
from clew.query.assemble.validate import validate
from clew.query.assemble.window import Remembered
from clew.query.dates import iso
from clew.query.quoting.note_text import one_line
from clew.query.search.finding.setting import Setting
from clew.query.typed_notes import paths_of_types
from clew.surface.server.answers.searching import setting_for
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.answers.windows.pipeline_cache import (
    PipelineKey,
    depends_on_session,
    digest_of,
    with_cache,
)
from clew.surface.server.answers.windows.running import NamedPipeline, run_all
from clew.surface.server.answers.windows.session_memory import (
    recall_pipeline,
    scratch_memory,
    session_memory,
)
from clew.surface.server.answers.windows.traces import TASK_CHARACTERS_MAX
from clew.surface.server.service import VaultService
from clew.surface.server.shared_work import POOL
from clew.text.counting import TokenParts
from clew.text.masking.secrets import masked
from clew.values import requests
from clew.values.windows import assemble_replies as replies


async def answer_assemble(
    service: VaultService, request: requests.Assemble, now_s: float
) -> replies.Assemble:
    """Return a window, and store its trace."""
    encoder = await service.tools.model.encoder()
    began_s = time.perf_counter()
    snapshot = service.ready_snapshot()
    setting = setting_for(service, encoder, now_s)
    of_session = await session_memory(service, snapshot, request, now_s)
    shared = service.tools.shared_work
    paths = await in_turns(paths_of_types(snapshot, TYPES), shared)
    given = gather_given(snapshot, request, paths, of_session, now_s)
    gathered = await in_turns(given, shared)
    sources = _pipelines(service, snapshot, gathered, setting, of_session)
    sources += recall_pipeline(request, of_session)
    of_pipelines = await run_all(sources, request.timeout_ms / 1000, shared)
    contributions = (*gathered.contributions, *of_pipelines)
    loop = asyncio.get_running_loop()
    reply = await loop.run_in_executor(POOL, _packed, gathered, contributions, setting.degraded)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    reply = replace(reply, trace=replace(reply.trace, took_ms=took_ms))
    _trace(service, request, reply)
    return reply


async def answer_validate(
    service: VaultService, request: requests.Validate, now_s: float
) -> replies.Validate:
    """Return the parts of a request that could not be used."""
    snapshot = service.ready_snapshot()
    of_session = await scratch_memory(service, snapshot, request)
    slices = validate(snapshot, request, of_session, now_s)
    return await in_turns(slices, service.tools.shared_work)


def answer_trace(service: VaultService, request: requests.Trace, _: float) -> replies.Trace:
    """Return the last assemblies."""
    last = service.tools.traces.last(request.limit, shows_private=service.shows_private)
    return replies.Trace(revision=service.snapshot.revision, assemblies=last)


def _pipelines(
    service: VaultService,
    snapshot: Snapshot,
    gathered: Gathered,
    setting: Setting,
    of_session: Remembered,
) -> list[NamedPipeline]:
    """Return the enabled pipelines of the vault, or the built-in one if it defines none."""
    request, defined = gathered.request, snapshot.rule_files.pipelines
    task, held = request.task.text, gathered.held
    key = PipelineKey(
        pipeline="",
        request=digest_of(task, request.token_budget, held),
        now_s=setting.now_s,
        content_changes=snapshot.content_changes,
        shows_private=service.shows_private,
        degraded=setting.degraded,
    )
    cache = service.tools.pipelines
    if not defined:
        slices = built_in(snapshot, task, request.token_budget, held, setting)
        return [(NAME, SECTION, with_cache(cache, key, snapshot, slices))]
    given = Given(snapshot, task, held, setting, of_session, gathered.left_out)
    pipelines: list[NamedPipeline] = []
    for pipeline in filter(lambda pipeline: pipeline.enabled, defined):
        slices = run_pipeline(pipeline, given)
        if not depends_on_session(pipeline):
            slices = with_cache(cache, key._replace(pipeline=pipeline.id), snapshot, slices)
        pipelines.append((pipeline.id, pipeline.section, slices))
    return pipelines


def _packed(
    gathered: Gathered, contributions: Sequence[Contribution], degraded: tuple[str, ...]
) -> replies.Assemble:
    # Loading the tokenizer takes 0.3 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    parts = TokenParts(count_tokens)
    window = assembled(gathered, contributions, parts)
    return assemble_reply(gathered, contributions, window, degraded, parts.count)


def _trace(service: VaultService, request: requests.Assemble, reply: replies.Assemble) -> None:
    traced = replies.TracedAssembly(
        at=iso(time.time()),
        task=one_line(masked(request.task.text)[0], TASK_CHARACTERS_MAX),
        task_type=request.task.type,
        trace=reply.trace,
        meta=reply.meta,
    )
    service.tools.traces.add(traced, shows_private=service.shows_private)
