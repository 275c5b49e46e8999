"""Packs of vaults in memory."""

from typing import Any

from clew.engine.snapshot import Snapshot
from clew.query.context.gather import gather
from clew.query.context.pack import packed
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values.requests import Context
from clew.values.search_replies import ContextReply
from tests.searches import setting


def pack(snapshot: Snapshot, query: str, **fields: Any) -> ContextReply:
    """Return the reply to a request for context."""
    request = Context(query=query, **fields)
    material = finished(gather(snapshot, request, setting(has_model=False)))
    return packed(material, count_tokens)[0]
