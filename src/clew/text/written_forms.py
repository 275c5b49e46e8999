"""Prepare text for tokens: keep the signs of C++, A*, R&D and 1.2, and join digits in groups.

The signs get the form of a letter, since tokens end at punctuation. A text without such names, as
nearly all are, is only searched for them.
"""

import re

from clew.text.stopwords import STOP_WORDS

# Thai, Lao, Tibetan, Myanmar, Khmer: a syllable takes several characters there.
SYLLABIC = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"
# Han, kana, and Hangul, where particles are attached to nouns.
DENSE = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# A character of a word in a script with spaces: where another script begins, the word ends.
_WORD = rf"[^\W{SYLLABIC}{DENSE}]"
_LETTER = rf"[^\W\d_{SYLLABIC}{DENSE}]"
_LETTER_OR_DIGIT = rf"[^\W_{SYLLABIC}{DENSE}]"
# Noncharacters, which no text should have.
_PLUSES, _SHARP, _DOT, _POINT = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_AND, _SLASH, _PLUS, _STAR = "\ufdd4", "\ufdd5", "\ufdd6", "\ufdd7"
_SIGNS = frozenset((_PLUSES, _SHARP, _DOT, _POINT, _AND, _SLASH, _PLUS, _STAR))
_END_SIGNS = _PLUSES + _SHARP + _PLUS + _STAR  # of a name of one letter
_INNER_SIGNS = str.maketrans({_POINT: ".", _AND: "&", _SLASH: "/"})
_KEPT_SIGNS = {"&": _AND, "/": _SLASH}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A token with such a sign -> the word that it is.
_SIGNED_WORDS = {
    **{f"{letter}{_PLUSES}": f"{letter}++" for letter in _LETTERS},
    **{f"{letter}{_SHARP}": f"{letter}#" for letter in _LETTERS},
    **{f"{letter}{_PLUS}": f"{letter}+" for letter in _LETTERS},
    **{f"{letter}{_STAR}": f"{letter}*" for letter in _LETTERS},
    f"{_DOT}net": ".net",
}
# Each pattern begins with its sign, since it is fast to search for one character.
_ALONE = rf"(?<!{_WORD})(?<!-)[A-Za-z]"  # a letter that begins a word
_AFTER_PLUSES = re.compile(rf"\+\+(?<={_ALONE}\+\+)(?!{_LETTER}|[_+])")
_AFTER_SHARP = re.compile(rf"#(?<={_ALONE}#)(?!{_WORD}|#)")
_AFTER_PLUS = re.compile(rf"\+(?<=(?<!\+){_ALONE}\+)(?!{_WORD}|[+=])")
# A* is written so, or with a backslash; it may also end what is emphasized: *vitamin A*.
_AFTER_STAR = re.compile(rf"\*(?<=(?<![*\\]){_ALONE}\*)(?!{_WORD}|[*=])")
_AFTER_ESCAPED_STAR = re.compile(rf"\\(?<=(?<![*\\]){_ALONE}\\)\*(?!{_WORD}|\*)")
_EMPHASIS_BEGINS = re.compile(rf"(?<!{_WORD})(?<!\*)\*(?![\s*])")
_EMPHASIS_CHARACTERS_MAX = 200  # before the sign that ends it
# R&D, AT&T and Q&A; I/O, A/B and 24/7, each matched from its sign on. Other words with a slash are
# found by their parts, but "I" and "A" are stop words, and digits are common. What stands beside
# "=" are the parameters of a URL, and "s" of "he's" is no word.
_BEGINS = rf"(?<!{_WORD})(?<!{_WORD}['\u2019])"
_AND_IN_SHORT = re.compile(
    rf"&(?:(?<={_BEGINS}(?<![&=])({_LETTER_OR_DIGIT})&)"
    rf"|(?<={_BEGINS}(?<![&=])({_LETTER_OR_DIGIT}{{2}})&))"
    rf"{_LETTER_OR_DIGIT}{{1,2}}(?!{_WORD}|[&={_END_SIGNS}])"
)
_SLASH_IN_SHORT = re.compile(
    rf"/(?:(?<={_BEGINS}(?<![/.,])({_LETTER_OR_DIGIT})/)"
    rf"|(?<={_BEGINS}(?<![/.,])([0-9]{{2}})/))"
    rf"(?:(?<=[AaIi]/){_LETTER}|(?<={_LETTER}/)[AaIi]|(?<=[0-9]/)[0-9]{{1,2}})"
    rf"(?!{_WORD}|[/{_END_SIGNS}]|[.,][0-9])"
)
_TWO_INITIALS = re.compile(r"\.(?<=[A-Z]\.) ?[A-Z]\.")
# J. R. R. Tolkien and U.S.A.; a sentence that ends in one letter has no other before it.
_INITIALS = re.compile(rf"(?<!{_WORD})(?<!\.)[A-Z]\.(?: ?[A-Z]\.){{1,5}}")
# With a word before it only in upper case: ASP.NET, but not example.net.
_DOT_NET = re.compile(rf"\.(?:NET|[Nn]et(?<!{_WORD}\.[Nn]et))(?!{_LETTER}|_)")
_THREE_DIGITS = re.compile(r",(?<=[0-9],)[0-9]{3}(?![0-9])")  # begins with the comma likewise
_GROUPED_DIGITS = re.compile(r"(?<![\w,.])[0-9]{1,3}(?:,[0-9]{3}){1,5}(?!,?[0-9])")
# 4.200 and 1 500, as most of Europe groups digits; the first may be a decimal too.
_MAY_BE_GROUPED = re.compile("[0-9][ .\u00a0\u202f][0-9]{3}(?![0-9])")
_GROUPED_OTHERWISE = re.compile(
    "(?<![\\w.,])(?<![0-9] )[1-9][0-9]{0,2}([ .\u00a0\u202f])[0-9]{3}(?:\\1[0-9]{3}){0,4}"
    "(?!\\1?[0-9])(?!\\w)"
)
_POINT_IN_DIGITS = re.compile(r"\.(?<=[0-9]\.)[0-9]")
_COMMA_IN_DIGITS = re.compile(r",(?<=[0-9],)[0-9]{1,2}(?![0-9])")
# A decimal, a version or an address; its beginning as far as the second point is a version too.
_POINTED = re.compile(
    r"(?<![\w.,])v?([0-9]{1,9}\.[0-9]{1,9})((?:\.[0-9]{1,9}){0,6})(?!\w|[.,][0-9])", re.IGNORECASE
)
_DECIMAL_COMMA = re.compile(r"(?<![\w.,])([0-9]{1,9}),([0-9]{1,2})(?!\w|[.,][0-9])")
GROUP_SIGNS = ",. \u00a0\u202f"  # between thousands
_JOINED = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_]++[^\W_]++)++")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,5}k")


def with_signs(text: str) -> str:
    """Return ``text`` with names such as ``C++`` and ``C#`` as tokens of ``_SIGNED_WORDS``."""
    if "+" in text:
        text = _AFTER_PLUS.sub(f"{_PLUS} ", _AFTER_PLUSES.sub(f"{_PLUSES} ", text))
    if "#" in text:
        text = _AFTER_SHARP.sub(f"{_SHARP} ", text)
    if "*" in text:
        text = _AFTER_STAR.sub(_with_star, text)
        if "\\*" in text:
            text = _AFTER_ESCAPED_STAR.sub(f"{_STAR} ", text)
    return text


def _with_star(sign: re.Match[str]) -> str:
    """Return the star after a letter as a part of its word, unless it ends an emphasis."""
    text, start = sign.string, max(0, sign.start() - _EMPHASIS_CHARACTERS_MAX)
    line_start = text.rfind("\n", start, sign.start())
    opening = text.rfind("*", max(start, line_start), sign.start())
    begins = opening >= 0 and _EMPHASIS_BEGINS.match(text, opening) is not None
    return sign[0] if begins else f"{_STAR} "


def with_dot_net(text: str) -> str:
    """Return ``text`` with ``.NET`` as a token of ``_SIGNED_WORDS``."""
    return _DOT_NET.sub(f" {_DOT}net ", text)


def with_joined_digits(text: str, *, keeps_parts: bool) -> str:
    """Return ``text`` with ``20,000`` as ``20000``, or as both.

    ``20.000`` and ``20 000`` are both, but only if ``keeps_parts``: in a query they may be other
    numbers.
    """
    if keeps_parts and _MAY_BE_GROUPED.search(text) is not None:
        text = _GROUPED_OTHERWISE.sub(lambda number: f"{number[0]} {_digits(number[0])}", text)
    if _THREE_DIGITS.search(text) is None:
        return text
    kept = r"\g<0> " if keeps_parts else ""
    return _GROUPED_DIGITS.sub(lambda number: number.expand(kept) + _digits(number[0]), text)


def _digits(number: str) -> str:
    return "".join(filter(str.isdigit, number))


def with_points(text: str) -> str:
    """Return ``text`` with numbers such as ``1.2`` and ``1,2`` as tokens too, before their parts.

    ``word_with_signs`` returns the words of these tokens.
    """
    if _POINT_IN_DIGITS.search(text) is not None:
        text = _POINTED.sub(_with_points, text)
    if _COMMA_IN_DIGITS.search(text) is not None:
        text = _DECIMAL_COMMA.sub(rf"\1{_POINT}\2 \g<0>", text)
    return text


def _with_points(number: re.Match[str]) -> str:
    wholes = (number[1] + number[2], number[1]) if number[2] else (number[1],)
    return " ".join((*(whole.replace(".", _POINT) for whole in wholes), number[0]))


def with_joined_letters(text: str) -> str:
    """Return ``text`` with names such as ``R&D`` and ``I/O`` as tokens too, before their parts.

    ``word_with_signs`` returns the words of these tokens.
    """
    if "&" in text:
        text = _AND_IN_SHORT.sub(_with_joined, text)
    if "/" in text:
        text = _SLASH_IN_SHORT.sub(_with_joined, text)
    return text


def _with_joined(name: re.Match[str]) -> str:
    """Return a sign in a name, and what follows it, as the end of the joined name and as it is."""
    first, rest = name[1] or name[2], name[0]
    return f"{_KEPT_SIGNS[rest[0]]}{rest[1:]} {first}{rest}"


def with_joined_initials(text: str, *, keeps_parts: bool) -> str:
    """Return ``text`` with ``J. R. R.`` and ``U.S.A.`` as ``JRR`` and ``USA``, or as both.

    Of two initials the parts are always kept, since many such words are stop words: ``U.S.``.
    """
    if _TWO_INITIALS.search(text) is None:
        return text

    def joined(initials: re.Match[str]) -> str:
        letters = "".join(filter(str.isalpha, initials[0]))
        keeps = keeps_parts or len(letters) == 2 or letters.lower() in STOP_WORDS
        return f"{letters} {initials[0]}" if keeps else f"{letters} "

    return _INITIALS.sub(joined, text)


def has_signs(token: str) -> bool:
    """Return whether a token has a sign that was kept in it."""
    return not _SIGNS.isdisjoint(token)


def word_with_signs(token: str) -> str | None:
    """Return the word of a token such as ``C++`` or ``1.2``; ``None`` for one without signs."""
    folded = token.casefold().strip("'")
    word = _SIGNED_WORDS.get(folded) or folded.translate(_INNER_SIGNS)
    return word if word != folded else None


def joined_forms(text: str) -> dict[str, str]:
    """Return how names with an underscore are written in ``text``, folded, by their word.

    ``FOAM_TITLE`` gives the word ``foamtitle``, which a text that has it so does not contain. The
    parts of words with a hyphen are words of prose, and are found as such.
    """
    names = (name.casefold() for name in _JOINED.findall(text) if "_" in name)
    return {re.sub("[-_]", "", name): name for name in names}


def number_forms(word: str) -> tuple[str, ...]:
    """Return a word and, if it is a decimal or a number of thousands, its other ways of writing."""
    if word.count(".") == 1 and word.replace(".", "").isdecimal():
        return (word, word.replace(".", ","))
    if not (word.isascii() and word.isdecimal() and 4 <= len(word) <= 9):
        return (word,)
    grouped = f"{int(word):,}"
    forms = (word, *(grouped.replace(",", sign) for sign in GROUP_SIGNS))
    return (*forms, f"{word[:-3]}k") if word.endswith("000") else forms


def thousands(word: str) -> str | None:
    """Return ``20k`` as ``20000``; ``None`` for a word that is no number with a ``k``."""
    return f"{word[:-1]}000" if _THOUSANDS.fullmatch(word) else None
