"""Which lines of notes the fragments of links name: sections and blocks, each looked up once."""

from collections.abc import Callable

from clew.query.references.fragments import Lines, lines_of, lines_of_text
from clew.values.note import Note


class FragmentLines:
    """The lines of fragments of notes, of the first ``most`` that are asked for."""

    def __init__(self, note_at: Callable[[str], Note], most: int) -> None:
        self._note_at, self._most = note_at, most
        self._lines: dict[tuple[str, str], Lines | None] = {}  # by path and fragment

    def of(self, path: str, fragment: str) -> Lines | None:
        """Return the lines of a fragment; ``None`` if it names none, or was asked for too late."""
        key = path, fragment
        if key not in self._lines:
            if len(self._lines) == self._most:
                return None
            note = self._note_at(path)
            self._lines[key] = lines_of(note, lines_of_text(note.text), fragment)
        return self._lines[key]
