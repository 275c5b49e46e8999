"""The replies about the daemon itself."""

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from clew.values.replies import ListReply, Part, Problem, Progress, Reply


class Hello(Reply, frozen=True, kw_only=True):
    """The version of the protocol, and what the daemon can do."""

    protocol: int
    epoch: str
    version: str
    vault: str
    capabilities: tuple[str, ...]


class Subscribed(Reply, frozen=True, kw_only=True):
    """The subscription has begun: later changes are sent, or those after the revision it named."""

    epoch: str


class Changed(Part, frozen=True, kw_only=True):
    """The notes that changed since the client was last told, up to this revision."""

    epoch: str
    revision: int
    added: tuple[str, ...]
    modified: tuple[str, ...]
    removed: tuple[str, ...]
    overflow: bool  # the changes are too many or unknown, so the lists are empty


class MethodSchema(Part, frozen=True, kw_only=True):
    """The JSON Schemas of a method's parameters and result."""

    about: str
    params: dict[str, Any]
    result: dict[str, Any]


class Describe(Reply, frozen=True, kw_only=True):
    """The methods by name."""

    methods: dict[str, MethodSchema]


class Stage(Part, frozen=True, kw_only=True):
    """One part of the index and its revision."""

    ready: bool
    revision: int


class Walk(Part, frozen=True, kw_only=True):
    """How the vault is watched and walked."""

    at: str | None  # when the last walk over the whole vault ended
    took_ms: float
    count: int
    missed: int  # changes that a walk found although no hint named them
    overflows: int  # times when hints of changes were lost, or may have been
    watched: int  # number of watched folders


class Persist(Part, frozen=True, kw_only=True):
    """Whether the index is saved."""

    ok: bool
    reason: str | None  # why it cannot be saved
    saved_at: str | None  # when this indexer last saved a whole revision
    logged: int  # changes saved after that


class Status(Reply, frozen=True, kw_only=True):
    """The state of the daemon."""

    epoch: str  # differs in each life of a daemon, within which revisions rise
    ready: bool
    notes: int
    concepts: int
    edges: int
    communities: int
    chunks: int
    vectors: int
    vector_search: Literal["exact", "approximate"]  # how the semantic leg finds vectors
    vectors_covered: int  # vectors in the approximate index that is in use; 0 if none is
    problems: int
    indexing: Progress | None
    stages: dict[str, Stage]
    degraded: tuple[str, ...]
    cache: dict[str, int]
    uptime_s: float
    rss_bytes: dict[str, int]
    walk: Walk
    persist: Persist
    restarts: int  # restarts of the indexer since the daemon started
    socket: str
    state: str
    vault: str
    version: str


class Applied(Part, frozen=True, kw_only=True):
    """The number of changes that a walk found."""

    added: int
    modified: int
    removed: int


class Sync(Reply, frozen=True, kw_only=True):
    """The result of a walk over the vault."""

    applied: Applied
    took_ms: float


class Stopping(Reply, frozen=True, kw_only=True):
    """The daemon stops after this reply."""

    stopping: bool


class Check(Part, frozen=True, kw_only=True):
    """One check, with what to do if it fails."""

    name: str
    ok: bool
    message: str
    fix: str | None


class ProblemGroup(Part, frozen=True, kw_only=True):
    """All problems, or suggestions, of one kind."""

    code: str
    kind: Literal["problem", "suggestion"]
    count: int
    about: str
    fix: str
    examples: tuple[Problem, ...]  # the first few


class Doctor(ListReply, frozen=True, kw_only=True):
    """All checks, the kinds of problems and suggestions, and a page of problems or of one kind."""

    code: str | None  # the requested kind
    checks: tuple[Check, ...]
    groups: tuple[ProblemGroup, ...]
    problems: tuple[Problem, ...]
    dump: str | UnsetType = UNSET  # the path of the dump, if one was requested
