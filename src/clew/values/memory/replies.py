"""The replies of the methods for sessions."""

from clew.values.replies import ListReply, Part, Reply


class Appended(Reply, frozen=True, kw_only=True):
    """A turn was added and saved."""

    uri: str | None  # the note that it was written to; null: it is kept in the state
    turn: int  # its number in the session, from 1
    time: str


class Deleted(Reply, frozen=True, kw_only=True):
    """The counts of what a removed session held; zero if there was no such session."""

    turns: int
    scratch_keys: int


class SessionRow(Part, frozen=True, kw_only=True):
    """One session of a list."""

    session_id: str
    turns: int
    scratch_keys: int
    first: str | None  # the time of the first turn
    last: str | None  # when something was added last
    uri: str | None  # the note that holds it; null: it is kept in the state


class Sessions(ListReply, frozen=True, kw_only=True):
    """Sessions, the most recently used first."""

    sessions: tuple[SessionRow, ...]


class ShownTurn(Part, frozen=True, kw_only=True):
    """A turn of a session."""

    turn: int  # its number in the session, from 1
    role: str
    time: str
    text: str
    truncated: bool  # only the start of the text is here
    uri: str | None  # the reference of its lines, if it is in a note


class ShownTurns(ListReply, frozen=True, kw_only=True):
    """The turns of one session, in their order; none if there is no such session."""

    turns: tuple[ShownTurn, ...]


class RecalledTurn(Part, frozen=True, kw_only=True):
    """A turn that matches the query."""

    session_id: str
    turn: int
    role: str
    time: str
    text: str
    truncated: bool  # only the start of the text is here
    similarity: float
    relevance: float
    uri: str | None


class Recalled(Reply, frozen=True, kw_only=True):
    """The turns that match a query, best first."""

    turns: tuple[RecalledTurn, ...]
    searched: int  # number of turns searched: the newest ones
    total: int
    degraded: tuple[str, ...]


class ScratchStored(Reply, frozen=True, kw_only=True):
    """A scratch value was set and saved."""

    time: str


class ScratchValue(Reply, frozen=True, kw_only=True):
    """A scratch value; both are null if the key has none."""

    value: str | None
    time: str | None


class ScratchCleared(Reply, frozen=True, kw_only=True):
    """Scratch values were removed."""

    cleared: int


class ScratchKey(Part, frozen=True, kw_only=True):
    """One key of a list."""

    key: str
    characters: int
    time: str


class ScratchKeys(ListReply, frozen=True, kw_only=True):
    """The keys of a session's scratch values."""

    keys: tuple[ScratchKey, ...]
