"""From a note to what search looks at: the text of each part, and the words in it."""

import re
from array import array
from collections import Counter, defaultdict
from itertools import count

import numpy as np

from clew.text.filename import stem_of
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.rendered import hidden, shown
from clew.text.terms import count_words
from clew.values.note import Chunk, Heading, Note
from clew.values.note_words import Words

# What a word counts by where it stands; halves of a word of the body.
NAME_WEIGHT = 6
HEADING_WEIGHT = 4
BODY_WEIGHT = 2
TAG_WEIGHT = 2
VALUE_WEIGHT = 1
ALIASES_EMBEDDED = 8
NAME_CHARACTERS_EMBEDDED = 300  # of each name and heading, for every chunk repeats them

_KEY = re.compile(r"^[ \t-]*[^\s:#][^:\n]{0,100}:(?=\s)", re.MULTILINE)


def heading_path(note: Note, heading: int) -> tuple[str, ...]:
    """Return the headings that the heading at a place stands under, outermost first, and itself."""
    path: list[str] = []
    level = 7
    for at in range(heading, -1, -1):
        above = note.headings[at]
        if above.level < level:
            path.append(above.text)
            level = above.level
        if level == 1:
            break
    return tuple(reversed(path))


def embedded_texts(note: Note) -> list[str]:
    """Return what stands for each part of a note when it is embedded; "" for none.

    A chunk is embedded with the names of its note and the headings it stands under, which say what
    it is about. The head stands for a note that has nothing else.
    """
    called = [note.title, *note.fields.aliases[:ALIASES_EMBEDDED]]
    names = [name[:NAME_CHARACTERS_EMBEDDED] for name in called]
    if not note.chunks:
        return ["\n".join(names)]
    texts = [""]
    above: list[Heading] = []  # the headings that the chunk at hand stands under
    seen = 0
    for chunk in note.chunks:
        for heading in note.headings[seen : chunk.heading + 1]:
            while above and above[-1].level >= heading.level:
                above.pop()
            above.append(heading)
        seen = chunk.heading + 1
        path = [each.text for each in above if each.text != note.title]
        headings = [text[:NAME_CHARACTERS_EMBEDDED] for text in path]
        texts.append("\n".join([*names, *headings, chunk_text(note, chunk)]))
    return texts


def chunk_text(note: Note, chunk: Chunk) -> str:
    """Return the text of a chunk as people see it: links by what they show, no block ids."""
    return shown(note.text[chunk.start : chunk.end])


def words_of(note: Note) -> Words:
    """Return the words of a note, part by part, weighted by where they stand."""
    places: defaultdict[str, int] = defaultdict(count().__next__)
    cells, counts = array("i"), array("i")
    head = _head(note)
    sizes = [len(head)]
    cells.extend(map(places.__getitem__, head))
    counts.extend(head.values())
    for chunk in note.chunks:
        found = _chunk_words(note, chunk)
        sizes.append(len(found))
        cells.extend(map(places.__getitem__, found))
        counts.extend(found.values())
    weighted = np.frombuffer(counts, np.intc).astype("<i4")
    parts = np.repeat(np.arange(len(sizes), dtype="<i4"), sizes)
    words = "".join(f"{word}\n" for word in places)
    return Words(words, cells.tobytes(), parts.tobytes(), weighted.tobytes())


def _chunk_words(note: Note, chunk: Chunk) -> dict[str, int]:
    """Return the weighted words of a chunk; where its links lead counts too, though less."""
    found = count_words(chunk_text(note, chunk))
    words = {word: BODY_WEIGHT * times for word, times in found.items()}
    if targets := hidden(note.text[chunk.start : chunk.end]):
        for word, times in count_words(targets).items():
            words[word] = words.get(word, 0) + VALUE_WEIGHT * times
    return words


def _head(note: Note) -> dict[str, int]:
    """Return the weighted words of all that a note says of itself.

    What it is called counts once, however many of its names say so.
    """
    body_start = note.chunks[0].start if note.chunks else len(note.text)
    found: Counter[str] = Counter()
    names = [note.title, stem_of(note.path), *note.fields.aliases]
    named: Counter[str] = Counter()
    for name in names:
        named |= count_words(name)
    for weight, words in (
        (NAME_WEIGHT, named),
        (HEADING_WEIGHT, count_words("\n".join(heading.text for heading in note.headings))),
        (TAG_WEIGHT, count_words("\n".join(note.tags))),
        (VALUE_WEIGHT, count_words(_values(note.text[:body_start]))),
    ):
        for word, times in words.items():
            found[word] += weight * times
    return found


def _values(text: str) -> str:
    """Return the values of front matter, without its keys."""
    matter = split(text).frontmatter
    return _KEY.sub(" ", matter) if matter is not None else ""
