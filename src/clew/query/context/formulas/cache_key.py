"""The cache key of a request for context.

Requests whose texts differ only in case, in white space or in closing question marks share a key,
and so do those that name the same tags in another order.
"""

from msgspec import json, structs

from clew.text.query_language import parse_query
from clew.values.requests import Context


def folded_query(query: str) -> str:
    """Return the text of a query for comparison with others.

    Signs stay, since ``c++`` is not ``c``. A closing question mark stays where it decides whether
    quotes and operators mean something (see ``parse_query``), or where nothing else is left.
    """
    folded = " ".join(query.casefold().split())
    bare = folded.rstrip("?").rstrip()
    if not bare or bare == folded or parse_query(bare).clauses:
        return folded
    return bare


def request_key(request: Context) -> bytes:
    """Return the bytes that are equal for equal requests, whatever they wait for."""
    filters = request.filters
    if filters is not None:
        filters = structs.replace(
            filters,
            tags=tuple(sorted(set(filters.tags))),
            source=tuple(sorted(set(filters.source))),
            entity=tuple(sorted(set(filters.entity))),
        )
    return json.encode(
        structs.replace(
            request,
            query=folded_query(request.query),
            filters=filters,
            exclude=tuple(sorted(set(request.exclude))),
            wait_fresh=False,
            wait_for=(),
            wait_fresh_ms=0,
            as_of=None,  # the moment is a part of the key by itself
        )
    )
