"""Write each limit of an open period as one word: "prior to March" as "before March".

``ranges`` reads a preposition as one word. What follows its date, as in "from March onwards", is
put before it.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from clew.text.dates.grammar.relative import LENGTH_BACK, length_at
from clew.text.dates.grammar.words import Word, text_at
from clew.text.dates.languages.english import NOTE_WORDS

_LIMIT_BY_PHRASE: Mapping[tuple[str, str], str] = {
    ("prior", "to"): "before",
    ("up", "to"): "until",
    ("up", "until"): "until",
    ("up", "till"): "until",
    ("starting", "from"): "since",
}
# Only of notes: bridges older than 1900 are not those of notes that were written before, and a
# job starting in March is one of March.
_LIMIT_OF_NOTES: Mapping[tuple[str, str], str] = {
    ("older", "than"): "before",
    ("earlier", "than"): "before",
    ("newer", "than"): "after",
    ("later", "than"): "after",
    ("starting", "in"): "since",
    ("starting", "on"): "since",
}
_FROM = frozenset(("from", "of", "starting"))  # German "von" is "from" and "of"
_ONWARDS = frozenset(("onward", "onwards"))
_DATE_WORDS_MAX = 6  # between "from" and "onwards"


def with_single_limits(words: Sequence[Word]) -> list[Word]:
    """Return ``words`` with each limit as one word, which has the place of all its words."""
    limited: list[Word] = []
    for word in _with_lengths_marked(words):
        limited.append(word)
        if word.is_joined and len(limited) > 1:
            _merge_last(limited)
    _put_onwards_first(limited)
    return limited


def _with_lengths_marked(words: Sequence[Word]) -> Sequence[Word]:
    """Return words with ``LENGTH_BACK`` after each length that "than" is before."""
    ends = [
        at + 2
        for at in range(1, len(words) - 2)
        if words[at].text == "than" and words[at + 1].is_joined and length_at(words, at + 1)
    ]
    if not ends:  # as mostly
        return words
    marked = list(words)
    for end in reversed(ends):
        if text_at(words, end + 1) != "ago":
            marked.insert(end + 1, replace(words[end], text=LENGTH_BACK, is_joined=True))
    return marked


def _merge_last(words: list[Word]) -> None:
    first, second = words[-2], words[-1]
    phrase = (first.text, second.text)
    limit = _LIMIT_BY_PHRASE.get(phrase)
    if limit is None and len(words) > 2 and words[-3].text in NOTE_WORDS:
        limit = _LIMIT_OF_NOTES.get(phrase)
    if limit is not None:
        words[-2:] = [replace(first, text=limit, end=max(first.end, second.end))]


def _put_onwards_first(words: list[Word]) -> None:
    """Turn "from March onwards" into "since March".

    "On" means that only at the end: after "from March on" there may be a topic.
    """
    for at in range(len(words) - 1, 0, -1):
        is_onwards = words[at].text in _ONWARDS or (words[at].text == "on" and at == len(words) - 1)
        if not is_onwards or not text_at(words, at):
            continue
        for start in range(at - 1, max(-1, at - 1 - _DATE_WORDS_MAX), -1):
            if words[start].text in _FROM:
                words[start] = replace(words[start], text="since")
                words[at - 1] = replace(words[at - 1], end=words[at].end)
                del words[at]
                break
