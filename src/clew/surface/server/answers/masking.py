"""Mask secrets in a whole reply: in titles, headings, names, lines of maps and problems.

Code that cuts a text masks it first. All other texts of notes are masked here, in one place, so
that no new method can forget it; long lists are masked in runs of rows, as they are encoded. URIs
are not changed, since clients send them back. Most replies have no secrets, and are not decoded.
"""

from typing import Any

from msgspec import json

from clew.text.masking.secrets import is_masking, json_may_have_secrets, masked

# The text of a read note is not masked, nor is a scratch value, which the client itself stored.
_AS_STORED = frozenset(("read", "session.scratch.get"))
_URI = ("memory://", "concept://")


def masked_reply(method: str, reply: bytes) -> bytes:
    """Return a reply in JSON with the secrets in its result or error masked."""
    if method in _AS_STORED or not is_masking.get() or not json_may_have_secrets(reply):
        return reply
    fields = json.decode(reply)
    shown = {key: _masked(fields[key]) for key in ("result", "error") if key in fields}
    return json.encode({**fields, **shown})


def masked_rows(method: str, rows: bytes) -> bytes:
    """Return rows of a reply, as a list in JSON, with their secrets masked."""
    if method in _AS_STORED or not is_masking.get() or not json_may_have_secrets(rows):
        return rows
    return json.encode(_masked(json.decode(rows)))


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.startswith(_URI) else masked(value)[0]
    if isinstance(value, list):
        return [_masked(each) for each in value]
    if isinstance(value, dict):
        return {
            key: each if _is_exempt(key, each) else _masked(each) for key, each in value.items()
        }
    return value


def _is_exempt(key: str, value: Any) -> bool:
    """Return whether a text must not be masked here.

    The text of a pack is masked already, and its tokens are counted. A cursor is sent back.
    """
    return key in ("context", "cursor") and isinstance(value, str)
