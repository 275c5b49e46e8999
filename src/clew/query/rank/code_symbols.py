"""Entities of code as symbols of ``rank``: entities whose names share words with the query.

The importance of an entity is the logarithm of the number of files that call its name, divided by
the highest one of all entities found.
"""

import math
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Self

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.index.code.edges import with_bodies
from clew.query.code.name_resolution import resolve_in_text, symbol_id_of
from clew.query.rank.legacy import FoldedQuery, folded_query, legacy_relevance, legacy_score
from clew.query.rank.packing import Ranked
from clew.query.rank.symbols import Symbol
from clew.query.search.query_terms import QueryTerms
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.filename import shown_name
from clew.text.markdown.code_names import name_parts
from clew.text.terms import query_words
from clew.text.uri import to_uri
from clew.values.code.code_file import note_of
from clew.values.requests import Rank

NAMES_MAX = 200_000  # names that are compared with the query, the first of the index
NAMES_KEPT = 200  # most relevant names, whose entities are looked up
FILES_MAX = 50  # files that are searched for the entities of one name
MILLIONTH_DIGITS = 6
ALIKE_MOST = 0.9  # most relevance of an entity that only shares the name of one that is meant


def code_named(snapshot: Snapshot, query: str) -> frozenset[Ref]:
    """Return the entities that the query as a whole names, such as ``Ledger.Post``."""
    parts = name_parts(query)
    return frozenset(resolve_in_text(snapshot.code, parts)) if parts else frozenset()


def code_symbols(
    snapshot: Snapshot, query: QueryTerms, request: Rank, named: AbstractSet[Ref]
) -> Slices[list[Ranked]]:
    """Return the entities that are relevant to a query, best first.

    ``named``: the entities that the query as a whole names; these are always relevant.
    """
    index = snapshot.code
    parsed, is_legacy = _ParsedQuery.of(query.text), request.search_mode == "legacy"
    relevance_by_name: dict[str, float] = {}
    for count, name in enumerate(index.entity_names()):
        if count % SLICE_ROWS == 0:
            yield PAUSE
        if count == NAMES_MAX:
            break
        relevance = legacy_relevance(parsed.folded, name) if is_legacy else _relevance(parsed, name)
        if relevance:
            relevance_by_name[name] = relevance
    relevance_by_name |= {index.entity(ref).name: 1.0 for ref in named}
    best = sorted(relevance_by_name, key=lambda name: (-relevance_by_name[name], name))[:NAMES_KEPT]
    counts = {name: index.call_file_count(name) for name in best}
    highest = math.log(2 + max(counts.values(), default=0))
    ranked: list[Ranked] = []
    for name in best:
        importance = math.log(2 + counts[name]) / highest
        for path in index.paths_with_entities([name])[:FILES_MAX]:
            refs = index.named_in(path, name)
            # Methods that this file only declares are found in the file that has their bodies.
            defined = {*refs}.intersection(with_bodies(index, refs))
            for ref in filter(defined.__contains__, refs):
                is_other = bool(named) and ref not in named and not is_legacy
                relevance = (
                    min(relevance_by_name[name], ALIKE_MOST)
                    if is_other
                    else relevance_by_name[name]
                )
                ranked.append(_ranked(snapshot, ref, relevance, importance, request))
        yield PAUSE
    return sorted(ranked, key=lambda row: (-row.combined, row.symbol.kind, row.symbol.id))


class _ParsedQuery(NamedTuple):
    folded: FoldedQuery
    words: frozenset[str]  # with parts of names: "verify" and "signature" of ``verifySignature``

    @classmethod
    def of(cls, query: str) -> Self:
        return cls(folded_query(query), frozenset(query_words(query)))


def _relevance(parsed: _ParsedQuery, name: str) -> float:
    """Return the relevance of a name: 1.0 for the query itself, or the share of common words."""
    folded = name.casefold()
    if folded == parsed.folded.text:
        return 1.0
    if not any(word in folded for word in parsed.words):
        return 0.0
    words = set(query_words(name))
    return 2 * len(words & parsed.words) / (len(words) + len(parsed.words))


def _ranked(
    snapshot: Snapshot, ref: Ref, relevance: float, importance: float, request: Rank
) -> Ranked:
    entity, note = snapshot.code.entity(ref), note_of(ref[0])
    combined = relevance * importance
    if request.strategy == "importance":
        combined = importance
    elif request.search_mode == "legacy":
        combined = legacy_score(relevance, importance)
    symbol = Symbol(
        symbol_id_of(snapshot.code, ref),
        shown_name(entity.qualified),
        entity.kind,
        lines=(entity.first_line, entity.last_line),
        code_file=to_uri(note) if note is not None else shown_name(ref[0]),
        tokens=entity.tokens,
    )
    return Ranked(symbol, relevance, importance, round(combined, MILLIONTH_DIGITS))
