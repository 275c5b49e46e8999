"""The cache key of a request for context.

Requests whose texts differ only in case, in white space or in closing question marks share a key,
unless that changes which words are names ("the Who", "the who"), and so do those that name the same
tags in another order. Case always counts where a vault has code, in which identifiers differ by it.
"""

import re

from msgspec import json, structs

from clew.query.search.admission.names import names_in
from clew.text.dates.languages.english import MONTH_VERBS
from clew.text.query_language import parse_query
from clew.values.requests import Context

_IDENTIFIER = re.compile(r"\b\w+[^\W\dA-Z_][A-Z]\w*")  # it has a capital letter inside


def folded_query(query: str, *, has_code: bool = False) -> str:
    """Return the text of a query for comparison with others; its case counts with ``has_code``.

    Signs stay, since ``c++`` is not ``c``. A closing question mark stays where it decides whether
    quotes and operators mean something (see ``parse_query``), or where nothing else is left.
    """
    folded = " ".join((query if has_code else query.casefold()).split())
    bare = folded.rstrip("?").rstrip()
    if not bare or bare == folded or parse_query(bare).clauses:
        return folded
    return bare


def request_key(request: Context, *, has_code: bool) -> bytes:
    """Return the bytes that are equal for equal requests, whatever they wait for.

    ``has_code``: the vault has code.
    """
    filters = request.filters
    if filters is not None:
        filters = structs.replace(
            filters,
            tags=tuple(sorted(set(filters.tags))),
            source=tuple(sorted(set(filters.source))),
            entity=tuple(sorted(set(filters.entity))),
        )
    return json.encode(_told_by_case(request.query)) + json.encode(
        structs.replace(
            request,
            query=folded_query(request.query, has_code=has_code),
            filters=filters,
            exclude=tuple(sorted(set(request.exclude))),
            wait_fresh=False,
            wait_for=(),
            wait_fresh_ms=0,
            as_of=None,  # the moment is a part of the key by itself
        )
    )


def _told_by_case(query: str) -> list[str]:
    """Return the words whose capitals tell something: names, and "May" at the beginning.

    Identifiers are as likely to be typed in lower case.
    """
    first = query.split(maxsplit=1)[:1]
    months = [word for word in first if word[0].isupper() and word.casefold() in MONTH_VERBS]
    return sorted(names_in(_IDENTIFIER.sub(" ", query))) + months
