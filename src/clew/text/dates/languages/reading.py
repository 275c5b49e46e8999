"""Find the language of a query, and turn its words for dates into those of the English grammar.

"Notizen von letzter Woche" becomes "notes from last week", each word with its place in the query.
A query is in the language that has most of its words, if one of these is hardly used in others
("letzter"); a word of several languages is taken as English first.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.text.dates.grammar.day_spans import with_whole_dates
from clew.text.dates.grammar.limits import with_single_limits
from clew.text.dates.grammar.words import LIMITS, Word, split_words, word_set
from clew.text.dates.languages.chinese import CHINESE
from clew.text.dates.languages.dutch import DUTCH
from clew.text.dates.languages.french import FRENCH
from clew.text.dates.languages.german import GERMAN
from clew.text.dates.languages.italian import ITALIAN
from clew.text.dates.languages.japanese import JAPANESE
from clew.text.dates.languages.portuguese import PORTUGUESE
from clew.text.dates.languages.spanish import SPANISH
from clew.text.dates.languages.table import Language
from clew.text.dates.languages.word_order import in_english_order

LANGUAGES = (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)
ENGLISH = frozenset((*MONTHS, *WEEKDAYS)) | word_set(
    "a an the i i'm i've my me we our of in on at for from to by with and or before after since "
    "until between during this last past ago today yesterday recently latest newest recent most "
    "day days week weeks weekend month months year years what which who whom whose when where "
    "why how is are was were do does did has have had can could will would should may that it as "
    "not his her their its he she they you your show give find list all any note notes journal "
    "entry entries meeting meetings draft drafts written wrote made"
)
SPACELESS_CHARACTERS_MAX = 1_000  # of a query; no date is read in a longer one
WORDS_MAX = 400  # of a query; a longer one is read as English
_HAN_OR_KANA = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_SPACELESS_WORD = re.compile("[^\\W0-9A-Za-z_\u00c0-\u024f]+")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_DAYS_IN_KANA = (("today",), ("yesterday",), ("day",))  # the first word of each
_WIDE_DIGITS = {0xFF10 + digit: str(digit) for digit in range(10)}
# 14.3.2025, 14/3/2025 and 14-3-2025; in Chinese and Japanese 2025/3/14 and 2025.3.14.
_DAY_FIRST = re.compile("([0-9]{1,2})([./-])([0-9]{1,2})\\2([0-9]{4})")
_YEAR_FIRST = re.compile("([0-9]{4})([./])([0-9]{1,2})\\2([0-9]{1,2})")
_LEAD_MIN = 4  # a language with so many more words than English is the query's too
_YEARS = range(1600, 2200)
_UNITS = word_set("days weeks months years")
_PREPOSITIONS = word_set("in from since to until before after between and")
_BEFORE_MONTHS = _PREPOSITIONS | {"last", "this", "year", *MONTHS}


@lru_cache(maxsize=8)  # a search reads its query several times
def read_words(query: str) -> tuple[Word, ...]:
    """Return the words of ``query``, with date phrases of any known language put into English.

    A word of another language may become several with the same place, or none, and words may be
    in another order than their places.
    """
    return tuple(with_whole_dates(with_single_limits(_in_english_words(query))))


def _in_english_words(query: str) -> Sequence[Word]:
    words = split_words(query.translate(_WIDE_DIGITS))
    if _HAN_OR_KANA.search(query):
        if len(query) > SPACELESS_CHARACTERS_MAX:
            return words
        languages = (JAPANESE,) if _KANA.search(query) else (CHINESE, JAPANESE)
        readings = [_spaceless_in_english(words, language) for language in languages]
        best = min(readings, key=_unknown_count)
        return in_english_order(best)
    language = _language_of(words) if len(words) <= WORDS_MAX else None
    if language is None:
        return words
    words = list(_without_elisions(words, language.elisions))
    return in_english_order(list(_in_english(query, words, language)))


def _language_of(words: Sequence[Word]) -> Language | None:
    """Return the language of the query, ``None`` if it is English or an unknown one."""
    # A sign between two dates is read as "to" in every language.
    texts = [word.text for word in words if word.text != "to" or word.end - word.start == len("to")]
    best, most = None, (in_english := sum(text in ENGLISH for text in texts))
    has_signs = not all(map(str.isalnum, texts))
    for language in LANGUAGES:
        parts = texts
        if has_signs:
            parts = [part for text in texts for part in _elided(text, language.elisions)]
        count = sum(part in language.words for part in parts)
        is_sure = count >= in_english + _LEAD_MIN or not language.sure_words.isdisjoint(parts)
        if count > most and is_sure:
            best, most = language, count
    return best


def _elided(text: str, elisions: frozenset[str]) -> tuple[str, ...]:
    """Split "d'avril" into "d'" and "avril", and "mi-avril" into "mi-" and "avril"."""
    if text.isalnum():
        return (text,)
    plain = text.replace("\u2019", "'")
    for sign in "'-":
        head, found, rest = plain.partition(sign)
        if rest and head + found in elisions:
            return head + found, rest
    return (plain,)


def _without_elisions(words: Sequence[Word], elisions: frozenset[str]) -> Iterator[Word]:
    for word in words:
        parts = _elided(word.text, elisions)
        start = word.start
        for part in parts:
            end = word.end if part is parts[-1] else start + len(part)
            joined = word.is_joined or start > word.start
            yield _word(part, word, start=start, end=end, is_joined=joined)
            start = end


def _in_english(query: str, words: Sequence[Word], language: Language) -> Iterator[Word]:
    """Yield the words of a language with spaces in English, the longest phrases first."""
    at, is_joined, before = 0, True, ""
    while at < len(words):
        first = words[at]
        # "14. März": the point makes a number ordinal, and ends no sentence.
        is_ordinal = (
            at > 0
            and words[at - 1].text.isdigit()
            and query[words[at - 1].end : first.start] == ". "
        )
        is_joined = is_joined and (first.is_joined or is_ordinal)
        length, english = _phrase_at(words, at, language)
        is_limited = before in LIMITS  # French "avant le 14 octobre"
        if not english and not is_limited and _is_named_day(words, at + length, language):
            english = ("on",)  # French "le 14 octobre"
        last = words[at + length - 1]
        for text in english:
            yield _word(text, first, end=last.end, is_joined=is_joined)
            is_joined, before = True, text
        at += length


def _is_named_day(words: Sequence[Word], at: int, language: Language) -> bool:
    """Return whether a day of the month and its month are at ``at``, perhaps with "of" between."""
    day_month = [words[i] for i in range(at, min(at + 3, len(words)))]
    if len(day_month) < 2 or not all(word.is_joined for word in day_month[:2]):
        return False
    texts = [" ".join(language.english_by_phrase.get(word.text, ())) for word in day_month]
    is_day = day_month[0].text.isdecimal() and len(day_month[0].text) <= 2
    return is_day and (texts[1] in MONTHS or (texts[1] == "of" and texts[-1] in MONTHS))


def _phrase_at(words: Sequence[Word], at: int, language: Language) -> tuple[int, tuple[str, ...]]:
    """Return how many words the longest phrase at ``at`` has, and its English words."""
    for length in range(min(language.words_max, len(words) - at), 0, -1):
        phrase = words[at : at + length]
        if not all(word.is_joined and word.is_standalone for word in phrase[1:]):
            continue
        text = " ".join(word.text for word in phrase)
        english = language.english_by_phrase.get(text)
        if english is not None:
            return length, english
    return 1, _numeric_date(words[at].text, _DAY_FIRST) or (words[at].text,)


def _spaceless_in_english(words: Sequence[Word], language: Language) -> list[Word]:
    """Return the words of a language without spaces in English, cut where a phrase is."""
    english: list[Word] = []
    is_joined = True
    for word in words:
        is_joined = is_joined and word.is_joined
        is_number = not _SPACELESS_WORD.fullmatch(word.text)
        texts = (_numeric_date(word.text, _YEAR_FIRST) or (word.text,)) if is_number else ()
        at = len(word.text) if is_number else 0
        english += [_word(text, word, is_joined=is_joined or i > 0) for i, text in enumerate(texts)]
        while at < len(word.text):
            counted, length = _counted(english, word, at, language)
            texts = () if counted else (word.text[at],)
            if not counted:
                length, texts = _piece_at(word.text, at, language)
            start = word.start + at
            for text in texts:
                place = {"start": start, "end": start + length}
                english.append(_word(text, word, **place, is_joined=is_joined))
                is_joined = True
            at += length
        is_joined = True
    return english


def _unknown_count(words: Sequence[Word]) -> int:
    """Return how many characters stand for no English word."""
    return sum(_HAN_OR_KANA.search(word.text) is not None for word in words)


def _piece_at(text: str, at: int, language: Language) -> tuple[int, tuple[str, ...]]:
    """Return the length of the longest phrase at a character, and its English words."""
    for length in range(language.characters_max, 0, -1):
        english = language.english_by_phrase.get(text[at : at + length])
        if english is not None and at + length <= len(text):
            if english[:1] in _DAYS_IN_KANA and _is_within_word(text, at, at + length, language):
                continue
            return length, english
    return 1, (text[at],)


def _is_within_word(text: str, start: int, end: int, language: Language) -> bool:
    """Return whether a phrase in hiragana is a part of a word, as "kyou" (today) of "toukyou".

    It is if hiragana stands beside it that is no phrase: "kyouiku" is education, "kyou no" is not.
    """
    if not _HIRAGANA.fullmatch(text[start]):
        return False
    before, after = text[start - 1 : start], text[end : end + language.characters_max]
    nexts = (after[:length] for length in range(1, len(after) + 1))
    is_after_word = _HIRAGANA.match(before) and before not in language.english_by_phrase
    is_before_word = _HIRAGANA.match(after) and language.english_by_phrase.keys().isdisjoint(nexts)
    return bool(is_after_word or is_before_word)


def _counted(english: list[Word], word: Word, at: int, language: Language) -> tuple[bool, int]:
    """Apply the counter at character ``at`` of ``word`` to the last word, as "月" after "3".

    The last word is replaced, or followed by another. Return whether there is such a counter, and
    its length.
    """
    if not english or english[-1].end != word.start + at:
        return False, 0
    for length in range(language.characters_max, 0, -1):
        counter = language.counters.get(word.text[at : at + length])
        end = word.start + at + length
        if counter is not None and end <= word.end and _count(english, counter, end):
            return True, length
    return False, 0


def _count(english: list[Word], counter: str, end: int) -> bool:
    """Apply a counter of a table to the last word; return whether it can follow that word."""
    last, name = english[-1], counter[1:]
    if name == "ago":
        if last.text not in _UNITS:
            return False
        english.append(_word("ago", last, start=last.end, end=end, is_joined=True))
        return True
    if not (last.text.isascii() and last.text.isdigit() and len(last.text) <= 4):
        return False
    number, before = int(last.text), english[-2].text if len(english) > 1 else ""
    if name == "quarter":
        english[-1] = _word(f"q{number}", last, end=end)
        return True
    if name == "month":
        if not 1 <= number <= 12:
            return False
        english[-1] = _word(MONTHS[number - 1], last, end=end)
        if before == "and" and len(english) > 3 and english[-4].text.isdigit():
            english.insert(-1, replace(english[-4], is_joined=True))  # "2025年1月と2月"
        elif not (before in _BEFORE_MONTHS or before.isdigit()):
            english.insert(-1, _word("in", last))
            english[-1] = replace(english[-1], is_joined=True)
        return True
    is_date = before in MONTHS if name == "day" else name == "year" and number in _YEARS
    if is_date:
        english[-1] = _word(last.text, last, end=end)
        return True
    unit = name if name.endswith("s") else f"{name}s"
    english.append(_word(unit, last, start=last.end, end=end, is_joined=True))
    return True


def _numeric_date(text: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Return the day, month and year of a date in digits as English words; none if it is none."""
    match = pattern.fullmatch(text)
    if match is None:
        return ()
    year, month, day = match[1], match[3], match[4]
    if pattern is _DAY_FIRST:
        day, year = year, day
    return (day, MONTHS[int(month) - 1], year) if 1 <= int(month) <= 12 else ()


def _word(text: str, word: Word, **changes: Any) -> Word:
    """Return ``word`` with an English text, capitalized so that "May" is not taken for a verb."""
    return replace(word, text=text, is_capital=True, is_possessive=False, **changes)
