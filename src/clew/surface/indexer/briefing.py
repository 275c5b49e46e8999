"""The settings and paths that the server sends to its indexer at the start."""

from msgspec import Struct

from clew.engine.settings import CommunitySettings, IndexerSettings
from clew.values.packing import Unpacker


class Briefing(Struct, frozen=True, kw_only=True):
    """The settings and paths of one indexer."""

    indexer: IndexerSettings
    communities: CommunitySettings
    model: str  # "builtin", a folder, or the id of a model on a hub
    state: str  # folder
    debounce_ms: int
    walk_seconds: float | None  # between walks on the timer; None: depends on their cost
    verbosity: int
    server_pid: int
    # Device and inode that the vault's folder had when the first indexer opened it.
    root_identity: tuple[int, int] | None = None
    approximate_from: int | None = None  # slots of vectors; None: search is always exact
    ignores_state: bool = False  # whether not to load the saved state, since it may crash indexers


unpack_briefing: Unpacker[Briefing] = Unpacker(Briefing)
