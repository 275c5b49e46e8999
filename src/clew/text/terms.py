"""Tokenize text into words, and stem words into terms.

A token is cut at white space and most punctuation (``_TOKEN``). ``_split_token`` makes words of it:

- case folded, without apostrophes: ``Clock's`` gives ``clock``;
- an identifier gives the whole identifier and its parts: ``camelCase``, ``snake_case``,
  ``kebab-case`` and ``FTS5``;
- a hash such as ``NzQzMzJhZTEt``, of many tiny parts, is one word;
- an acronym in the plural gives the acronym too: ``CPUs`` and ``CPU``;
- a number in thousands gives its digits: ``20k`` and ``20,000`` give ``20000``;
- a decimal or a version is a word, and so are its parts: ``1.2`` (also for ``1,2``), ``1``, ``2``;
- an amount is split before its unit: ``4mA`` gives ``4`` and ``ma``;
- the signs of ``C++``, ``C#``, ``A*``, ``B+`` and ``.NET`` are part of these words
  (``written_forms``), and ``R&D``, ``I/O`` and ``24/7`` are words, beside their parts;
- initials are joined: ``J. R. R.`` gives ``jrr``, and ``U.S.A.`` gives ``usa``;
- scripts without spaces between words give n-grams: pairs of characters for Chinese, Japanese and
  Korean, triples and pairs for Thai and its relatives, where a syllable has several characters.

A term is the stem of a word, without accents; in a vault of several languages, its stems in each.
The index stores words, and a query looks up all words that share a stem.

Source of the stems: Snowball, https://snowballstem.org.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

import Stemmer

from clew.text.stopwords import STOP_WORDS
from clew.text.written_forms import (
    DENSE,
    SYLLABIC,
    has_signs,
    thousands,
    with_dot_net,
    with_joined_digits,
    with_joined_initials,
    with_joined_letters,
    with_points,
    with_signs,
    word_with_signs,
)

STEMS_JOINED_BY = "\0"  # which is in no word
WORD_CHARACTERS_MAX = 64  # of a longer identifier, only the parts are words
HASH_PARTS_MIN, HASH_PART_LENGTH = 6, 2.5  # so many parts, shorter on average: a hash
TOKENS_KEPT = 1 << 14  # size of the cache of split tokens: 3 MB
TERMS_KEPT = 4_096  # terms of words in the languages of a vault
UNITS_KEPT = 1 << 13  # size of the caches for phrases
QUERIES_KEPT = 32  # texts whose words are kept

# Everything but characters that never occur inside a word. ``_split_at_signs`` splits tokens
# further; splitting here keeps the cache of tokens small.
_TOKEN = re.compile(
    r"[^\x00-\x1f\s!-&(-,./:-@\[-^`{-~\x7f-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf"
    r"\u200b\u200e-\u2018\u201a-\u206f"
    r"\u3000-\u3004\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3e\uff5b-\uff65]+"
)
_RUN = re.compile(f"[{SYLLABIC}]+|[{DENSE}]+|[^{SYLLABIC}{DENSE}]+")
_DENSE_SIZE, _SYLLABIC_SIZE = 2, 3
_IS_DENSE = re.compile(f"[{DENSE}]")
_IS_SYLLABIC = re.compile(f"[{SYLLABIC}]")
_VARIATIONS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # variation selectors
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# M2, FTS5, 20ms: hashes and the like, where letters and digits alternate, are not split.
_LETTERS_AND_DIGITS = re.compile(r"([^\W\d_]+)(\d+)|(\d+)([^\W\d_]+)")
_AMOUNT = re.compile(r"\d+[^\W\d_]{1,3}")  # with a unit, whose capitals begin no part: 4mA, 5kWh
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
# ISO 639-1 code -> Snowball stemmer of the Latin script; ``none`` means no stemming.
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
_ACCENTS_FROM, _ACCENTS_TO = 202, 240  # combining classes of accents
_VOWEL_SIGNS = range(10, 36)  # combining classes of Hebrew and Arabic vowels, mostly not written
_TATWEEL = "\u0640"  # only stretches an Arabic word
# Letters that have no accent by Unicode and that people write without their stroke, or as two.
_PLAIN_LETTERS = str.maketrans(
    {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "þ": "th"}
)


def count_words(text: str) -> Counter[str]:
    """Return the count of each word in ``text``, for the index."""
    text = with_joined_initials(with_joined_letters(with_signs(text)), keeps_parts=True)
    text = with_points(with_joined_digits(text, keeps_parts=True))
    words = _counted(text)
    return _counted(with_dot_net(text)) if "net" in words else words


def _counted(text: str) -> Counter[str]:
    # No Python loop over tokens: a vault has millions of them.
    return Counter(" ".join(map(_WORDS_BY_TOKEN.__getitem__, _TOKEN.findall(text))).split())


def query_words(text: str) -> list[str]:
    """Return the words of a query, in order; the parts of an identifier follow it.

    A stop word in odd capitals, as in "WHen", is no identifier.
    """
    return list(_words_of_query(text))


@lru_cache(maxsize=QUERIES_KEPT)  # a search asks for the words of its query several times
def _words_of_query(text: str) -> tuple[str, ...]:
    text = with_joined_initials(with_joined_letters(with_signs(text)), keeps_parts=False)
    tokens = _query_tokens(with_points(text))
    words = {token: _words_of_query_token(token) for token in dict.fromkeys(tokens)}
    return tuple(word for token in tokens for word in words[token])


def _words_of_query_token(token: str) -> tuple[str, ...]:
    words = _split_token(token, _query_grams)
    if not words or words[0] not in STOP_WORDS:
        return words
    is_single = len(_runs_of_token(token)) == 1  # unlike "IT" before Chinese
    return words[:1] if is_single else words


def phrase_units(text: str) -> list[str]:
    """Return ``text`` as a sequence of its smallest words, by which phrases are compared.

    These are words without accents, the parts of an identifier instead of the whole, and single
    characters of scripts without spaces. A text has a phrase if it has the phrase's units in a row.
    """
    return [unit for token in _query_tokens(text) for unit in _units_of_token(token)]


def phrase_words(text: str) -> list[str]:
    """Return indexed words that every passage with the phrase ``text`` has; maybe none."""
    return [
        word
        for token in _query_tokens(text)
        for run in _runs_of_token(token)
        for word in (_grams_of_run(run, _query_grams) or _units_of_identifier(run))
        if len(word) <= WORD_CHARACTERS_MAX
    ]


def _query_tokens(text: str) -> list[str]:
    return _TOKEN.findall(with_dot_net(with_joined_digits(with_signs(text), keeps_parts=False)))


@lru_cache(maxsize=UNITS_KEPT)
def _units_of_token(token: str) -> tuple[str, ...]:
    return tuple(
        without_accents(unit)
        for run in _runs_of_token(token)
        for unit in (_grams_of_run(run, lambda run, _: tuple(run)) or _units_of_identifier(run))
    )


def _units_of_identifier(token: str) -> list[str]:
    """Return the parts of an identifier; of ``l'amour`` only ``amour``."""
    units = []
    for piece in _BREAK.split(token.replace("\u2019", "'")):
        if elided := _ELIDED.match(piece):
            units.append(_without_apostrophe(piece[elided.end() :]).casefold())
        else:
            units += map(str.casefold, _camel_parts(_without_apostrophe(piece)))
    return [part for unit in units for part in _number_parts(unit)[1:] or (unit,)]


def _split_token(token: str, grams: Callable[[str, int], tuple[str, ...]]) -> tuple[str, ...]:
    if token.isascii():
        return _identifier_parts(token)
    runs = _runs_of_token(token)
    words = {run: _words_of_run(run, grams) for run in dict.fromkeys(runs)}  # emoji may be many
    return tuple(word for run in runs for word in words[run])


def _runs_of_token(token: str) -> list[str]:
    """Split a token at signs, and where a script without spaces begins or ends."""
    if token.isascii():
        return [token]
    plain = unicodedata.normalize("NFKC", token)
    if not has_signs(plain):
        return _plain_runs(plain)
    runs: list[str] = []
    for part in _RUN.findall(plain):
        word = word_with_signs(part)
        runs += [word] if word else _plain_runs(part)
    return runs


def _plain_runs(token: str) -> list[str]:
    return [run for piece in _split_at_signs(token) for run in _RUN.findall(piece)]


def _index_grams(run: str, size: int) -> tuple[str, ...]:
    return (_grams(run, size) if len(run) >= size else ()) + _grams(run, size - 1)


def _query_grams(run: str, size: int) -> tuple[str, ...]:
    """Return the n-grams of a query: only triples in syllabic scripts, as pairs are too common."""
    return _grams(run, size) if size == _SYLLABIC_SIZE else _index_grams(run, size)


def _grams(run: str, size: int) -> tuple[str, ...]:
    return tuple(run[at : at + size] for at in range(max(1, len(run) - size + 1)))


class _TokenCache(dict[str, str]):
    """A cache: token -> its words, joined by spaces. Long tokens are not kept."""

    def __missing__(self, token: str) -> str:
        words = " ".join(_split_token(token, _index_grams))
        if len(token) <= WORD_CHARACTERS_MAX:
            if len(self) >= TOKENS_KEPT:
                self.clear()
            self[token] = words
        return words


_WORDS_BY_TOKEN = _TokenCache()


def _split_at_signs(text: str) -> list[str]:
    """Split ``text`` at all but letters, marks, digits, joiners and emoji.

    Format characters, variation selectors and marks without a letter before them are dropped.
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
    return _grams_of_run(run, grams) or _identifier_parts(run.replace("\u2019", "'"))


def _grams_of_run(run: str, grams: Callable[[str, int], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the n-grams of a run in a script without spaces; none of another run."""
    if _IS_DENSE.match(run):
        return grams(run.casefold(), _DENSE_SIZE)
    if _IS_SYLLABIC.match(run):
        return grams(run.casefold(), _SYLLABIC_SIZE)
    return ()


def is_without_spaces(word: str) -> bool:
    """Return whether a word is in a script without spaces, where it may be a part of one."""
    return _IS_DENSE.match(word) is not None or _IS_SYLLABIC.match(word) is not None


def _identifier_parts(token: str) -> tuple[str, ...]:
    """Return an identifier, followed by its parts if it has several."""
    is_plain = token.islower() or token[1:].islower() or token.isupper()
    if token.isalnum() and (is_plain or _AMOUNT.fullmatch(token)):
        return _number_parts(token.casefold()) if len(token) <= WORD_CHARACTERS_MAX else ()
    split = _BREAK.split(token)
    pieces = [_without_apostrophe(piece) for piece in split]
    parts = [
        word
        for piece in pieces
        for part in _camel_parts(piece)
        for word in (*_number_parts(part.casefold()), *_singular(part))
    ]
    elided = [piece[mark.end() :] for piece in split if (mark := _ELIDED.match(piece))]
    parts += [_without_apostrophe(piece).casefold() for piece in elided]
    whole = "".join(pieces).casefold()
    if len(whole) > WORD_CHARACTERS_MAX:
        return tuple(part for part in parts if len(part) <= WORD_CHARACTERS_MAX)
    if len(parts) <= 1:
        return (whole,) if whole else ()
    return tuple(dict.fromkeys((whole, *parts)))


def _number_parts(word: str) -> tuple[str, ...]:
    """Return a word in lower case, followed by its letters and its digits if it is both.

    The digits of ``20k`` are those of its long form, 20000, and its letters are left out.
    """
    if word.isalpha() or word.isdecimal():
        return (word,)
    if long_form := thousands(word):
        return word, long_form
    mixed = _LETTERS_AND_DIGITS.fullmatch(word)
    return (word, *filter(None, mixed.groups())) if mixed else (word,)


def _without_apostrophe(piece: str) -> str:
    if piece[-2:] in ("'s", "'S"):
        piece = piece[:-2]
    return piece.replace("'", "")


def _camel_parts(piece: str) -> list[str]:
    if not piece:
        return []
    if piece.isupper() or piece[1:] == piece[1:].lower():
        return [piece]
    shape = piece if piece.isascii() else "".join(map(_ascii_shape, piece))
    parts = [piece[slice(*part.span())] for part in _CAMEL.finditer(shape)]
    is_hash = len(piece) < HASH_PART_LENGTH * len(parts) and len(parts) >= HASH_PARTS_MIN
    return [piece] if is_hash else parts


def _singular(part: str) -> tuple[str, ...]:
    """Return the acronym that is in the plural, in lower case, if ``part`` is one."""
    is_plural = len(part) > 2 and part[-1] == "s" and part[:-1].isupper()
    return (part[:-1].casefold(),) if is_plural else ()


def _ascii_shape(character: str) -> str:
    """Return "A", "a" or "0" for an upper-case letter, another character or a digit.

    An "s" stays one: it may be that of a plural.
    """
    if character.isdecimal():
        return "0"
    if character == "s":
        return character
    return "A" if character.isupper() else "a"


def term_of(word: str, stemmer: str) -> str:
    """Return the term of ``word``; ``stemmer`` is the Snowball stemmer for the Latin script.

    Each script in ``_STEMMER_OF_SCRIPT`` has one stemmer, that of its main language.
    """
    if word.isascii():
        return _stemmer(stemmer).stemWord(word) if stemmer else word
    name = next((name for low, high, name in _STEMMER_OF_SCRIPT if low <= word[0] <= high), stemmer)
    if name == "english":  # its stemmer knows no accents, and most people omit them
        word = without_accents(word)
    stem: str = _stemmer(name).stemWord(word) if name else word
    return without_accents(stem)


@lru_cache(maxsize=TERMS_KEPT)  # a query asks for the term of each of its words several times
def term_in_languages(word: str, stemmers: tuple[str, ...]) -> str:
    """Return the stems of ``word`` by each of these stemmers, joined by ``STEMS_JOINED_BY``."""
    return STEMS_JOINED_BY.join(term_of(word, stemmer) for stemmer in stemmers)


@lru_cache(maxsize=UNITS_KEPT)
def without_accents(word: str) -> str:
    """Return ``word`` in plain letters, without marks of vowels that are mostly not written."""
    if word.isascii():
        return word
    kept = []
    for character in unicodedata.normalize("NFKD", word):
        kind = unicodedata.combining(character)
        if _ACCENTS_FROM <= kind <= _ACCENTS_TO or kind in _VOWEL_SIGNS or character == _TATWEEL:
            continue
        kept.append(character)
    return unicodedata.normalize("NFKC", "".join(kept)).translate(_PLAIN_LETTERS)


@lru_cache(maxsize=len(LANGUAGES) + len(_STEMMER_OF_SCRIPT))
def _stemmer(name: str) -> Stemmer.Stemmer:
    # Without its cache: each word of a vocabulary is stemmed once, so the cache would only be
    # filled and purged again and again, which takes 8 MB and twice as long as stemming.
    return Stemmer.Stemmer(name, maxCacheSize=0)
