"""The terms of a query with the weight of each, and how well the vault's words match it.

A term weighs its inverse document frequency and ``ANY_TERM`` more, since it asks for something
however common it is; a name ``ANY_NAME`` more, since it says what the query is about. A term that
no note has weighs as much as the rarest possible. A match counts for its term in full if a word of
the vault has the same stem. It counts by the share of letters that are right if the word was
corrected, or is a longer word that contains the term. A query of one word
asks for it whatever it is a part of: it then counts ``COMPOUND_MATCH`` at the least where it begins
or ends a longer word, as German compounds do.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from clew.index.formulas.bm25 import inverse_frequency
from clew.query.search.matching import WordMatches
from clew.text.languages.languages import Languages
from clew.values.arrays import IntegerArray

ANY_TERM = 2.0  # else one rare word decides, and more questions of other vaults pass
ANY_NAME = 6.0  # else notes with the other words answer questions about unknown people and places
COMPOUND_MATCH = 0.9  # enough for a weak answer, whatever the model knows of it
COMPOUND_LETTERS_MIN = 4  # of a part of a compound
ENDING_LETTERS_MAX = 3  # of an inflection behind it
OTHER_MATCH = 0.5  # how much a match counts that is neither a stem nor a longer word


@dataclass(frozen=True, slots=True, eq=False)
class WeighedTerm:
    """A term that some words of the vault match."""

    word: str  # of the query, or the correction of one
    weight: float
    quality: float  # in (0, 1]: how much the match counts
    slots: IntegerArray  # live slots with the term, rising


@dataclass(frozen=True, slots=True, eq=False)
class WeighedTerms:
    """The terms of a query."""

    matched: Sequence[WeighedTerm]
    unmatched: tuple[str, ...]  # words of the query whose terms no note has
    total: float  # the weight of all terms; above 0 if there are any


def weighed_terms(
    matches: WordMatches,
    languages: Languages,
    note_count: int,
    aside: AbstractSet[str],
    names: AbstractSet[str],
) -> WeighedTerms:
    """Return the terms of a query that was matched in a vault of ``note_count`` notes.

    Words ``aside`` are left out: they only ask, or say when, which dates of notes answer.
    ``names``: the words of the query as it was typed that are names.
    """
    quality_by_word = {
        each.corrected: 1.0 - each.distance / max(len(each.word), len(each.corrected))
        for each in matches.corrections
    }
    words = [word for word in matches.query.words if word not in aside]
    corrected = (each.corrected.split() for each in matches.corrections if each.word in names)
    names = {*names, *chain.from_iterable(corrected)}
    matched: list[WeighedTerm] = []
    found = zip(matches.asked_by_term, matches.forms_by_term, matches.slots_by_term, strict=True)
    for (word, is_exact), forms, term in found:
        if word not in aside:
            part = _part(word, forms, is_alone=len(words) == 1)
            quality = quality_by_word.get(word, 1.0) if is_exact else part
            weight = term.weight + _least_weight(word, names)
            matched.append(WeighedTerm(word, weight, quality, term.slots))
    known = {each.word for each in matched}
    known_terms = set(map(languages.term_of, known))
    word_by_term = {languages.term_of(word): word for word in reversed(words)}
    unmatched = [w for term, w in reversed(word_by_term.items()) if term not in known_terms]
    missing = [word for word in unmatched if not _is_made_of(word, known)]
    rarest = inverse_frequency(note_count, 0)
    total = sum(each.weight for each in matched)
    total += sum(rarest + _least_weight(word, names) for word in missing)
    return WeighedTerms(matched, tuple(unmatched), total)


def _least_weight(word: str, names: AbstractSet[str]) -> float:
    """Return the weight of a word that all notes have."""
    return ANY_NAME if word in names else ANY_TERM


def _part(word: str, forms: Sequence[str], *, is_alone: bool) -> float:
    """Return the largest share, by letters, that a word has of one of ``forms``."""
    part = max((len(word) / len(form) for form in forms if word in form), default=OTHER_MATCH)
    if is_alone and len(word) >= COMPOUND_LETTERS_MIN and any(_is_compound(word, f) for f in forms):
        return max(part, COMPOUND_MATCH)
    return part


def _is_compound(word: str, form: str) -> bool:
    """Return whether ``form`` begins or ends with ``word``, perhaps with an inflection."""
    at = form.rfind(word)
    return form.startswith(word) or (at > 0 and len(form) - at - len(word) <= ENDING_LETTERS_MAX)


def _is_made_of(word: str, known: Iterable[str]) -> bool:
    """Return whether ``word`` is an identifier whose parts are ``known`` words.

    A query has an identifier whole and in parts; the whole tells nothing more. In scripts without
    spaces the parts are single characters, which tell far less than a pair of them.
    """
    if any(c.isalpha() and c.upper() == c.lower() for c in word):
        return False
    return sum(len(part) for part in known if part in word) >= len(word)
