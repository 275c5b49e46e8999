"""The words that queries say times with, and ask for notes of a time with, to correct slips in."""

from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.text.dates.grammar.relative import PARTS_OF_DAY
from clew.text.dates.languages.english import ACTS, HAPPENED, NOTE_WORDS, SUMMARIES
from clew.text.dates.languages.reading import ENGLISH, LANGUAGES

_LETTERS_MIN = 4  # a shorter word is one letter away from too many others
_ALL = frozenset((*MONTHS, *WEEKDAYS)).union(
    *(PARTS_OF_DAY, ENGLISH, NOTE_WORDS, ACTS, HAPPENED, SUMMARIES),
    *(language.sure_words for language in LANGUAGES),
)
TIME_WORDS = sorted(word for word in _ALL if len(word) >= _LETTERS_MIN and word.isalpha())
