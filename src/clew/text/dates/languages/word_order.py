"""Put words that were turned into English, one by one, into the order that English has.

"week last" (French "semaine dernière") becomes "last week"; "ago 3 days" (Spanish "hace 3 días")
"3 days ago". Each rule looks at a few words before the last one, so the time is linear.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.text.dates.grammar.phrases import THIRDS
from clew.text.dates.grammar.words import LIMITS, Word, word_set

_UNITS = word_set("day days week weeks weekend month months year years")
_NAMES = frozenset((*MONTHS, *WEEKDAYS))
_COUNTS = word_set("a two three four five six seven eight nine ten")
_LAST = frozenset(("last", "past"))
_AGO = frozenset(("ago", "before"))  # German "vor" is both
_PREPOSITIONS = word_set("in on from of for since until before after between and to")
_NOTES = word_set("notes journal entries meetings drafts")
_MANY = word_set("days weeks months")
_BEFORE_MANY = _PREPOSITIONS | _NOTES
_LISTED = THIRDS.keys() | {*MONTHS, "and", "written"}  # between "in" and "notes"
_BEFORE_LISTED = LIMITS | {"in"}
_AT_OTHER_SIDE = LIMITS | {"in", "from", "to"}  # of a date with a postposition, which counts
_RUN_MAX = 8  # words of the date that a postposition follows
_NO_NAMES: Mapping[int, str] = {}


def _is_count(text: str) -> bool:
    return text in _COUNTS or (text.isascii() and text.isdigit())


def _is_few(text: str) -> bool:
    return _is_count(text) or text == "few"


def _is_plural(text: str) -> bool:
    return _is_count(text) and text != "a"


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isascii() and text.isdigit()


def _is_day(text: str) -> bool:
    return len(text) < 3 and text.isascii() and text.isdigit()


def _is_of_date(text: str) -> bool:
    return (
        text in _UNITS
        or text in _NAMES
        or text in ("last", "this", "past", "ago", "yesterday", "today")
        or _is_count(text)
    )


def _is_in_phrase(text: str) -> bool:
    """Return whether a date goes on after a word, or begins with it."""
    return _is_of_date(text) or text in _PREPOSITIONS


_RULES: Sequence[tuple[Callable[[str, str, str], bool], Sequence[int], Mapping[int, str]]] = (
    # For the last three words: whether the rule fits, their new order, and new texts by index.
    (lambda a, b, c: a in _AGO and _is_few(b) and c in _UNITS, (1, 2, 0), {0: "ago"}),
    (lambda a, b, c: a in _LAST and b in MONTHS and c == "year", (1, 0, 2), _NO_NAMES),
    (lambda a, b, c: a in _LAST and b in WEEKDAYS and c == "week", (1, 0, 2), _NO_NAMES),
    (lambda a, b, c: a == "recent" and _is_count(b) and c in _UNITS, (0, 1, 2), {0: "past"}),
    (lambda a, b, c: _is_plural(a) and b in _UNITS and c in _LAST, (2, 0, 1), _NO_NAMES),
    (lambda _, b, c: (b in _UNITS or b in _NAMES) and c in _LAST, (1, 0), _NO_NAMES),
    (lambda a, b, c: _is_count(a) and b in _LAST and c in _UNITS, (1, 0, 2), _NO_NAMES),
    (lambda _, b, c: b in _LAST and c in _NOTES, (0, 1), {0: "latest"}),
)


def in_english_order(words: Iterable[Word]) -> list[Word]:
    """Return ``words`` in the order of English phrases for dates."""
    ordered: list[Word] = []
    start = 0  # of the words after the last postposition
    for word in words:
        ordered.append(word)
        if word.text.startswith("<"):
            _put_before_its_date(ordered, start)
            start = len(ordered)
        else:
            _reorder_last(ordered)
            _add_few(ordered)
    return ordered


def _reorder_last(words: list[Word]) -> None:
    """Apply the first rule that fits the last words."""
    if not words[-1].is_joined:
        return
    texts = ["", "", *(word.text for word in words[-3:])][-3:]
    if texts[1] == texts[2] == "ago":  # "há 3 dias atrás" says it twice
        words[-2:] = [replace(words[-2], end=words[-1].end)]
        return
    for fits, order, renamed in _RULES:
        if fits(*texts):
            _rotate(words, order, renamed)
            return
    if texts[2] in _NOTES and _put_notes_first(words):
        return
    if _is_year(texts[1]) and texts[2] in _NOTES and not _is_in_phrase(texts[0]):
        year, notes = words[-2:]  # Japanese "2025年のメモ"
        words.insert(-2, replace(notes, is_joined=year.is_joined))
        words[-2:] = [replace(year, text="of", is_joined=True), replace(year, is_joined=True)]
        return
    _put_year_last(words)


def _add_few(words: list[Word]) -> None:
    """Turn "in last days", as German and others say it, into "in last few days"."""
    texts = ["", "", *(word.text for word in words[-3:])][-3:]
    if texts[0] in _BEFORE_MANY and texts[1] in _LAST and texts[2] in _MANY:
        words.insert(-1, replace(words[-1], text="few", is_joined=True))


def _put_notes_first(words: list[Word]) -> bool:
    """Turn "in January and February notes" into "notes in January and February".

    Return whether the last words are like this. "Before 2025 notes" is Japanese and Chinese.
    """
    texts = [word.text for word in words[-1 - _RUN_MAX : -1]]
    first = len(texts)
    while first > 0 and (
        texts[first - 1] in _BEFORE_LISTED | _LISTED or _is_of_date(texts[first - 1])
    ):
        first -= 1
    while first < len(texts) and texts[first] not in _BEFORE_LISTED:
        first += 1
    follows_unit = first > 0 and texts[first - 1] in _UNITS  # "day before yesterday"
    length = len(texts) - first
    if length < 2 or follows_unit:
        return False
    _rotate(words, (length, *range(length)))
    return True


def _put_year_last(words: list[Word]) -> None:
    """Turn "2025 March 14" into "March 14 2025", and "last year March" into "March last year"."""
    texts = [word.text for word in words[-4:]]
    if texts[-1] in MONTHS and len(texts) > 1 and _is_year(texts[-2]):
        _rotate(words, (1, 0))
    elif texts[-1] in MONTHS and texts[-3:-1] in (["last", "year"], ["this", "year"]):
        _rotate(words, (2, 0, 1))
    elif _is_day(texts[-1]) and len(texts) > 2 and texts[-3] in MONTHS and _is_year(texts[-2]):
        _rotate(words, (1, 0))
    elif (
        _is_day(texts[-1])
        and len(texts) > 3
        and texts[-4] in MONTHS
        and texts[-3:-1] in (["last", "year"], ["this", "year"])
    ):
        _rotate(words, (2, 0, 1))


def _put_before_its_date(words: list[Word], start: int) -> None:
    """Put the last word, a postposition, before the date that it follows; drop it without one.

    The date is after the first ``start`` words.
    """
    last = words.pop()
    at = len(words)
    while at > start and len(words) - at < _RUN_MAX and _is_of_date(words[at - 1].text):
        at -= 1
    if at == len(words) or not last.is_joined:
        return
    # Chinese says some limits on both sides of a date, as in "since March since".
    if at > start and words[at - 1].text in _AT_OTHER_SIDE and last.text[1:] not in THIRDS:
        at -= 1
        del words[at]
    first = words[at]
    preposition = replace(last, text=last.text[1:], is_joined=first.is_joined)
    words[at:] = [preposition, replace(first, is_joined=True), *words[at + 1 :]]


def _rotate(
    words: list[Word], order: Sequence[int], renamed: Mapping[int, str] = _NO_NAMES
) -> None:
    """Put the last words into ``order``; ``renamed`` has new texts by the old index."""
    old = words[-len(order) :]
    moved = [replace(old[i], text=renamed.get(i, old[i].text), is_joined=True) for i in order]
    words[-len(order) :] = [replace(moved[0], is_joined=old[0].is_joined), *moved[1:]]
