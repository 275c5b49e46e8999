"""Masking of secrets in a whole reply: in titles, headings, names, lines of maps and problems.

Text that is cut is masked where it is made. Here all other texts of notes are masked, in one place,
so that a new method cannot forget it; long lists in runs of rows, as they are encoded. URIs stay as
they are, since they are handed back. Nearly all replies have none, and are sent as they are.
"""

from typing import Any

from msgspec import json

from clew.text.masking.secrets import is_masking, masked, may_have_secrets

# A note is read as it is, and a scratch value is what the client itself stored.
_AS_STORED = frozenset(("read", "session.scratch.get"))
_URI = ("memory://", "concept://")


def masked_reply(method: str, reply: bytes) -> bytes:
    """Return the reply to a call, as JSON, with the secrets in its result or error masked."""
    if method in _AS_STORED or not is_masking.get() or not may_have_secrets(reply):
        return reply
    fields = json.decode(reply)
    shown = {key: _masked(fields[key]) for key in ("result", "error") if key in fields}
    return json.encode({**fields, **shown})


def masked_rows(method: str, rows: bytes) -> bytes:
    """Return some rows of the reply to a call, as a list in JSON, with their secrets masked."""
    if method in _AS_STORED or not is_masking.get() or not may_have_secrets(rows):
        return rows
    return json.encode(_masked(json.decode(rows)))


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.startswith(_URI) else masked(value)[0]
    if isinstance(value, list):
        return [_masked(each) for each in value]
    if isinstance(value, dict):
        return {
            key: each if _is_masked(key, each) else _masked(each) for key, each in value.items()
        }
    return value


def _is_masked(key: str, value: Any) -> bool:
    """Return whether a text stays as it is.

    That of a pack is masked, and its tokens are counted; a cursor is scrambled, and is sent back.
    """
    return key in ("context", "cursor") and isinstance(value, str)
