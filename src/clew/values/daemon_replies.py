"""What the daemon tells of itself: typed, as they go over the wire."""

from msgspec import UNSET, UnsetType

from clew.values.replies import Part, Problem, Reply


class Hello(Reply, frozen=True, kw_only=True):
    """The protocol both sides speak from here on."""

    protocol: int
    version: str
    vault: str
    capabilities: tuple[str, ...]


class Progress(Part, frozen=True, kw_only=True):
    """How far the first index has come, in notes."""

    done: int
    total: int


class Stage(Part, frozen=True, kw_only=True):
    """One layer of the index and the revision it stands at."""

    ready: bool
    revision: int


class Walk(Part, frozen=True, kw_only=True):
    """How the vault is looked at."""

    at: str | None  # when the last look at the whole vault ended
    took_ms: float
    count: int
    missed: int  # changes that only a look on the timer found
    overflows: int  # times when hints of changes were, or may have been, lost
    watched: int  # folders


class Persist(Part, frozen=True, kw_only=True):
    """How saving the index goes."""

    ok: bool
    reason: str | None  # why it cannot be saved
    saved_at: str | None  # when it was last saved whole by this indexer
    logged: int  # changes saved since


class Status(Reply, frozen=True, kw_only=True):
    """How the daemon is."""

    ready: bool
    notes: int
    concepts: int
    edges: int
    communities: int
    chunks: int
    vectors: int
    problems: int
    indexing: Progress | None
    stages: dict[str, Stage]
    degraded: tuple[str, ...]
    cache: dict[str, int]
    uptime_s: float
    rss_bytes: dict[str, int]
    walk: Walk
    persist: Persist
    restarts: int  # of the indexer, since the daemon began
    socket: str
    state: str
    vault: str
    version: str


class Applied(Part, frozen=True, kw_only=True):
    """How many notes a walk found changed."""

    added: int
    modified: int
    removed: int


class Sync(Reply, frozen=True, kw_only=True):
    """What a walk of the vault found."""

    applied: Applied
    took_ms: float


class Stopping(Reply, frozen=True, kw_only=True):
    """The daemon ends after this reply."""

    stopping: bool


class Check(Part, frozen=True, kw_only=True):
    """One thing looked at, and what to do if it is not right."""

    name: str
    ok: bool
    message: str
    fix: str | None


class Doctor(Reply, frozen=True, kw_only=True):
    """What was looked at and all problems found."""

    checks: tuple[Check, ...]
    problems: tuple[Problem, ...]
    dump: str | UnsetType = UNSET  # the path of the file, where one was asked for
