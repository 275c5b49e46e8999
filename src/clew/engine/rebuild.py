"""Build a vault's index from nothing: the reference that every incremental index must equal."""

from collections.abc import Iterable

from clew.embed.encoder import Encoder
from clew.engine.apply import Engine
from clew.engine.reading.code_roots import code_roots, everything_read
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import drained
from clew.engine.settings import IndexerSettings
from clew.engine.snapshot import Snapshot
from clew.values.vault import Moment

# So late that every file seems old, and is read without waiting until its writer is done.
_LATE = Moment(wall_ns=2**80, steady_ns=0)


def read_anew(
    settings: IndexerSettings,
    quarantined: Iterable[str] = (),
    encoder: Encoder | None = None,
) -> Snapshot:
    """Return a snapshot of ``engine_read_anew``; raises what that does."""
    return engine_read_anew(settings, quarantined, encoder).snapshot


def engine_read_anew(
    settings: IndexerSettings,
    quarantined: Iterable[str] = (),
    encoder: Encoder | None = None,
) -> Engine:
    """Read the whole vault into a new index; with vectors if there is an ``encoder``.

    Raises:
        OSError: the vault's root cannot be listed.
    """
    fresh = Indexer(settings, quarantined)
    drained(fresh.absorb(fresh.look(_LATE), _LATE))
    roots, left_out = code_roots(settings), frozenset(quarantined)
    roots.may_parse = lambda _, content_hash: content_hash not in left_out
    for batch in everything_read(roots, fresh.engine.indexes, _LATE):
        fresh.engine.apply(batch)
    fresh.embedder.encoder = encoder
    if waiting := fresh.embedder.due:
        fresh.embedder.embed(waiting)
    if names := fresh.embedder.due_names:
        fresh.embedder.embed_names(names)
    return fresh.engine
