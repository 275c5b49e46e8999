"""The languages whose stems join the words of a vault into terms."""

from dataclasses import dataclass

from clew.text.stopwords import STOP_WORDS
from clew.text.terms import LANGUAGES, term_in_languages

AUTO = "auto"  # as a setting: find the languages from the notes
DEFAULT_LANGUAGE = "en"  # of a vault in which no note shows its language
_CODE_OF_STEMMER = {stemmer: code for code, stemmer in LANGUAGES.items()}
_NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages of a vault, by the names of their stemmers, in the order of the terms."""

    stemmers: tuple[str, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages as keys of ``LANGUAGES``."""
        return tuple(_CODE_OF_STEMMER[stemmer] for stemmer in self.stemmers)

    @property
    def stop_words(self) -> frozenset[str]:
        """The words that queries leave out."""
        return STOP_WORDS if LANGUAGES["en"] in self.stemmers else _NO_WORDS

    def term_of(self, word: str) -> str:
        """Return the term of a word."""
        return term_in_languages(word, self.stemmers)
