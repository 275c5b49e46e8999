"""The server's side of search: it encodes queries, counts words on a thread, and measures time."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clew.engine.derived.derived_values import Derived
from clew.query.search.search_notes import Setting, search, search_at_once
from clew.query.search.similar import similar
from clew.surface.server.service import VaultService
from clew.values import requests, search_replies
from clew.values.arrays import Int8Array

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder
    from clew.surface.server.single_flight import Work
    from clew.text.fuzzy import Vocabulary


TRIES_MAX = 2  # to search with the vocabulary of a revision that is over before it is counted


async def answer_search(
    service: VaultService, request: requests.Search, now_s: float
) -> search_replies.SearchReply:
    """Return the reply of a search, with the time it took and what does not work just now."""
    encoder = None if request.mode == "keyword" else await service.model.encoder()
    began_s = time.perf_counter()
    reply = None
    for _ in range(TRIES_MAX):
        snapshot = service.ready_snapshot()
        setting = _setting(service, request, encoder, now_s)
        reply = search_at_once(snapshot, request, setting, snapshot.derived.vocabulary)
        if reply is not None:
            break
        await service.counting.once(snapshot.derived, counting)
    else:
        # The vault changes all the time: count its words here, for others must not wait forever.
        setting = _setting(service, request, encoder, now_s)
        reply = search(service.ready_snapshot(), request, setting)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


def _setting(
    service: VaultService, request: requests.Search, encoder: "Encoder | None", now_s: float
) -> Setting:
    encode, reason = _encode(service, encoder)
    degraded = () if reason is None or request.mode == "keyword" else (f"semantic: {reason}",)
    return Setting(now_s, service.zone, service.rules, encode, degraded)


async def answer_similar(
    service: VaultService, request: requests.Similar
) -> search_replies.SimilarReply:
    """Return the concepts near in meaning to one, as far as names have vectors."""
    # Comparing vectors takes a library that is loaded together with the model.
    encoder = await service.model.encoder()
    snapshot = service.ready_snapshot()
    reason, vectors = None, None
    if encoder is None:
        reason = service.model.failure or "the model is not loaded"
    elif encoder.fingerprint != snapshot.name_vectors.model and snapshot.graph.note_counts().any():
        reason = "no vectors of concepts are made yet"
    else:
        vectors = snapshot.name_vectors
        if service.report is not None and service.report.names_due:
            reason = "some concepts have no vectors yet"
    degraded = () if reason is None else (f"semantic: {reason}",)
    return similar(snapshot, request, vectors, degraded)


def counting(derived: Derived) -> "Work[Vocabulary]":
    """Return how to count the words of a revision, and how to keep the count if it is still on."""
    revision = derived.revision

    def keep(vocabulary: "Vocabulary") -> None:
        if derived.revision == revision:
            derived.keep_vocabulary(vocabulary)

    return derived.word_list().vocabulary, keep


def _encode(
    service: VaultService, encoder: "Encoder | None"
) -> tuple[Callable[[str], Int8Array] | None, str | None]:
    """Return the function that makes vectors of queries, and why semantic search is incomplete.

    Either can be ``None``: there is no function, or nothing is missing.
    """
    if encoder is None:
        return None, service.model.failure or "the model is not loaded"
    model = service.snapshot.passages.vectors.model
    if encoder.fingerprint != model and service.snapshot.entries:
        return None, "no vectors of notes are made yet"
    reason = None
    if service.report is not None and service.report.vectors_due:
        reason = "some notes have no vectors yet"

    def encode(text: str) -> Int8Array:
        codes: Int8Array = encoder.encode([text]).rows[0]
        return codes

    return encode, reason
