"""Build a vault's index from nothing: the reference that every incremental index must equal."""

from collections.abc import Iterable

from clew.embed.encoder import Encoder
from clew.engine.indexer import Indexer, drained
from clew.engine.settings import IndexerSettings
from clew.engine.settling import YOUNG_NS
from clew.engine.snapshot import Snapshot


def read_anew(
    settings: IndexerSettings,
    now_ns: int,
    quarantined: Iterable[str] = (),
    encoder: Encoder | None = None,
) -> Snapshot:
    """Read the whole vault into a new index; with vectors if there is an ``encoder``.

    Raises:
        OSError: the vault's root cannot be listed.
    """
    fresh = Indexer(settings, quarantined)
    found = fresh.look(now_ns)
    drained(fresh.absorb(found, now_ns + YOUNG_NS))  # as if no file had changed lately
    fresh.embedder.encoder = encoder
    if waiting := fresh.embedder.due:
        fresh.embedder.embed(waiting)
    if names := fresh.embedder.due_names:
        fresh.embedder.embed_names(names)
    return fresh.snapshot
