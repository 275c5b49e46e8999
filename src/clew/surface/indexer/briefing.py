"""What the server tells its indexer at the start: settings, and where things are."""

from msgspec import Struct

from clew.engine.settings import CommunitySettings, IndexerSettings
from clew.values.packing import Unpacker


class Briefing(Struct, frozen=True, kw_only=True):
    """All that an indexer needs to know."""

    indexer: IndexerSettings
    communities: CommunitySettings
    model: str  # of the vectors: "builtin", a folder or the id of one on a hub
    state: str  # folder
    debounce_ms: int
    walk_seconds: float | None  # between walks on the timer; None: as their cost allows
    verbosity: int
    server_pid: int
    root_identity: tuple[int, int] | None = None  # of the vault's folder to an indexer before
    ignores_state: bool = False  # what was saved may be what ended the indexer before


unpack_briefing: Unpacker[Briefing] = Unpacker(Briefing)
