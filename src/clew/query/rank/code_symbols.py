"""Entities of code as symbols of ``rank``: those whose names have words of the query.

Their importance is the number of files that call something of their name, by its logarithm and
relative to the highest of the entities found: what is called from many places matters.
"""

import math

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.query.code.meaning import symbol_of
from clew.query.rank.legacy import FoldedQuery, folded_query, legacy_relevance, legacy_score
from clew.query.rank.packing import Ranked
from clew.query.rank.symbols import Symbol
from clew.query.search.query_terms import QueryTerms
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.filename import shown_name
from clew.text.terms import query_words
from clew.text.uri import to_uri
from clew.values.code.code_file import note_of
from clew.values.requests import Rank

NAMES_MAX = 200_000  # compared; of more, those that come first
NAMES_KEPT = 200  # the most relevant
FILES_MAX = 50  # with an entity of one name
MILLIONTH_DIGITS = 6


def code_symbols(snapshot: Snapshot, query: QueryTerms, request: Rank) -> Slices[list[Ranked]]:
    """Return the entities that are relevant to a query, best first."""
    index = snapshot.code
    if not index.files:
        return []
    folded = folded_query(query.text)
    scored: list[tuple[float, str]] = []
    for count, name in enumerate(index.entity_names()):
        if count % SLICE_ROWS == 0:
            yield PAUSE
        if count == NAMES_MAX:
            break
        relevance = _relevance(folded, name, is_legacy=request.search_mode == "legacy")
        if relevance:
            scored.append((-relevance, name))
    best = sorted(scored)[:NAMES_KEPT]
    counts = {name: index.call_file_count(name) for _, name in best}
    highest = math.log(2 + max(counts.values(), default=0))
    found: list[Ranked] = []
    for minus_relevance, name in best:
        importance = math.log(2 + counts[name]) / highest
        for path in index.paths_with_entities([name])[:FILES_MAX]:
            found += (
                _ranked(snapshot, ref, -minus_relevance, importance, request)
                for ref in index.named_in(path, name)
            )
        yield PAUSE
    return sorted(found, key=lambda row: (-row.combined, row.symbol.kind, row.symbol.id))


def _relevance(query: FoldedQuery, name: str, *, is_legacy: bool) -> float:
    """Return the relevance of a name: as text, or by the words that it shares with the query."""
    folded = name.casefold()
    if is_legacy:
        return legacy_relevance(query, name)
    if folded == query.text:
        return 1.0
    if not any(word in folded for word in query.words):
        return 0.0
    parts, asked = set(query_words(name)), set(query_words(query.text))
    shared = len(parts & asked)
    return 2 * shared / (len(parts) + len(asked))


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
        symbol_of(snapshot.code, ref),
        shown_name(entity.qualified),
        entity.kind,
        lines=(entity.first_line, entity.last_line),
        code_file=to_uri(note) if note is not None else shown_name(ref[0]),
        tokens=entity.tokens,
    )
    return Ranked(symbol, relevance, importance, round(combined, MILLIONTH_DIGITS))
