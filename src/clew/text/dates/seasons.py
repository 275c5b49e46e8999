"""Find seasons in a query: "last summer", "spring 2024", "été 2025".

A season has no known days, since summer is in December in the south. So it is no period, and notes
need not have its words either.
"""

from collections.abc import Sequence

from clew.text.dates.grammar.words import Word, is_year
from clew.text.dates.languages.reading import read_words
from clew.text.stopwords import STOP_WORDS

CHARACTERS_MAX = 1_000  # no season is looked for in a longer query
_SEASONS = frozenset(("spring", "summer", "autumn", "fall", "winter"))
_BESIDE_TODAY = frozenset(("last", "past", "this"))


Span = tuple[int, int]  # in characters of the query


def seasons_in(query: str) -> list[Span]:
    """Return the seasons that ``query`` names with a year or "last", "past" or "this", in order."""
    if len(query) > CHARACTERS_MAX:
        return []
    words = read_words(query)
    return [
        season
        for at, word in enumerate(words)
        if word.text in _SEASONS and (season := _season_at(words, at)) is not None
    ]


def _season_at(words: Sequence[Word], at: int) -> Span | None:
    """Return the season at ``words[at]`` with the words that date it; ``None`` if none does."""
    season = words[at]
    after = at + 1
    if at and words[at - 1].text in _BESIDE_TODAY and season.is_joined:
        # In "the last winter games" the season only tells which games are meant.
        ends = after == len(words) or words[after].text in STOP_WORDS or not words[after].is_joined
        return (words[at - 1].start, season.end) if ends else None
    if after < len(words) and words[after].text in _BESIDE_TODAY and words[after].is_joined:
        # "Verano pasado"; in English a "year" follows: "summer last year".
        is_of_year = after + 1 < len(words) and words[after + 1].text == "year"
        return (season.start, words[after + is_of_year].end)
    after += after < len(words) and words[after].text == "of"
    if after < len(words) and is_year(words[after].text) and words[after].is_joined:
        return (season.start, words[after].end)
    return None
