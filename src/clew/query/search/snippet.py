"""Excerpts of a passage that show why it was found. Works on text alone."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from clew.query.notes.preview import excerpt
from clew.text.markdown.joined_blocks import SEPARATOR, joined_blocks

WINDOW_CHARACTERS = 160  # words within this distance are treated as close together
FORMS_MAX = 200  # spellings to look for, over all terms
OCCURRENCES_MAX = 20  # occurrences to look for of each spelling
PHRASE_WORDS_MAX = 64  # of a phrase, the first words that are looked for

_HEADINGS = re.compile(r"(?:#{1,6}[ \t][^\n]*\n\s*)+(?=\S)")

_WORD = re.compile(r"[^\W_]+")

Occurrence = tuple[int, int, int]  # where a term begins and ends, and its index


def snippet(text: str, forms_by_term: Sequence[Sequence[str]]) -> str:
    """Return about 200 characters of ``text``, where it has most of the terms."""
    return found_snippet(text, forms_by_term)[0]


def phrase_patterns(phrases: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Return a pattern for each phrase of several words, which finds it in folded text.

    Punctuation, markup and line ends may stand between the words.
    """
    composed = (unicodedata.normalize("NFC", phrase) for phrase in phrases)
    words = (_WORD.findall(_without_accents(_folded(phrase))) for phrase in composed)
    return tuple(_in_a_row(each[:PHRASE_WORDS_MAX]) for each in words if len(each) > 1)


def _in_a_row(words: Sequence[str]) -> re.Pattern[str]:
    pattern = r"[\W_]+".join(map(re.escape, words))
    # A letter without case may be of a script without spaces, where a word begins anywhere.
    before = r"(?<![^\W_])" if _has_case(words[0][0]) else ""
    after = r"(?![^\W_])" if _has_case(words[-1][-1]) else ""
    return re.compile(f"{before}{pattern}{after}")


def _has_case(character: str) -> bool:
    return character.isascii() or character.upper() != character.lower()


def found_snippet(
    text: str,
    forms_by_term: Sequence[Sequence[str]],
    phrases: Sequence[re.Pattern[str]] = (),
) -> tuple[str, bool]:
    """Return ``snippet``, and whether a word of it begins with a spelling of any term.

    ``forms_by_term`` are the folded spellings of each term. If a text has none of them, its start
    is returned. ``phrases`` are ``phrase_patterns``: the first that the text has is shown. Headings
    at the start are left out, since a result shows them in a field of their own.
    """
    headings = _HEADINGS.match(text)
    text = text[headings.end() if headings else 0 :]
    words = unicodedata.normalize("NFC", joined_blocks(text))
    folded = _folded(words)
    if phrases and (phrase := _first_phrase(folded, phrases)):
        return _without_outer_separators(excerpt(words, *phrase.span())), True
    occurrences = sorted(_occurrences(folded, forms_by_term, inside_words=False))
    begins_word = bool(occurrences)
    if not begins_word:
        occurrences = sorted(_occurrences(folded, forms_by_term, inside_words=True))
    begin, end = 0, 0
    if occurrences:
        first, last = _densest(occurrences)
        begin, end = occurrences[first][0], occurrences[last][1]
    return _without_outer_separators(excerpt(words, begin, end)), begins_word


def _first_phrase(folded: str, phrases: Iterable[re.Pattern[str]]) -> re.Match[str] | None:
    plain = _without_accents(folded)
    found = (pattern.search(plain) for pattern in phrases)
    return next(filter(None, found), None)


def _without_accents(folded: str) -> str:
    """Return ``folded``, in which letters are composed, with plain letters at the same places."""
    decomposed = {c: unicodedata.normalize("NFD", c) for c in set(folded) if not c.isascii()}
    return folded.translate(
        {ord(c): form[0] for c, form in decomposed.items() if all(map(_is_mark, form[1:]))}
    )


def _is_mark(character: str) -> bool:
    return unicodedata.combining(character) > 0


def line_shown(
    text: str, forms_by_term: Sequence[Sequence[str]], phrases: Sequence[re.Pattern[str]] = ()
) -> int:
    """Return how many lines of ``text`` come before the first word that its snippet shows.

    ``text`` has markup, which the snippet does not show, so its window may lie elsewhere in rare
    cases; but the line has a word of the query if any line has one.
    """
    headings = _HEADINGS.match(text)
    start = headings.end() if headings else 0
    folded = _folded(unicodedata.normalize("NFC", text[start:]))
    if phrases and (phrase := _first_phrase(folded, phrases)):
        return text.count("\n", 0, start) + folded.count("\n", 0, phrase.start())
    for inside_words in (False, True):
        occurrences = sorted(_occurrences(folded, forms_by_term, inside_words=inside_words))
        if occurrences:
            first, _ = _densest(occurrences)
            return text.count("\n", 0, start) + folded.count("\n", 0, occurrences[first][0])
    return 0


def lines_of_headings(text: str) -> int:
    """Return how many lines of ``text`` come before its snippet if it has no word of the query."""
    headings = _HEADINGS.match(text)
    return text.count("\n", 0, headings.end() if headings else 0)


def _without_outer_separators(shown: str) -> str:
    """Return an excerpt without a separator at an end at which it was cut."""
    lead, tail = "…" * shown.startswith("…"), "…" * shown.endswith("…")
    return f"{lead}{shown.strip(f'… {SEPARATOR}')}{tail}" if SEPARATOR in shown else shown


def has_words(text: str, forms_by_term: Sequence[Sequence[str]]) -> bool:
    """Return whether a word of ``text`` begins with a spelling of any term."""
    folded = _folded(unicodedata.normalize("NFC", text))
    occurrences = _occurrences(folded, forms_by_term, inside_words=False)
    return next(occurrences, None) is not None  # the first one is enough


def _folded(words: str) -> str:
    """Return ``words`` case-folded or in lower case, if that keeps their length."""
    folded = words.casefold()
    if len(folded) != len(words):  # a letter was folded to two letters
        folded = words.lower()
    return folded if len(folded) == len(words) else words


def _occurrences(
    folded: str, forms_by_term: Sequence[Sequence[str]], *, inside_words: bool
) -> Iterator[Occurrence]:
    """Yield where terms begin a word; with ``inside_words`` also where they are within one.

    The occurrences of one form do not overlap.
    """
    forms_left = FORMS_MAX
    for term, forms in enumerate(forms_by_term):
        for form in forms[:forms_left]:
            start, length, occurrences_left = folded.find(form), len(form), OCCURRENCES_MAX
            while start >= 0 and occurrences_left:
                end = start + length
                begins_word = start == 0 or not folded[start - 1].isalnum()
                # A longer number is another number, while a longer word may have the same stem.
                in_number = form[-1].isdecimal() and folded[end : end + 1].isdecimal()
                if inside_words or not form[0].isascii() or (begins_word and not in_number):
                    yield start, end, term
                start = folded.find(form, start + length)
                occurrences_left -= 1
        forms_left = max(0, forms_left - len(forms))


def _densest(occurrences: Sequence[Occurrence]) -> tuple[int, int]:
    """Return the first and last index of the best run of occurrences within the window.

    The best has most different terms, then most occurrences; ties go to the first.
    """
    best_weight, best_run = (0, 0), (0, 0)
    counts: dict[int, int] = {}  # occurrences of each term within the window
    first = 0
    for last, (_, end, term) in enumerate(occurrences):
        counts[term] = counts.get(term, 0) + 1
        while first < last and end - occurrences[first][0] > WINDOW_CHARACTERS:
            dropped = occurrences[first][2]
            counts[dropped] -= 1
            if not counts[dropped]:
                del counts[dropped]
            first += 1
        weight = (len(counts), last - first + 1)
        if weight > best_weight:
            best_weight, best_run = weight, (first, last)
    return best_run
