"""Searches of vaults in memory: notes from text, with vectors of the package's own model."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache

from msgspec.structs import replace

from clew.embed.encoder import Encoder
from clew.embed.models import open_model
from clew.engine.apply import Engine
from clew.engine.embedding import vectors_of
from clew.engine.snapshot import Snapshot
from clew.query.search.finding.setting import Setting, all_specific
from clew.query.search.legs.base import Leg
from clew.query.search.legs.registry import LEGS
from clew.query.search.search_config import SearchConfig
from clew.query.search.search_notes import search
from clew.query.search.spelling import no_word
from clew.query.slices import finished
from clew.text.uri import from_uri
from clew.values.arrays import Int8Array
from clew.values.requests import Filters, Search
from clew.values.search_replies import SearchReply
from clew.values.vault import Batch
from tests.vaults import NOW_S, engine_of

CONFIG = SearchConfig()
SEARCH = Search(query="")


@cache
def encoder() -> Encoder:
    """Return the package's own model."""
    return open_model("builtin")


def encode(text: str) -> Int8Array:
    """Return the vector of a query."""
    found: Int8Array = encoder().encode([text]).rows[0].copy()
    return found


def embed(engine: Engine) -> None:
    """Give every note of ``engine`` its vectors."""
    notes = [read.note for read in engine.snapshot.entries.values()]
    engine.apply(Batch(vectors=vectors_of(encoder(), notes)))


def vault(notes: Mapping[str, str], rules: str | None = None) -> Snapshot:
    """Return the snapshot of a vault with these notes and their vectors."""
    engine = engine_of(notes, rules=rules)
    embed(engine)
    return engine.snapshot


def setting(
    *,
    now_s: float = NOW_S,
    zone: tzinfo = UTC,
    config: SearchConfig = CONFIG,
    has_model: bool = True,
    legs: Sequence[Leg] = LEGS,
) -> Setting:
    """Return the settings of a query."""
    is_word = encoder().has_word if has_model else no_word
    specificity = encoder().specificity if has_model else all_specific
    return Setting(
        now_s,
        zone,
        config,
        encode if has_model else None,
        legs=legs,
        is_word=is_word,
        specificity=specificity,
    )


def ask(
    snapshot: Snapshot,
    query: str,
    request: Search = SEARCH,
    filters: Filters | None = None,
    *,
    given: Setting | None = None,
) -> SearchReply:
    """Return the reply to a search for ``query``, with the other fields of ``request``."""
    wanted = replace(request, query=query, filters=filters)
    return finished(search(snapshot, wanted, given or setting()))


def paths(reply: SearchReply) -> list[str]:
    """Return the paths of the results, best first."""
    return [from_uri(result.uri) for result in reply.results]
