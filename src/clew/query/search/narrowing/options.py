"""Tell options of commands in a query, such as ``-p`` in ``kubectl logs -p``, from exclusions.

A word with a minus before it is an option if some note has it written so, minus and all, on a line
with another word of the query: a pasted command must find the note that has this command.
"""

import re
from itertools import islice

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.legs.keyword import notes_holding
from clew.query.slices import PAUSE, Slices
from clew.text.query_language import (
    SEARCHED_CHARACTERS_MAX,
    Clause,
    ClauseKind,
    ParsedQuery,
    parse_query,
)
from clew.text.terms import query_words
from clew.values.arrays import Int64Array

NOTES_READ_MAX = 64  # for each excluded word: of the notes that have it
OPTIONS_MAX = 8  # excluded words of a query that are looked for
PLACES_MAX = 8  # of the word in a note
LINE_CHARACTERS_MAX = 200
WORDS_MAX = 16  # other words of the query by which the notes to read are chosen


def without_options(snapshot: Snapshot, parsed: ParsedQuery) -> Slices[ParsedQuery]:
    """Return the query with the options of commands as plain text instead of exclusions."""
    excluded = [
        clause
        for clause in dict.fromkeys(parsed.clauses)
        if clause.is_excluded and clause.kind is ClauseKind.WORD
    ]
    if not excluded:
        return parsed
    options: set[str] = set()
    words = list(dict.fromkeys(query_words(parsed.plain[:SEARCHED_CHARACTERS_MAX])))[:WORDS_MAX]
    for clause in excluded[:OPTIONS_MAX]:
        if (yield from _is_option(snapshot, clause, words)):
            options.add(clause.text)
    return parse_query(parsed.query, frozenset(options)) if options else parsed


def _is_option(snapshot: Snapshot, clause: Clause, words: list[str]) -> Slices[bool]:
    """Return whether a note has the excluded word with a minus on a line with another query word.

    Without such a word, the minus may be that of a list.
    """
    if not words:
        return False
    holders = _holding(snapshot, query_words(clause.text)[0])
    shared = np.zeros(len(holders), np.int64)  # the other words of the query that each note has
    for word in words:
        shared += np.isin(holders, _holding(snapshot, word))
        yield PAUSE
    written = re.compile(rf"(?<![\w-])-{re.escape(clause.text)}(?![\w-])")
    best = holders[np.argsort(-shared, kind="stable")][:NOTES_READ_MAX]
    term_of = snapshot.languages.term_of
    terms = set(map(term_of, words))
    for note_id in best.tolist():
        text = snapshot.note(snapshot.graph.path(note_id)).text
        for match in islice(written.finditer(text), PLACES_MAX):
            if not terms.isdisjoint(map(term_of, query_words(_line_around(text, match)))):
                return True
        yield PAUSE
    return False


def _line_around(text: str, match: re.Match[str]) -> str:
    """Return the line of a match, at most ``LINE_CHARACTERS_MAX`` before it and behind it."""
    start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - LINE_CHARACTERS_MAX)
    return text[start : match.end() + LINE_CHARACTERS_MAX].partition("\n")[0]


def _holding(snapshot: Snapshot, word: str) -> Int64Array:
    """Return the notes that have a word, or another of its stem; by rising id."""
    term_of, keyword = snapshot.languages.term_of, snapshot.passages.keyword
    return notes_holding(snapshot, sorted(keyword.ids_of_term(term_of(word))))
