"""The terms of a query with the weight of each, and how well the vault's words match it.

A term weighs its inverse document frequency and ``ANY_TERM`` more, since it asks for something
however common it is. One that no note has weighs as much as the rarest possible. A match counts for
its term in full if a word of the vault has the same stem. It counts by the share of letters that
are right if the word was corrected, or is a longer word that contains the term.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.index.formulas.bm25 import inverse_frequency
from clew.query.search.matching import WordMatches
from clew.text.languages.languages import Languages
from clew.values.arrays import Int64Array

ANY_TERM = 2.0  # without it one rare name would decide: fewer foreign questions were told apart
OTHER_MATCH = 0.5  # how much a match counts that is neither a stem nor a longer word


@dataclass(frozen=True, slots=True, eq=False)
class WeighedTerm:
    """A term that some words of the vault match."""

    word: str  # of the query, or the correction of one; empty if it is not known which
    weight: float
    quality: float  # in (0, 1]: how much the match counts
    slots: Int64Array  # live slots with the term, rising


@dataclass(frozen=True, slots=True, eq=False)
class WeighedTerms:
    """The terms of a query."""

    matched: Sequence[WeighedTerm]
    unmatched: tuple[str, ...]  # words of the query whose terms no note has
    total: float  # the weight of all terms; above 0 if there are any


def weighed_terms(matches: WordMatches, languages: Languages, note_count: int) -> WeighedTerms:
    """Return the terms of a query that was matched in a vault of so many notes."""
    query = matches.query
    stems = query.terms
    if len(stems) != len(query.words):
        stems = tuple(languages.term_of(word) for word in query.words)
    word_by_stem = dict(zip(reversed(stems), reversed(query.words), strict=True))
    stem_by_word = dict(zip(query.words, stems, strict=True))
    quality_by_word = {
        each.corrected: 1.0 - each.distance / max(len(each.word), len(each.corrected))
        for each in matches.corrections
    }
    matched, known = [], set()
    for forms, term in zip(matches.forms_by_term, matches.slots_by_term, strict=True):
        word = next(filter(stem_by_word.__contains__, forms), "")
        if not word:
            # All words of a term have one stem, unless longer words are among them.
            found = (
                languages.term_of(form) for form in (forms if _is_mixed(matches) else forms[:1])
            )
            word = next(filter(None, map(word_by_stem.get, found)), "")
        quality = quality_by_word.get(word, 1.0)
        if not word:
            word, quality = _longer_match(query.words, forms)
        if word:
            word = word_by_stem[stem_by_word[word]]
            known.add(word)
        matched.append(WeighedTerm(word, term.weight + ANY_TERM, quality, term.slots))
    unmatched = tuple(word for word in word_by_stem.values() if word not in known)[::-1]
    missing = sum(not _is_made_of(word, known) for word in unmatched)
    rarest = inverse_frequency(note_count, 0) + ANY_TERM
    total = sum(term.weight for term in matched) + missing * rarest
    return WeighedTerms(matched, unmatched, total)


def _is_mixed(matches: WordMatches) -> bool:
    return matches.tier in ("trigram", "keyword")


def _longer_match(words: Iterable[str], forms: Sequence[str]) -> tuple[str, float]:
    """Return the word that is the largest part of one of ``forms``, and which part it is."""
    parts = [(len(w) / len(form), w) for w in words for form in forms if w in form]
    part, word = max(parts, default=(OTHER_MATCH, ""))
    return word, part


def _is_made_of(word: str, known: Iterable[str]) -> bool:
    """Return whether ``word`` is an identifier whose parts are ``known`` words.

    A query has an identifier whole and in parts; the whole tells nothing more. In scripts without
    spaces the parts are single characters, which tell far less than a pair of them.
    """
    if any(c.isalpha() and c.upper() == c.lower() for c in word):
        return False
    return sum(len(part) for part in known if part in word) >= len(word)
