"""Concepts and notes that a query names, by their names and aliases; the longest name wins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from clew.engine.snapshot import Snapshot
from clew.text.concept import normalize, spoken_form
from clew.text.stopwords import STOP_WORDS

WORDS_MAX = 64  # names are looked for in this many words of a query
PHRASE_WORDS_MAX = 12
NAMED_MAX = 8
NOTES_MAX = 20  # notes with one name
NAME_CHARACTERS_MIN = 2  # least length of a name in ASCII
_PUNCTUATION = ".,;:!?\"'"


@dataclass(frozen=True, slots=True)
class Named:
    """A concept, or notes, whose name occurs in a query."""

    concept: str | None  # a concept of the graph, if one has the name
    paths: tuple[str, ...]  # of the notes with that name, sorted
    words: tuple[str, ...]  # of the query, that are the name
    is_whole: bool  # the whole query is the name


# The last query of each snapshot with what it names: one request asks for that up to seven times.
_last: Final[WeakKeyDictionary[Snapshot, tuple[str, Sequence[Named]]]] = WeakKeyDictionary()


def named_in(snapshot: Snapshot, query: str) -> Sequence[Named]:
    """Return the concepts and notes that ``query`` names, in the order of its words, each once.

    No word is part of two names. Stop words name a note if there are several in a row, such as "The
    Who", and never a concept without a note.
    """
    last = _last.get(snapshot)
    if last is not None and last[0] == query:
        return last[1]
    found = _named_in(snapshot, query)
    _last[snapshot] = query, found
    return found


def _named_in(snapshot: Snapshot, query: str) -> Sequence[Named]:
    words = _QueryWords(query)
    named_by_key: dict[str, Named] = {}
    start = 0
    while start < words.count and len(named_by_key) < NAMED_MAX:
        match = _longest_name(snapshot, words, start)
        if match is None:
            start += 1
            continue
        stop, named = match
        named_by_key.setdefault(named.concept or words.phrase(start, stop), named)
        start = stop
    return tuple(named_by_key.values())


class _QueryWords:
    """The words of a query in spoken form, and the tokens, cut at spaces, that they come from.

    ``C++ (planet)`` has the words ``c`` and ``planet`` from the tokens ``c++`` and ``(planet)``.
    """

    def __init__(self, query: str) -> None:
        self._words: list[str] = []
        self._tokens: list[str] = []
        self._token_by_first_word: dict[int, int] = {}
        self._token_after_last_word: dict[int, int] = {}  # key: the word after the token
        self._inside_identifier: set[int] = set()  # words that are not first in their identifier
        for text in query.split(maxsplit=WORDS_MAX)[:WORDS_MAX]:
            self._add(text)

    @property
    def count(self) -> int:
        return len(self._words)

    def _add(self, text: str) -> None:
        token = normalize(text)
        words = list(filter(None, spoken_form(token).split("-")))
        first = len(self._words)
        if not words or first + len(words) > WORDS_MAX:
            return
        self._token_by_first_word[first] = len(self._tokens)
        if "_" in text:
            self._inside_identifier.update(range(first + 1, first + len(words)))
        self._words += words
        self._tokens.append(token)
        self._token_after_last_word[len(self._words)] = len(self._tokens)

    def phrase(self, start: int, stop: int) -> str:
        """Return the words from ``start`` to before ``stop``, joined as in a concept."""
        return "-".join(self._words[start:stop])

    def between(self, start: int, stop: int) -> tuple[str, ...]:
        """Return the words from ``start`` to before ``stop``."""
        return tuple(self._words[start:stop])

    def is_grammar(self, start: int, stop: int) -> bool:
        """Return whether all of these words are stop words."""
        return STOP_WORDS.issuperset(self._words[start:stop])

    def possible_names(self, start: int, stop: int) -> list[str]:
        """Return the names that these words may be, the most certain first.

        Names may contain punctuation, so the tokens come first: they distinguish
        ``Mercury (planet)`` from other Mercuries, and C++ from C. A part of an
        identifier names nothing.
        """
        if start in self._inside_identifier or stop in self._inside_identifier:
            return []
        phrase = self.phrase(start, stop)
        first, end = self._token_by_first_word.get(start), self._token_after_last_word.get(stop)
        if first is None or end is None:
            return [phrase]
        tokens = "-".join(self._tokens[first:end])
        return list(dict.fromkeys((tokens, tokens.strip(_PUNCTUATION), phrase)))


def _longest_name(snapshot: Snapshot, words: _QueryWords, start: int) -> tuple[int, Named] | None:
    """Return the longest name that begins at a word, and the index of the word after it."""
    for stop in range(min(start + PHRASE_WORDS_MAX, words.count), start, -1):
        is_grammar = words.is_grammar(start, stop)
        if is_grammar and stop - start == 1:
            continue
        for name in words.possible_names(start, stop):
            concept, paths = _look_up(snapshot, name)
            if paths or (concept is not None and not is_grammar):
                is_whole = stop - start == words.count
                return stop, Named(concept, paths, words.between(start, stop), is_whole)
    return None


def _look_up(snapshot: Snapshot, name: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the concept of the graph with this name, and the paths of the notes with it."""
    concept = snapshot.names.apply_rules(name)
    is_concept = concept is not None and snapshot.graph.concept_id(concept) is not None
    paths = snapshot.names.notes_called(name)
    if not (is_concept or paths) or (len(name) < NAME_CHARACTERS_MIN and name.isascii()):
        return None, ()
    if not is_concept:
        concept = _only_concept(snapshot, paths)
    return concept, tuple(sorted(paths))[:NOTES_MAX]


def _only_concept(snapshot: Snapshot, paths: Iterable[str]) -> str | None:
    """Return the concept that all of these notes are, if it is one and the graph has it."""
    concepts = {snapshot.names.concept_of_note(path) for path in paths}
    concept = concepts.pop() if len(concepts) == 1 else None
    if concept is None or snapshot.graph.concept_id(concept) is None:
        return None
    return concept
