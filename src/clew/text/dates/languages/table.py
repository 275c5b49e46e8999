"""The table of a language: which words stand for which English words of the date grammar.

A line is ``english words = phrase phrase ...``. In a phrase, ``_`` is a space. A phrase after ``?``
has other uses, as French "mars" has, so it does not show that a query is in this language. Without
English words, phrases are skipped, as articles are. ``<since`` follows its date instead of
preceding it. Lines with ``#`` list counters: texts directly after a number, in a script without
spaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """The words of one language."""

    english_by_phrase: Mapping[str, tuple[str, ...]]
    # By text: "#year", "#quarter", "#month", "#day", "#ago" or the name of a unit.
    counters: Mapping[str, str]
    words: frozenset[str]  # of all phrases
    sure_words: frozenset[str]  # those that are hardly used in another language
    words_max: int  # of a phrase
    characters_max: int  # of a phrase
    elisions: frozenset[str]  # beginnings of words, with their sign: "d'", "mi-"


def language(table: str) -> Language:
    """Return the language that ``table`` has the words of.

    Raises:
        ValueError: a phrase is in it twice.
    """
    english_by_phrase: dict[str, tuple[str, ...]] = {}
    counters: dict[str, str] = {}
    sure: set[str] = set()
    for line in table.strip().splitlines():
        english, _, phrases = (part.strip() for part in line.partition("="))
        for written in phrases.split():
            phrase = written.lstrip("?").replace("_", " ")
            is_counter = english.startswith("#")
            if phrase in (counters if is_counter else english_by_phrase):
                raise ValueError(f"{phrase!r} is in the table twice")
            if is_counter:
                counters[phrase] = english
                continue
            english_by_phrase[phrase] = tuple(english.split())
            if not written.startswith("?"):
                sure.update(phrase.split())
    keys = [*english_by_phrase, *counters]
    return Language(
        english_by_phrase,
        counters,
        words=frozenset(word for phrase in english_by_phrase for word in phrase.split()),
        sure_words=frozenset(sure),
        words_max=max(phrase.count(" ") + 1 for phrase in keys),
        characters_max=max(map(len, keys)),
        elisions=frozenset(key for key in english_by_phrase if key.endswith(("'", "-"))),
    )
