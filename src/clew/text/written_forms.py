"""Prepare text for tokens: keep the signs of names such as C++, and join digits split by commas.

The signs get the form of a letter, since tokens end at punctuation. A text without such names, as
nearly all are, is only searched for them.
"""

import re

_PLUSES, _SHARP, _DOT = "\ufdd0", "\ufdd1", "\ufdd2"  # noncharacters, which no text should have
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A token with such a sign -> the word that it is.
SIGNED_WORDS = {
    **{f"{letter}{_PLUSES}": f"{letter}++" for letter in _LETTERS},
    **{f"{letter}{_SHARP}": f"{letter}#" for letter in _LETTERS},
    f"{_DOT}net": ".net",
}
# Each pattern begins with its sign, since it is fast to search for one character.
_AFTER_PLUSES = re.compile(r"\+\+(?<=(?<![\w-])[A-Za-z]\+\+)(?![^\W\d]|\+)")
_AFTER_SHARP = re.compile(r"#(?<=(?<![\w-])[A-Za-z]#)(?![\w#])")
# With a word before it only in upper case: ASP.NET, but not example.net.
_DOT_NET = re.compile(r"\.(?:NET|[Nn]et(?<!\w\.[Nn]et))(?![^\W\d])")
_THREE_DIGITS = re.compile(r",(?<=[0-9],)[0-9]{3}(?![0-9])")  # begins with the comma likewise
_GROUPED_DIGITS = re.compile(r"(?<![\w,.])[0-9]{1,3}(?:,[0-9]{3}){1,5}(?!,?[0-9])")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,5}k")


def with_signs(text: str) -> str:
    """Return ``text`` with names such as ``C++`` and ``C#`` as tokens of ``SIGNED_WORDS``."""
    if "+" in text:
        text = _AFTER_PLUSES.sub(f"{_PLUSES} ", text)
    if "#" in text:
        text = _AFTER_SHARP.sub(f"{_SHARP} ", text)
    return text


def with_dot_net(text: str) -> str:
    """Return ``text`` with ``.NET`` as a token of ``SIGNED_WORDS``."""
    return _DOT_NET.sub(f" {_DOT}net ", text)


def with_joined_digits(text: str, *, keeps_parts: bool) -> str:
    """Return ``text`` with ``20,000`` as ``20000``, or as both."""
    if _THREE_DIGITS.search(text) is None:
        return text
    kept = r"\g<0> " if keeps_parts else ""
    return _GROUPED_DIGITS.sub(
        lambda number: number.expand(kept) + number[0].replace(",", ""), text
    )


def number_forms(word: str) -> tuple[str, ...]:
    """Return a word and, if it is a number of thousands in digits, its other ways of writing."""
    if not (word.isascii() and word.isdecimal() and 4 <= len(word) <= 9):
        return (word,)
    grouped = f"{int(word):,}"
    return (word, grouped, f"{word[:-3]}k") if word.endswith("000") else (word, grouped)


def thousands(word: str) -> str | None:
    """Return ``20k`` as ``20000``; ``None`` for a word that is no number with a ``k``."""
    return f"{word[:-1]}000" if _THOUSANDS.fullmatch(word) else None
