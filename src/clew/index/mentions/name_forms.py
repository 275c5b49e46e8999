"""Names of notes, in the form in which texts are searched for them; pure.

A text and a name are compared folded (``folded``): case and compatibility forms do not matter, and
each run of white space, ``_``, ``/`` and ``-`` is one space. A text holds a name if the folded name
occurs in the folded text within one block, and no letter or digit comes right before or after it.
So names in scripts without spaces are rarely found, since the end of a word cannot be recognized,
and the last word of a list item and the first one of the next are no name. A name inside
a longer name of the same note does not count: "Boston Bruins", in the note with that title, is no
mention of Boston.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

from clew.index.mentions.block_gaps import GAP, with_gaps
from clew.text.filename import stem_of
from clew.text.regions.wikilinks import WIKILINK
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import WORD_CHARACTERS_MAX
from clew.values.note import Note

NAMES_MAX = 16  # aliases of one note that texts are searched for
NAME_CHARACTERS_MAX = 200  # longer names are ignored
LETTERS_MIN = 2  # of a name of one word; shorter ones are ignored
PART_WORDS_MAX = 3  # on each side of a comma, for the part before it to be a name
BODY_CHARACTERS_MAX = 200_000  # of a note; the text after that is not searched
_CACHED = 1 << 14

_DESTINATION = re.compile(r"\]\([^()\n]{0,1000}\)")
_RUN = re.compile(r"\w+")


def names_of(note: Note) -> tuple[str, ...]:
    """Return the folded names of a note for which texts are searched, sorted, each once.

    These are its title, stem and aliases, and shorter forms of each: without a "(...)" at its end,
    and without the part after a comma ("Darwin, Charles"), unless it is long: then the name is
    rather a sentence.
    """
    names = (note.title, stem_of(note.path), *note.fields.aliases[:NAMES_MAX])
    forms = {form for name in names for form in _with_shorter(folded(name))}
    return tuple(sorted(filter(required_words, forms)))


def _with_shorter(name: str) -> Iterator[str]:
    yield name
    if name.endswith(")"):
        yield name.rpartition("(")[0].strip()
    before, comma, after = name.partition(",")
    if comma and max(len(before.split()), len(after.split())) <= PART_WORDS_MAX:
        yield before.strip()


def folded(text: str) -> str:
    """Return ``text`` in the form for comparing, without spaces at the ends."""
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.replace("_", " ").replace("/", " ").replace("-", " ").split())


@lru_cache(maxsize=_CACHED)
def required_words(name: str) -> tuple[str, ...]:
    """Return the indexed words that every note with a folded name must have, sorted.

    Texts are not searched for a name without any, such as a date or stop words.
    """
    if len(name) > NAME_CHARACTERS_MAX:
        return ()
    tokens = name.split()
    if len(tokens) == 1 and not (name.isalnum() and len(name) >= LETTERS_MIN):
        return ()
    return tuple(sorted(set(filter(_is_telling, map(_bare, tokens)))))


def lead(name: str) -> str:
    """Return the first two runs of letters and digits of a name, or the only one."""
    return " ".join(_RUN.findall(name)[:2])


def leads_in(text: str) -> set[str]:
    """Return the ``lead`` of every name that may occur in a text from ``searched_text``."""
    runs = _RUN.findall(text)
    # Less time than with ``pairwise``, and this is most of the time for a changed text.
    return {*runs, *map(" ".join, zip(runs, islice(runs, 1, None), strict=False))}


def _bare(token: str) -> str:
    """Return a token without the punctuation at its ends."""
    if token.isalnum():
        return token
    places = [place for place, character in enumerate(token) if character.isalnum()]
    return token[places[0] : places[-1] + 1] if places else ""


def _is_telling(word: str) -> bool:
    is_word = word.isalnum() and not word.isdecimal() and len(word) <= WORD_CHARACTERS_MAX
    return is_word and word not in STOP_WORDS


def searched_text(note: Note) -> str:
    """Return the folded text of a note below its front matter, without its links, with gaps."""
    return f" {folded(_body(note))} "


def folded_prose(text: str) -> str:
    """Return ``text``, part of a note, in the form of ``searched_text``."""
    return f" {folded(_prose(text))} "


def _body(note: Note) -> str:
    if not note.chunks:
        return ""
    start = note.chunks[0].start
    return _prose(note.text[start : start + BODY_CHARACTERS_MAX])


def _prose(text: str) -> str:
    """Return a text without its links, with a gap at each boundary of blocks."""
    if "[[" in text:
        text = WIKILINK.sub(f" {GAP} ", text)
    return with_gaps(_DESTINATION.sub("]", text) if "](" in text else text)


def place_of_name(text: str, name: str, own_names: Iterable[str] = ()) -> int:
    """Return the first position of ``name`` in a text from ``searched_text``; -1 if there is none.

    Positions inside a longer name of ``own_names``, the names of the text's note, do not count.
    """
    longer = None
    for at in _places(text, name):
        if longer is None:
            longer = [each for each in own_names if name in each and each != name]
        if not any(_is_inside(text, at, name, each) for each in longer):
            return at
    return -1


def _places(text: str, name: str) -> Iterator[int]:
    """Yield the positions of ``name`` in a text with no letter or digit right before or after."""
    at = text.find(name)
    while at >= 0:
        if not (text[at - 1].isalnum() or text[at + len(name)].isalnum()):
            yield at
        at = text.find(name, at + 1)


def _is_inside(text: str, at: int, name: str, longer: str) -> bool:
    """Return whether ``name``, which occurs at position ``at``, is part of ``longer`` there."""
    places = set(_places(text, longer))
    return any(at - offset + 1 in places for offset in _places(f" {longer} ", name))


class NameInText(NamedTuple):
    """A folded name, and the line of a note on which it begins, from 1."""

    line: int
    name: str


def first_name(note: Note, names: Iterable[str]) -> NameInText:
    """Return which of these names a note has first; of two at one place, the longer one.

    The note must hold one of them.
    """
    lines = list(map(folded, _body(note).split("\n")))
    starts = list(accumulate((len(line) + bool(line) for line in lines), initial=1))
    text, own_names = searched_text(note), names_of(note)
    places = {name: place_of_name(text, name, own_names) for name in names}
    name = min((each for each in places if places[each] >= 0), key=lambda n: (places[n], -len(n)))
    above = note.text.count("\n", 0, note.chunks[0].start)
    return NameInText(above + bisect_right(starts, places[name]), name)
