"""The texts and words of the parts of a note, as search indexes them."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from clew.text.filename import stem_of
from clew.text.markdown.property_lines import properties_without_labels, telling_values
from clew.text.markdown.rendered import link_destinations, render
from clew.text.regions.table_heads import column_names_above
from clew.text.terms import count_words
from clew.values.note import Chunk, Heading, Note
from clew.values.note_words import Words

# Weights of a word by where it occurs, in halves of a word of the body.
NAME_WEIGHT = 6
HEADING_WEIGHT = 4
BODY_WEIGHT = 2
TAG_WEIGHT = 2
VALUE_WEIGHT = 1
ALIASES_EMBEDDED = 8
NAME_CHARACTERS_EMBEDDED = 300  # characters of each name and heading, as every chunk repeats them
# In an address a letter alone is no word: "m" of "https://m.example.org" is no initial of a name.
_ADDRESS = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://\S+")
_LONE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9](?![A-Za-z0-9])")
LITTLE_TEXT = 300  # characters; of properties no more are embedded than of such a text


def heading_path(note: Note, heading: int) -> tuple[str, ...]:
    """Return the heading at index ``heading`` and those above it, outermost first."""
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


class EmbeddedPart(NamedTuple):
    """A part of a note to embed: the names above it, and its text as it is written."""

    names: str
    written: str

    @property
    def text(self) -> str:
        """The text to embed; "" for no vector."""
        return f"{self.names}\n{render(self.written)}" if self.written else self.names


def embedded_parts(note: Note) -> list[EmbeddedPart]:
    """Return what to embed for each part of a note.

    The text of a chunk begins with the names of its note and the headings above the chunk, which
    say what it is about. A note with little text says more in its properties, so these come before
    its first chunk. The head is embedded only if the note has no chunks.
    """
    names = [
        name[:NAME_CHARACTERS_EMBEDDED]
        for name in (note.title, *note.fields.aliases[:ALIASES_EMBEDDED])
    ]
    properties = _embedded_properties(note)
    if not note.chunks:
        return [EmbeddedPart("\n".join([*names, *properties]), "")]
    parts = [EmbeddedPart("", "")]
    above: list[Heading] = []  # the headings above the present chunk, outermost first
    next_heading = 0
    for chunk in note.chunks:
        for heading in note.headings[next_heading : chunk.heading + 1]:
            while above and above[-1].level >= heading.level:
                above.pop()
            above.append(heading)
        next_heading = chunk.heading + 1
        path = [each.text for each in above if each.text != note.title]
        headings = [text[:NAME_CHARACTERS_EMBEDDED] for text in path]
        above_chunk = "\n".join([*names, *properties, *headings])
        properties = []
        parts.append(EmbeddedPart(above_chunk, note.text[chunk.start : chunk.end]))
    return parts


def _embedded_properties(note: Note) -> list[str]:
    """Return what the properties of a note say, if that is embedded, as one text at most."""
    if note.chunks and note.chunks[-1].end - note.chunks[0].start > LITTLE_TEXT:
        return []
    values = "\n".join(telling_values(note.text))[:LITTLE_TEXT]
    return [values] if values else []


def chunk_text(note: Note, chunk: Chunk) -> str:
    """Return the text of a chunk as people read it: links as their shown text, no block ids."""
    return render(note.text[chunk.start : chunk.end])


def chunk_texts(note: Note, chunk: Chunk) -> list[str]:
    """Return the text of a chunk, and the destinations of its links, each by itself."""
    destinations = link_destinations(note.text[chunk.start : chunk.end])
    return [chunk_text(note, chunk), *destinations.splitlines()]


def head_texts(note: Note) -> list[str]:
    """Return the names, tags and properties of a note, each by itself."""
    properties = properties_without_labels(note.text[: _body_start(note)]).split("\n")
    return [*_names(note), *note.tags, *filter(str.strip, properties)]


def count_note_words(note: Note, left_out: Collection[int] = ()) -> Words:
    """Count the words of each part of a note, weighted by where they occur.

    The parts in ``left_out`` get none.
    """
    counted = [
        {} if part in left_out else _chunk_words(note, chunk)
        for part, chunk in enumerate(note.chunks, 1)
    ]
    return words_of_parts([{} if 0 in left_out else _head(note), *counted])


def equal_parts(one: Note, other: Note) -> tuple[set[int], set[int]]:
    """Return the parts of each of two notes that pair up with equal words, without counting."""
    places: defaultdict[object, list[int]] = defaultdict(list)
    for part, counted in enumerate(_counted_texts(other)):
        places[counted].append(part)
    found: tuple[set[int], set[int]] = set(), set()
    for part, counted in enumerate(_counted_texts(one)):
        if places[counted]:
            found[0].add(part)
            found[1].add(places[counted].pop())
    return found


def _counted_texts(note: Note) -> Iterator[object]:
    """Yield for each part all the text from which its words are counted."""
    headings = tuple(heading.text for heading in note.headings)
    yield tuple(_names(note)), headings, note.tags, note.text[: _body_start(note)]
    for chunk in note.chunks:
        text = note.text[chunk.start : chunk.end]
        names = column_names_above(note.text, chunk.start)
        yield (text, names) if names else text


def words_of_parts(parts: Sequence[Mapping[str, int]]) -> Words:
    """Return the words of parts 0, 1, 2 ..., each given with the counts of its words."""
    places: defaultdict[str, int] = defaultdict(count().__next__)
    cells, counts = array("i"), array("i")
    for part in parts:
        cells.extend(map(places.__getitem__, part))
        counts.extend(part.values())
    numbers = np.repeat(np.arange(len(parts), dtype="<i4"), list(map(len, parts)))
    words = "".join(f"{word}\n" for word in places)
    weighted = np.frombuffer(counts, np.intc).astype("<i4")
    return Words(words, cells.tobytes(), numbers.tobytes(), weighted.tobytes())


def _chunk_words(note: Note, chunk: Chunk) -> dict[str, int]:
    """Return the weighted words of a chunk.

    Destinations of its links weigh less, and so do the names of the columns of a table that began
    above it.
    """
    counts = count_words(_without_lone_letters(chunk_text(note, chunk)))
    words = {word: BODY_WEIGHT * times for word, times in counts.items()}
    targets = link_destinations(note.text[chunk.start : chunk.end])
    for aside in (targets, column_names_above(note.text, chunk.start)):
        for word, times in count_words(_without_lone_letters(aside)).items() if aside else ():
            words[word] = words.get(word, 0) + VALUE_WEIGHT * times
    return words


def _head(note: Note) -> dict[str, int]:
    """Return the weighted words of a note's names, headings, tags and properties.

    A word that occurs in several names of the note counts once.
    """
    values = properties_without_labels(note.text[: _body_start(note)])
    found: Counter[str] = Counter()
    named: dict[str, int] = {}
    for name in _names(note):
        for word, times in count_words(name).items():
            named[word] = max(times, named.get(word, 0))
    for weight, words in (
        (NAME_WEIGHT, named),
        (HEADING_WEIGHT, count_words("\n".join(heading.text for heading in note.headings))),
        (TAG_WEIGHT, count_words("\n".join(note.tags))),
        (VALUE_WEIGHT, count_words(_without_lone_letters(values))),
    ):
        for word, times in words.items():
            found[word] += weight * times
    return found


def _without_lone_letters(text: str) -> str:
    """Return ``text`` without the letters and digits that stand alone in addresses."""
    if "://" not in text:
        return text
    return _ADDRESS.sub(lambda address: _LONE.sub(" ", address[0]), text)


def _names(note: Note) -> list[str]:
    return [note.title, stem_of(note.path), *note.fields.aliases]


def _body_start(note: Note) -> int:
    """Return where the first chunk begins; the front matter is before it."""
    return note.chunks[0].start if note.chunks else len(note.text)
