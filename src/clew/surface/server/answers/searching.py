"""The server's side of search: vectors of queries, the time it took, and what does not work."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clew.engine.derived.arrays import Derived
from clew.query.search.matching import VocabularyMissing
from clew.query.search.search_notes import Setting, search, search_at_once
from clew.query.search.similar import similar
from clew.surface.server.service import VaultService
from clew.values import requests, search_replies
from clew.values.arrays import Int8Array

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder
    from clew.surface.server.single_flight import Work
    from clew.text.fuzzy import Vocabulary


async def answer_search(
    service: VaultService, request: requests.Search, now_s: float
) -> search_replies.SearchReply:
    """Return what a search finds, with how long it took and what had to be done without."""
    encoder = None if request.mode == "keyword" else await service.model.encoder()
    began_s = time.perf_counter()
    for is_last in (False, False, True):
        snapshot = service.ready_snapshot()
        encode, reason = _encode(service, encoder)
        degraded = () if reason is None or request.mode == "keyword" else (f"semantic: {reason}",)
        setting = Setting(now_s, service.zone, service.rules, encode, degraded)
        try:
            reply = (search if is_last else search_at_once)(snapshot, request, setting)
            break
        except VocabularyMissing:
            await service.counting.once(snapshot.derived, counting)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def answer_similar(
    service: VaultService, request: requests.Similar
) -> search_replies.SimilarReply:
    """Return the concepts near in meaning, as far as vectors of their names are there."""
    encoder = await service.model.encoder()  # it comes with what vectors are compared by
    snapshot = service.ready_snapshot()
    reason, near = None, None
    if encoder is None:
        reason = service.model.failure or "the model is not loaded"
    elif encoder.fingerprint != snapshot.name_vectors.model and snapshot.graph.note_counts().any():
        reason = "no vectors of concepts are made yet"
    else:
        near = snapshot.name_vectors
        if service.report is not None and service.report.names_due:
            reason = "some concepts have no vectors yet"
    return similar(snapshot, request, near, () if reason is None else (f"semantic: {reason}",))


def counting(derived: Derived) -> "Work[Vocabulary]":
    """Return how the words of a revision are counted; if it is over by then, it is for nothing."""
    revision = derived.revision

    def keep(made: "Vocabulary") -> None:
        if derived.revision == revision:
            derived.vocabulary = made

    return derived.word_list().vocabulary, keep


def _encode(
    service: VaultService, encoder: "Encoder | None"
) -> tuple[Callable[[str], Int8Array] | None, str | None]:
    """Return what makes vectors of queries, and what is wrong with the leg that needs them."""
    vectors = service.snapshot.passages.vectors
    if encoder is None:
        return None, service.model.failure or "the model is not loaded"
    if encoder.fingerprint != vectors.model and service.snapshot.entries:
        return None, "no vectors of notes are made yet"
    reason = None
    if service.report is not None and service.report.vectors_due:
        reason = "some notes have no vectors yet"

    def encode(text: str) -> Int8Array:
        codes: Int8Array = encoder.encode([text]).rows[0]
        return codes

    return encode, reason
