"""The parameters of the methods for sessions."""

from typing import Annotated

from msgspec import Meta

from clew.values.requests import SESSION_ID_MAX, ListRequest, Query, Request, Text

CONTENT_CHARACTERS_MAX = 100_000
RECALLED_MAX = 50
KEY_CHARACTERS_MAX = 200

SessionId = Annotated[str, Meta(min_length=1, max_length=SESSION_ID_MAX)]
# The lookahead matches only at the very end of a text, in Python and in JSON Schema alike; ``$``
# would also match before a line end.
NO_CONTROLS = r"^[^\x00-\x1f\x7f-\x9f]*(?![\s\S])"
Role = Annotated[str, Meta(min_length=1, max_length=100, pattern=NO_CONTROLS)]
Key = Annotated[str, Meta(min_length=1, max_length=KEY_CHARACTERS_MAX)]


class SessionAppend(Request, frozen=True, kw_only=True):
    """Add a turn to a session."""

    session_id: SessionId
    role: Role  # such as "user" or "assistant", or a name
    content: Annotated[str, Meta(min_length=1, max_length=CONTENT_CHARACTERS_MAX)]


class SessionDelete(Request, frozen=True, kw_only=True):
    """Remove a session that clew keeps, with its turns and scratch values."""

    session_id: SessionId


class SessionList(ListRequest, frozen=True, kw_only=True):
    """The sessions, the most recently used first."""


class SessionShow(ListRequest, frozen=True, kw_only=True):
    """The turns of one session, in their order."""

    session_id: Text  # may be the URI of a note, as ``session.list`` names it


class SessionRecall(Request, frozen=True, kw_only=True):
    """The turns of all sessions that match the query."""

    query: Query
    session_id: Text | None = None  # the present session, whose turns weigh more
    limit: Annotated[int, Meta(ge=1, le=RECALLED_MAX)] = 5


class ScratchSet(Request, frozen=True, kw_only=True):
    """Set a scratch value."""

    session_id: SessionId | None = None  # without it: the values that all sessions share
    key: Key
    value: str


class ScratchGet(Request, frozen=True, kw_only=True):
    """A scratch value."""

    session_id: SessionId | None = None
    key: Key


class ScratchClear(Request, frozen=True, kw_only=True):
    """Remove a scratch value, or all of a session."""

    session_id: SessionId | None = None
    key: Key | None = None


class ScratchList(ListRequest, frozen=True, kw_only=True):
    """The keys of the scratch values, the most recently set first."""

    session_id: SessionId | None = None
