"""Spelling correction of query words by the words of the vault.

Only a run of letters and digits that the user typed as a word can be misspelt; the parts into which
a compound or an identifier is cut are never corrected.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from clew.engine.snapshot import Snapshot
from clew.query.search.query_terms import QueryTerms, query_terms
from clew.text.dates.time_words import TIME_WORDS
from clew.text.languages.languages import Languages
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.text.similarity.fuzzy import (
    SHORT_LETTERS_MAX,
    Correction,
    corrigible_words,
    edit_distances,
)
from clew.values import search_replies

IsWord = Callable[[str], bool]
SLIP_LETTERS_MIN = 4  # shorter words are not corrected as slips, but for stop words
EXCHANGED_LETTERS_MIN = 6  # of words with the letters of another in an order two edits away
TWO_EDITS_LETTERS_MIN = 7  # shorter words take one edit, as slips and where they stand alone
# What many English words begin with; the model may know the rest alone. Slips look as if they began
# with "re" and "pre": "resons", "premission".
_PREFIXES = ("un", "non", "mis", "over", "under", "multi", "anti", "inter")
_REST_LETTERS_MIN = 5  # behind a prefix, unlike in "untill"
# Words that are one exchange of letters away from a stop word.
_NO_STOP_WORD_SLIPS = frozenset(("dose", "form"))
_TIME_SHAPES = frozenset((word[0], len(word)) for word in TIME_WORDS)
_ASCII_RUNS = re.compile("[0-9A-Za-z]+|[^0-9A-Za-z]+")


def unknown_words(
    query: QueryTerms, languages: Languages, known_terms: AbstractSet[str]
) -> list[str]:
    """Return the words of ``query``, outside of phrases, whose terms are not ``known_terms``.

    Function words of a language that the vault lacks are not unknown.
    """
    typed_words = {run.casefold() for run in runs_of(query.plain)} - query.foreign
    words = (word for word in query.words if word in typed_words)
    return [word for word in words if languages.term_of(word) not in known_terms]


def no_word(_: str) -> bool:
    """Return false: no word is known to be right."""
    return False


def may_be_misspelt(words: Iterable[str], query: QueryTerms, is_word: IsWord) -> list[str]:
    """Return those of ``words`` that are not known to be right.

    A word of a language is right though the vault lacks it: ``summer`` is not ``summed``, nor is
    ``unlinked`` ``unlike``. The only word of a query may be misspelt even so, as it finds nothing
    else.
    """
    if len(query.words) == 1:
        return list(words)
    return [word for word in words if not (is_word(word) or _is_derived(word, is_word))]


def _is_derived(word: str, is_word: IsWord) -> bool:
    """Return whether ``word`` is a prefix and a word of a language."""
    rests = (word.removeprefix(each) for each in _PREFIXES if word.startswith(each))
    return any(len(rest) >= _REST_LETTERS_MIN and is_word(rest) for rest in rests)


def may_hold_slip(word: str) -> bool:
    """Return whether ``word`` is long enough to be corrected as a slip, and has no digit."""
    return len(word) >= SLIP_LETTERS_MIN and not any(map(str.isdecimal, word))


def is_slip(correction: Correction) -> bool:
    """Return whether a correction is an obvious slip of the keyboard or of spelling.

    The first letter is right, and one letter is missing, or two neighbours are exchanged. In a word
    of over ``SHORT_LETTERS_MAX`` letters, one may also be extra or another (``seperate``); a
    shorter one may be right as it is: ``four`` is not ``for``, ``kind`` is not ``king``. Letters
    that are not neighbours are exchanged in long words only (``analisys``, ``ghandi``). Stems are
    judged as words are if they are nearer: ``guages`` is a slip for "gauge".
    """
    word, corrected = correction.stems or (correction.word, correction.corrected)
    edits = 1 if correction.stems else correction.distance
    if word[0] != corrected[0]:
        return False
    if sorted(word) == sorted(corrected):
        return edits == 1 or len(word) >= EXCHANGED_LETTERS_MIN
    if edits > 1:
        return False
    return len(word) < len(corrected) or len(word) > SHORT_LETTERS_MAX


def time_word_slips(snapshot: Snapshot, text: str, is_word: IsWord) -> list[Correction]:
    """Return the corrections of words of ``text`` that are slips of words for times.

    No note has these words as they are, and they are no words of a language.
    """
    typed = corrigible_words(run.casefold() for run in runs_of(text) if may_hold_slip(run))
    slips = []
    for word in typed:
        if not has_shape_of_slip(word) or is_word(word) or occurs(snapshot, word):
            continue
        near = edit_distances(word, TIME_WORDS)
        corrections = [Correction(word, TIME_WORDS[index], edits) for index, edits in near]
        nearest = min(corrections, key=lambda each: each.distance, default=None)
        if nearest is not None and nearest.distance and is_slip(nearest):
            slips.append(nearest)
    return slips


def has_shape_of_slip(word: str) -> bool:
    """Return whether a word may be a slip of a word for a time, by its first letter and length.

    Most words have another shape, which takes a tenth of the time of looking for them in the vault.
    """
    return not _TIME_SHAPES.isdisjoint((word[0], len(word) + by) for by in (-1, 0, 1))


def stop_word_slips(snapshot: Snapshot, words: Iterable[str]) -> list[Correction]:
    """Return the corrections of ``words`` in which two letters of a stop word are exchanged.

    The vault has the stop word; the first letter is right.
    """
    slips = []
    for word in words:
        exchanged = (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)
        )
        stop_words = snapshot.languages.stop_words.intersection(exchanged) - {word}
        if len(stop_words) == 1 and word not in _NO_STOP_WORD_SLIPS:
            slips += [Correction(word, each, 1) for each in stop_words if occurs(snapshot, each)]
    return slips


def occurs(snapshot: Snapshot, word: str) -> bool:
    """Return whether a note has this very word; the vocabulary keeps words of deleted notes."""
    word_id = snapshot.passages.keyword.id_of(word)
    return word_id is not None and bool(snapshot.passages.words_in_use([[word_id]])[0])


def likely_corrections(
    query: QueryTerms, corrections: list[Correction], is_word: IsWord
) -> list[Correction]:
    """Return the corrections to make where the vault knows none of the query's words.

    Several corrected words would make another query: obvious slips are corrected, else only the
    first word that takes one edit.
    """
    if len(query.words) == 1:
        return [each for each in corrections if _is_likely_alone(each, is_word)]
    slips = [each for each in corrections if is_slip(each)]
    return slips or [each for each in corrections if each.distance == 1][:1]


def _is_likely_alone(correction: Correction, is_word: IsWord) -> bool:
    """Return whether the correction of the only word of a query is likely what was meant.

    Some word of a vault is near to most short words, and also to those of other languages:
    ``plague`` is not ``page``. So two edits are made in long words only, whose first letter is
    right, and a word of a language is taken for another only if that is an obvious slip.
    """
    if is_slip(correction):
        return True
    word = correction.word
    is_sure = len(word) >= TWO_EDITS_LETTERS_MIN and word[0] == correction.corrected[0]
    return (correction.distance == 1 or is_sure) and not is_word(word)


def corrected_query(
    snapshot: Snapshot, query: QueryTerms, corrections: Sequence[Correction]
) -> QueryTerms:
    """Return ``query`` with its corrections made."""
    plain = corrected_text(query.plain, corrections)
    # The correction may be a stop word, so that no term is left.
    return query_terms(plain, snapshot.languages, phrases=query.phrases, may_be_empty=True)


def corrected_text(text: str, corrections: Sequence[Correction]) -> str:
    """Return ``text`` with its misspelt words replaced, and everything else unchanged."""
    corrected_by_word = {each.word: each.corrected for each in corrections}
    return "".join(corrected_by_word.get(run.casefold(), run) for run in runs_of(text))


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
    plain_spans = [(0, SEARCHED_CHARACTERS_MAX)] if spans is None else spans
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


def runs_of(text: str) -> list[str]:
    """Return ``text`` cut into runs of letters, marks and digits, and the runs between them."""
    if text.isascii():
        return _ASCII_RUNS.findall(text)
    composed = unicodedata.normalize("NFC", text)
    runs = groupby(composed, lambda character: unicodedata.category(character)[0] in "LMN")
    return ["".join(run) for _, run in runs]
