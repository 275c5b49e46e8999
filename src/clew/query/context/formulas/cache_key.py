"""The cache key of a request for context.

Requests whose texts differ only in case, in white space or in closing question marks share a key,
unless that changes which words are names ("the Who", "the who") or name code of the vault, and so
do those that name the same tags in another order.
"""

import re
from collections.abc import Callable

from msgspec import json, structs

from clew.query.search.admission.names import names_in
from clew.text.dates.languages.english import MONTH_VERBS
from clew.text.languages.relation_words import asks_for_code
from clew.text.markdown.code_names import code_names
from clew.text.query_language import SEARCHED_CHARACTERS_MAX, parse_query
from clew.values.requests import Context

WORDS_MAX = 64  # of a query that asks for code, which are looked up
_WORD = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"\b\w+[^\W\dA-Z_][A-Z]\w*")  # it has a capital letter inside


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


def request_key(request: Context, names_code: Callable[[str], bool]) -> bytes:
    """Return the bytes that are equal for equal requests, whatever they wait for.

    ``names_code``: whether code of the vault has an entity with a name.
    """
    filters = request.filters
    if filters is not None:
        filters = structs.replace(
            filters,
            tags=tuple(sorted(set(filters.tags))),
            source=tuple(sorted(set(filters.source))),
            entity=tuple(sorted(set(filters.entity))),
        )
    searched = request.query[:SEARCHED_CHARACTERS_MAX]
    told_by_case = _names(searched), _code_named(searched, names_code)
    return json.encode(told_by_case) + json.encode(
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


def _code_named(query: str, names_code: Callable[[str], bool]) -> list[str]:
    """Return the words of a query that name code of the vault, in which case tells names apart."""
    words = [part for parts in code_names(query, ()) for part in parts]
    if asks_for_code(query):
        words += _WORD.findall(query)[:WORDS_MAX]
    return sorted({word for word in words if names_code(word)})


def _names(query: str) -> list[str]:
    """Return the words whose capitals tell something: names, and "May" at the beginning.

    Identifiers are as likely to be typed in lower case, and so is what is all in capitals.
    """
    words = query.split()
    months = [each for each in words[:1] if each[0].isupper() and each.casefold() in MONTH_VERBS]
    if not any(word[0].islower() for word in words):
        return months
    return sorted(names_in(_IDENTIFIER.sub(" ", query))) + months
