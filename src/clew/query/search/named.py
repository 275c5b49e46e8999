"""Concepts and notes that a query names, by their names and aliases, the longest match first."""

from collections.abc import Iterable
from dataclasses import dataclass

from clew.engine.snapshot import Snapshot
from clew.text.concept import normalize, spoken
from clew.text.stopwords import STOP_WORDS

WORDS_MAX = 64  # of a query that are looked at
PHRASE_WORDS_MAX = 12
NAMED_MAX = 8
NOTES_MAX = 20  # of one name
NAME_CHARACTERS_MIN = 2
_AROUND = ".,;:!?\"'"


@dataclass(frozen=True, slots=True)
class Named:
    """A concept, or notes of that name, that a query names."""

    concept: str | None  # of the graph
    paths: tuple[str, ...]  # of notes that are called so, sorted
    is_whole: bool  # the query says nothing else


def named_in(snapshot: Snapshot, query: str) -> list[Named]:
    """Return what ``query`` names, in the order of its words, each once.

    No word names two things; grammar alone names nothing.
    """
    said = _Said(query)
    found: dict[str, Named] = {}
    at = 0
    while at < len(said.words) and len(found) < NAMED_MAX:
        for count in range(min(PHRASE_WORDS_MAX, len(said.words) - at), 0, -1):
            phrase = said.words[at : at + count]
            called = (_called(snapshot, name, phrase) for name in said.names(at, at + count))
            concept, paths = next(filter(any, called), (None, ()))
            if concept is not None or paths:
                named = Named(concept, paths, count == len(said.words))
                found.setdefault(concept or "-".join(phrase), named)
                at += count
                break
        else:
            at += 1
    return list(found.values())


def seeds_of(
    snapshot: Snapshot, named: Iterable[Named]
) -> tuple[dict[int, float], dict[int, float]]:
    """Return a weight for each note, and for each concept, that is named, by id.

    Each name weighs 1: notes that nobody links share it where several have it.
    """
    notes: dict[int, float] = {}
    concepts: dict[int, float] = {}
    for each in named:
        number = snapshot.graph.concept_id(each.concept) if each.concept else None
        if number is not None:
            concepts[number] = 1.0
            continue
        for path in each.paths:
            note = snapshot.graph.note_id(path)
            assert note is not None
            notes[note] = notes.get(note, 0.0) + 1.0 / len(each.paths)
    return notes, concepts


class _Said:
    """The words of a query as people say them, and how they are written there."""

    def __init__(self, query: str) -> None:
        self.words: list[str] = []
        self._written: list[str] = []  # between white space
        self._starts: dict[int, int] = {}  # word that begins a piece of writing -> its place
        self._stops: dict[int, int] = {}  # word after one -> the place after it
        self._inside: set[int] = set()  # words that others of the same identifier come before
        for part in query.split(maxsplit=WORDS_MAX)[:WORDS_MAX]:
            written = normalize(part)
            words = list(filter(None, spoken(written).split("-")))
            if not words or len(self.words) + len(words) > WORDS_MAX:
                continue
            self._starts[len(self.words)] = len(self._written)
            if "_" in part:
                self._inside.update(range(len(self.words) + 1, len(self.words) + len(words)))
            self.words += words
            self._written.append(written)
            self._stops[len(self.words)] = len(self._written)

    def names(self, start: int, stop: int) -> list[str]:
        """Return what the words from ``start`` to ``stop`` may be the name of, surest first.

        Names may have signs that nobody says: as they are written, they tell ``Mercury (planet)``
        from other planets, and C++ from C. No part of an identifier names anything.
        """
        if start in self._inside or stop in self._inside:
            return []
        said = "-".join(self.words[start:stop])
        first, last = self._starts.get(start), self._stops.get(stop)
        if first is None or last is None:
            return [said]
        written = "-".join(self._written[first:last])
        return list(dict.fromkeys((written, written.strip(_AROUND), said)))


def _called(snapshot: Snapshot, name: str, phrase: list[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the concept of the graph that a name is, and the notes that are called so.

    ``phrase``: its words.
    """
    concept = snapshot.names.apply_rules(name)
    is_known = concept is not None and snapshot.graph.concept_id(concept) is not None
    paths = snapshot.names.notes_called(name)
    if not (is_known or paths) or STOP_WORDS.issuperset(phrase):
        return None, ()
    if len(name) < NAME_CHARACTERS_MIN and name.isascii():
        return None, ()
    if not is_known:
        own = {snapshot.names.concept_of_note(path) for path in paths}
        concept = own.pop() if len(own) == 1 else None
        if concept is not None and snapshot.graph.concept_id(concept) is None:
            concept = None
    return concept, tuple(sorted(paths))[:NOTES_MAX]
