"""The methods ``search`` and ``similar``, with the encoding of queries."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clew.query.search.finding.setting import Setting, all_specific
from clew.query.search.search_notes import search
from clew.query.search.similar import NameModel, similar
from clew.query.search.spelling import no_word
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.values import requests, search_replies
from clew.values.arrays import Int8Array

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder


async def answer_search(
    service: VaultService, request: requests.Search, now_s: float
) -> search_replies.SearchReply:
    """Return the reply of a search, with the time it took and its degraded parts."""
    encoder = None if request.mode == "keyword" else await service.tools.model.encoder()
    began_s = time.perf_counter()
    snapshot = service.ready_snapshot()
    setting = setting_for(service, encoder, now_s, needs_vectors=request.mode != "keyword")
    reply = await in_turns(search(snapshot, request, setting), service.tools.shared_work)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


def setting_for(
    service: VaultService, encoder: "Encoder | None", now_s: float, *, needs_vectors: bool = True
) -> Setting:
    """Return the settings of a query, which is degraded if vectors that it needs are missing."""
    encode, reason = _query_encoder(service, encoder)
    degraded = () if reason is None or not needs_vectors else (f"semantic: {reason}",)
    noise = 0.0 if encoder is None else encoder.noise
    config, zone = service.search_config, service.tools.zone
    is_word = no_word if encoder is None else encoder.has_word
    specificity = all_specific if encoder is None else encoder.specificity
    return Setting(
        now_s,
        zone,
        config,
        encode,
        degraded,
        noise=noise,
        is_word=is_word,
        begin=service.tools.beside.begin,
        specificity=specificity,
    )


async def answer_similar(
    service: VaultService, request: requests.Similar
) -> search_replies.SimilarReply:
    """Return the concepts most similar in meaning to one, among those whose names have vectors."""
    # The comparison needs a library that is loaded together with the model.
    encoder = await service.tools.model.encoder()
    snapshot = service.ready_snapshot()
    reason, model = None, None
    if encoder is None:
        reason = service.tools.model.failure or "the model is not loaded"
    elif encoder.fingerprint != snapshot.name_vectors.model and snapshot.graph.note_counts.any():
        reason = "no vectors of concepts are made yet"
    else:
        model = NameModel(snapshot.name_vectors, encoder.knows)
        if service.health.report is not None and service.health.report.names_due:
            reason = "some concepts have no vectors yet"
    degraded = () if reason is None else (f"semantic: {reason}",)
    slices = similar(snapshot, request, model, degraded)
    return await in_turns(slices, service.tools.shared_work)


def _query_encoder(
    service: VaultService, encoder: "Encoder | None"
) -> tuple[Callable[[str], Int8Array] | None, str | None]:
    """Return the function that makes vectors of queries, and why semantic search is incomplete.

    The function is ``None`` if no model is loaded; the reason is ``None`` if nothing is missing.
    """
    if encoder is None:
        return None, service.tools.model.failure or "the model is not loaded"
    model = service.snapshot.passages.vectors.model
    if encoder.fingerprint != model and service.snapshot.entries:
        return None, "no vectors of notes are made yet"
    reason = None
    if service.health.report is not None and service.health.report.vectors_due:
        reason = "some notes have no vectors yet"

    def encode(text: str) -> Int8Array:
        codes: Int8Array = encoder.encode([text]).rows[0]
        return codes

    return encode, reason
