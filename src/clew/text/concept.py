"""Normalize text into concepts; no other module does this. Normalizing twice changes nothing.

File names, tags and other names have simpler forms for comparing, with the same Unicode form.

After case folding a text may not be in NFKC form any more, and dropping a character may join two
characters that compose. So the forms are applied again after each step. Plain NFKC and case folding
change about one in 10,000 strings of combining marks on a second pass.
"""

import re
import unicodedata

CONCEPT_CHARACTERS_MAX = 200

_UNSPOKEN = re.compile(r"[^\w-]")
_SEPARATORS = re.compile(r"[\s_/-]+")
_NO_BREAK_SPACES = str.maketrans("\u00a0\u202f", "  ")
_NAME_WORD = re.compile(r"[^\W_]+")


def normalize(text: str) -> str:
    """Return the concept that ``text`` names, or ``""`` when it names none.

    Control and format characters are dropped, compatibility forms unified, case folded, and each
    run of white space, ``_``, ``/`` and ``-`` becomes one ``-``; at the ends it is dropped. Text
    that is empty after that, or longer than ``CONCEPT_CHARACTERS_MAX``, names no concept.
    """
    if text.isascii():
        folded = text.lower() if text.isprintable() else _drop_controls(text.lower())
    else:
        folded = unicodedata.normalize("NFKC", _drop_controls(text)).casefold()
        folded = unicodedata.normalize("NFKC", folded)
    joined = _SEPARATORS.sub("-", folded).strip("-")
    if not joined.isascii():
        joined = unicodedata.normalize("NFC", joined)
    return joined if len(joined) <= CONCEPT_CHARACTERS_MAX else ""


def unicode_form(text: str) -> str:
    """Return ``text`` in NFC, where accents that are characters of their own join their letters."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_name(text: str) -> str:
    """Return a file name or link target in the form for comparing: NFC, case folded.

    A no-break space is a space, as in Obsidian.
    """
    if text.isascii():
        return text.lower()
    return unicode_form(unicode_form(text).casefold()).translate(_NO_BREAK_SPACES)


def lower_name(text: str) -> str:
    """Return a file name or link target in lower case: like ``fold_name``, but ``ß`` is not ``ss``.

    Obsidian tells ``Maße`` from ``Masse``.
    """
    return unicode_form(unicode_form(text).lower()).translate(_NO_BREAK_SPACES)


def fold_tag(text: str) -> str:
    """Return a tag as notes have it: NFC, in lower case, without ``#`` and outer slashes."""
    return unicode_form(text.strip().lstrip("#").strip("/ ").lower())


def name_words(text: str) -> list[str]:
    """Return the words of a name in the form for comparing, without punctuation.

    A combining mark is a part of the letter before it: in Hindi most vowels are such marks.
    """
    folded = fold_name(text)
    if folded.isascii():
        return _NAME_WORD.findall(folded)
    kept = " "
    for character in folded:
        is_part = character.isalnum() or (
            kept[-1] != " " and unicodedata.category(character)[0] == "M"
        )
        kept += character if is_part else " "
    return kept.split()


def _drop_controls(text: str) -> str:
    return "".join(
        character
        for character in text
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cf")
    )


def spoken_form(name: str) -> str:
    """Return a normalized name without punctuation and without a "(...)" at its end.

    ``kansas-city,-missouri`` is ``kansas-city-missouri``, ``mercury-(planet)`` is ``mercury``.
    """
    if name.endswith(")"):
        name = name.rpartition("(")[0] or name
    if _UNSPOKEN.search(name):
        name = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else "-" for c in name)
    return "-".join(filter(None, name.split("-")))
