"""The words of a text as search knows them, and the term that each of them stands for.

A word is what people would type: case folded, identifiers split at ``camelCase``, ``snake_case``
and ``kebab-case`` and also kept whole, scripts without spaces cut into overlapping pairs or triples
of characters. A term is what its inflections share: the stem, without the marks of accents. Words
are what is stored, terms what is looked up.

Source of the stems: Snowball, https://snowballstem.org.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

import Stemmer

WORD_CHARACTERS_MAX = 64  # of a longer one only the parts count
TOKENS_KEPT = 1 << 17  # how their words are cut is remembered

# What never joins two letters of one word. Whatever else lies between words is sorted out below;
# cutting here keeps what is remembered few.
_TOKEN = re.compile(
    r"[^\x00-\x1f\s!-&(-,./:-@\[-^`{-~\x7f-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf"
    r"\u200b\u200e-\u2018\u201a-\u206f"
    r"\u3000-\u3004\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3e\uff5b-\uff65]+"
)
# Thai, Lao, Tibetan, Myanmar, Khmer: a syllable takes several characters there.
_SYLLABIC = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"
# Han, kana; and Hangul, whose particles stick to its nouns.
_DENSE = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_SYLLABIC}]+|[{_DENSE}]+|[^{_SYLLABIC}{_DENSE}]+")
_DENSE_SIZE, _SYLLABIC_SIZE = 2, 3
_IS_DENSE = re.compile(f"[{_DENSE}]")
_IS_SYLLABIC = re.compile(f"[{_SYLLABIC}]")
_VARIATIONS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # of the same sign
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BREAK = re.compile(r"[-_]+")
_ELIDED = re.compile(r"[^\W\d]{1,2}'(?=[^\W\d]{3})")  # l'amour, d'Artagnan, O'Brien
_STEMMER_OF_SCRIPT = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
# Snowball's languages by their ISO 639-1 codes; ``none`` stems nothing of the Latin script.
LANGUAGES = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nl": "dutch",
    "no": "norwegian",
    "none": "",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
}
_ACCENTS_FROM, _ACCENTS_TO = 202, 240  # combining classes of marks set above, below or through
_VOWEL_SIGNS = range(10, 36)  # of Hebrew and Arabic, left out in most texts
_TATWEEL = "\u0640"  # stretches an Arabic word and says nothing


def count_words(text: str) -> Counter[str]:
    """Return how often each word stands in ``text``, as the index has it."""
    # All of it in loops of the interpreter's own: a vault has millions of tokens.
    return Counter(" ".join(map(_INDEXED.__getitem__, _TOKEN.findall(text))).split())


def query_words(text: str) -> list[str]:
    """Return the words to look for, in their order; the parts of an identifier follow it."""
    return [word for token in _TOKEN.findall(text) for word in _cut(token, _asked_grams)]


def _cut(token: str, grams: Callable[[str, int], tuple[str, ...]]) -> tuple[str, ...]:
    if token.isascii():
        return _parts(token)
    return tuple(
        word
        for piece in _letters(unicodedata.normalize("NFKC", token))
        for run in _RUN.findall(piece)
        for word in _words_of_run(run, grams)
    )


def _indexed_grams(run: str, size: int) -> tuple[str, ...]:
    if len(run) < size:
        return _grams(run, size - 1)
    return _grams(run, size) + _grams(run, size - 1)


def _asked_grams(run: str, size: int) -> tuple[str, ...]:
    """Return the cuts to look for: of a script of syllables, pairs stand in too many notes."""
    return _grams(run, size) if size == _SYLLABIC_SIZE else _indexed_grams(run, size)


def _grams(run: str, size: int) -> tuple[str, ...]:
    return tuple(run[at : at + size] for at in range(max(1, len(run) - size + 1)))


class _Indexed(dict[str, str]):
    """The words of each token with a space between them, remembered for short tokens."""

    def __missing__(self, token: str) -> str:
        words = " ".join(_cut(token, _indexed_grams))
        if len(token) <= WORD_CHARACTERS_MAX:
            if len(self) >= TOKENS_KEPT:
                self.clear()
            self[token] = words
        return words


_INDEXED = _Indexed()


def _letters(text: str) -> list[str]:
    """Part ``text`` at everything that is no letter, mark, digit or joiner; emoji stay.

    What only says how to show or to break a word is no part of it, nor are marks upon nothing.
    """
    kept = [" "]
    for character in text:
        kind = unicodedata.category(character)
        if kind[0] == "M":
            if kept[-1] not in " _-'\u2019" and not _VARIATIONS.match(character):
                kept.append(character)
        elif kind[0] in "LN" or character in "_-'\u2019":
            kept.append(character)
        elif kind == "So":
            kept += (" ", character, " ")
        elif kind != "Cf":
            kept.append(" ")
    return "".join(kept).split()


def _words_of_run(run: str, grams: Callable[[str, int], tuple[str, ...]]) -> tuple[str, ...]:
    if _IS_DENSE.match(run):
        return grams(run.casefold(), _DENSE_SIZE)
    if _IS_SYLLABIC.match(run):
        return grams(run.casefold(), _SYLLABIC_SIZE)
    return _parts(run.replace("\u2019", "'"))


def _parts(token: str) -> tuple[str, ...]:
    """Return an identifier whole, and its parts if it has several."""
    if token.isalnum() and (token.islower() or token[1:].islower() or token.isupper()):
        return (token.casefold(),) if len(token) <= WORD_CHARACTERS_MAX else ()
    split = _BREAK.split(token)
    pieces = [_without_apostrophe(piece) for piece in split]
    parts = [part for piece in pieces for part in _camel_parts(piece)]
    elided = [piece[mark.end() :] for piece in split if (mark := _ELIDED.match(piece))]
    parts += [_without_apostrophe(piece).casefold() for piece in elided]
    whole = "".join(pieces).casefold()
    if len(whole) > WORD_CHARACTERS_MAX:
        return tuple(part for part in parts if len(part) <= WORD_CHARACTERS_MAX)
    if len(parts) <= 1:
        return (whole,) if whole else ()
    return tuple(dict.fromkeys((whole, *parts)))


def _without_apostrophe(piece: str) -> str:
    if piece[-2:] in ("'s", "'S"):
        piece = piece[:-2]
    return piece.replace("'", "")


def _camel_parts(piece: str) -> list[str]:
    if not piece:
        return []
    if piece.isupper() or piece[1:] == piece[1:].lower():
        return [piece.casefold()]
    shape = piece if piece.isascii() else "".join(map(_shape, piece))
    return [piece[part.start() : part.end()].casefold() for part in _CAMEL.finditer(shape)]


def _shape(character: str) -> str:
    """Return the letter of ASCII, or the digit, that has the case of another script's."""
    if character.isdecimal():
        return "0"
    return "A" if character.isupper() else "a"


def term_of(word: str, stemmer: str) -> str:
    """Return the term that ``word`` stands for; ``stemmer`` is Snowball's for the Latin script.

    Words of scripts that one language alone is written in, or one above all, take its stemmer.
    """
    if word.isascii():
        return _stemmer(stemmer).stemWord(word) if stemmer else word
    name = next((name for low, high, name in _STEMMER_OF_SCRIPT if low <= word[0] <= high), stemmer)
    if name == "english":  # its stemmer knows no accents, nor do most who write borrowed words
        word = _without_marks(word)
    stem: str = _stemmer(name).stemWord(word) if name else word
    return _without_marks(stem)


def _without_marks(word: str) -> str:
    kept = []
    for character in unicodedata.normalize("NFKD", word):
        kind = unicodedata.combining(character)
        if _ACCENTS_FROM <= kind <= _ACCENTS_TO or kind in _VOWEL_SIGNS or character == _TATWEEL:
            continue
        kept.append(character)
    return unicodedata.normalize("NFKC", "".join(kept))


@lru_cache(maxsize=len(LANGUAGES) + len(_STEMMER_OF_SCRIPT))
def _stemmer(name: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(name)
