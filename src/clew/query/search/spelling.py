"""Spelling correction of query words by the words of the vault.

Only a run of letters and digits that the user typed as a word can be misspelt; the parts into which
a compound or an identifier is cut are never corrected.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from clew.engine.snapshot import Snapshot
from clew.query.search.query_terms import CHARACTERS_MAX, QueryTerms, query_terms
from clew.text.fuzzy import SHORT_LETTERS_MAX, Correction
from clew.text.terms import LANGUAGES, term_of
from clew.values import search_replies

SLIP_LETTERS_MIN = 4  # shorter words are not corrected as slips


def unknown_words(query: QueryTerms, language: str, known_terms: AbstractSet[str]) -> list[str]:
    """Return the words of ``query``, outside of phrases, whose terms are not ``known_terms``."""
    typed_words = {run.casefold() for run in _runs(query.plain)}
    stemmer = LANGUAGES[language]
    words = (word for word in query.words if word in typed_words)
    return [word for word in words if term_of(word, stemmer) not in known_terms]


def may_hold_slip(word: str) -> bool:
    """Return whether ``word`` is long enough to be corrected as a slip, and has no digit."""
    return len(word) >= SLIP_LETTERS_MIN and not any(map(str.isdecimal, word))


def is_slip(correction: Correction) -> bool:
    """Return whether one letter is missing or extra, or two are exchanged.

    The first letter must be right, and a short word may not have an extra letter: ``four`` is not
    ``for``. A wider rule would change correct words: replacing one letter turns ``kind`` into
    ``king``.
    """
    word, corrected = correction.word, correction.corrected
    if correction.distance > 1 or word[0] != corrected[0]:
        return False
    if len(word) > len(corrected):
        return len(word) > SHORT_LETTERS_MAX
    return len(word) < len(corrected) or sorted(word) == sorted(corrected)


def within_one_edit(query: QueryTerms, corrections: list[Correction]) -> list[Correction]:
    """Return the corrections to make where the vault knows none of the query's words.

    Several corrected words would make another query: only the first that takes one edit is
    corrected. A single word is corrected like any other.
    """
    if len(query.words) == 1:
        return corrections
    return [each for each in corrections if each.distance == 1][:1]


def corrected_query(
    snapshot: Snapshot, query: QueryTerms, corrections: Sequence[Correction]
) -> QueryTerms:
    """Return ``query`` with its corrections made."""
    plain = corrected_text(query.plain, corrections)
    # The correction may be a stop word, so that no term is left.
    return query_terms(plain, snapshot.language, phrases=query.phrases, may_be_empty=True)


def corrected_text(text: str, corrections: Sequence[Correction]) -> str:
    """Return ``text`` with its misspelt words replaced, and everything else unchanged."""
    corrected_by_word = {each.word: each.corrected for each in corrections}
    return "".join(corrected_by_word.get(run.casefold(), run) for run in _runs(text))


def correction_reply(
    query: str, corrections: Sequence[Correction], spans: Sequence[tuple[int, int]] | None = None
) -> search_replies.FuzzyCorrection | None:
    """Return how a reply shows that ``query`` was corrected; ``None`` if it was not.

    ``spans`` are where the query is plain text; ``None``: all of it.
    """
    if not corrections:
        return None
    rows = tuple(
        search_replies.Correction(from_=each.word, to=each.corrected, distance=each.distance)
        for each in corrections
    )
    plain_spans = [(0, CHARACTERS_MAX)] if spans is None else spans
    corrected = _corrected_spans(query, corrections, plain_spans)
    return search_replies.FuzzyCorrection(from_=query, to=corrected, corrections=rows)


def _corrected_spans(
    query: str, corrections: Sequence[Correction], spans: Iterable[tuple[int, int]]
) -> str:
    """Return ``query`` with its misspelt words replaced in these spans, which rise."""
    pieces, position = [], 0
    for start, end in spans:
        pieces += [query[position:start], corrected_text(query[start:end], corrections)]
        position = end
    return "".join([*pieces, query[position:]])


def _runs(text: str) -> list[str]:
    """Cut ``text`` into runs of letters, marks and digits, and the runs between them."""
    composed = unicodedata.normalize("NFC", text)
    runs = groupby(composed, lambda character: unicodedata.category(character)[0] in "LMN")
    return ["".join(run) for _, run in runs]
