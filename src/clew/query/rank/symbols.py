"""The symbols that ``rank`` shows: their names, references and texts."""

from collections.abc import Callable
from typing import Final, NamedTuple

from clew.engine.snapshot import Snapshot
from clew.query.references.sections import section
from clew.text.uri import to_concept_uri, to_uri


class Symbol(NamedTuple):
    """One symbol: a note, which may also be a concept, a heading, or a concept without a note."""

    id: str  # a reference to it
    name: str
    kind: str
    path: str | None = None  # of the note; ``None`` for a concept
    lines: tuple[int, int] | None = None  # of a heading's section
    span: slice = slice(None)  # its characters in the note's text
    code_file: str | None = None  # of an entity of code: the URI of a note, or a path
    tokens: int | None = None  # of its own text, if they were counted before

    @property
    def file(self) -> str | None:
        """The URI of its note, or the file of an entity of code."""
        if self.code_file is not None:
            return self.code_file
        return None if self.path is None else to_uri(self.path)

    @property
    def line(self) -> str:
        """The symbol's line in a map."""
        # Counts of lines add up: no token joins a line end with the hyphen of the next line.
        reference = "" if self.path is None else f" {self.id}"
        if self.code_file is not None and self.lines is not None:
            reference = f" {self.code_file}#L{self.lines[0]}-L{self.lines[1]}"
        return f"- {self.name} ({self.kind}){reference}\n"


def own_text(snapshot: Snapshot, symbol: Symbol) -> str:
    """Return the text of a note, the section of a heading, or the name of a concept."""
    return symbol.name if symbol.path is None else snapshot.note(symbol.path).text[symbol.span]


def _note(snapshot: Snapshot, note_id: int) -> Symbol:
    path = snapshot.graph.path(note_id)
    return Symbol(to_uri(path), snapshot.title(path), "note", path)


def _heading(snapshot: Snapshot, slot: int) -> Symbol:
    symbols = snapshot.symbols
    path = snapshot.graph.path(int(symbols.note_by_heading[slot]))
    note, place = snapshot.note(path), int(symbols.index_by_heading[slot])
    part = section(note, place)
    reference = f"{to_uri(path)}#L{part.first_line}-L{part.last_line}"
    lines = part.first_line, part.last_line
    name = note.headings[place].text.strip()
    return Symbol(reference, name, "heading", path, lines, slice(part.start, part.end))


def _concept(snapshot: Snapshot, concept_id: int) -> Symbol:
    name = snapshot.graph.name(concept_id)
    return Symbol(to_concept_uri(name), snapshot.display(name), "concept")


# By the number that ``rank_symbols`` has for a kind: a function from an id to the symbol.
SYMBOLS: Final[tuple[Callable[[Snapshot, int], Symbol], ...]] = (_note, _heading, _concept)
