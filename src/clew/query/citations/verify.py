"""The method ``verify``: whether the references in a text still stand.

The lines of a reference are looked for where it says, then elsewhere in its note, then in the note
to which its note was seen to be renamed, then in the notes of the same name in other folders. No
other note is searched, so lines that were cut from one note and pasted into another are not found.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from heapq import nsmallest

from clew.engine.snapshot import Snapshot
from clew.query.citations.cited import citation, gone, moved, stands
from clew.query.citations.note_lines import Effort, NoteLines, OutOfEffort, affordable_lines
from clew.query.citations.uris_in_text import FoundReference, references_in
from clew.query.references.forms import LineFragment, line_fragment, path_reading
from clew.query.references.locate import Place, locate_concept, locate_place
from clew.query.slices import PAUSE, Slices
from clew.text.filename import extension_of
from clew.text.uri import CONCEPT_SCHEME, to_uri
from clew.values.errors import Ambiguous, UnknownNote
from clew.values.replies import Citation, Verify
from clew.values.requests import TEXT_CHARACTERS_MAX
from clew.values.requests import Verify as Request

REFERENCES_MAX = 10_000
SAME_NAME_MAX = 8  # notes of the same name that are searched
_REFERENCES_A_STEP = 32


def verify(snapshot: Snapshot, request: Request) -> Slices[Verify]:
    """Return the state of each reference in a text, each once, in the order of the text.

    A text without a URI is one reference if it names a note or a concept, as in other requests.
    """
    references = yield from references_in(request.text)
    if not references and _is_name(snapshot, request.text):
        references = [FoundReference(request.text.strip())]
    citations: dict[str, Citation] = {}
    places = yield from _places(snapshot, references[:REFERENCES_MAX], citations)
    refs_by_path: defaultdict[str, list[tuple[str, Place]]] = defaultdict(list)
    for ref, place in places.items():
        if place is not None:
            refs_by_path[place.path].append((ref, place))
    effort = Effort()
    for path, refs in refs_by_path.items():
        yield from _check_note(_Note(snapshot, path, effort), refs, citations)
        yield PAUSE
    shown = tuple(citations[ref] for ref in places if ref in citations)
    unchecked = max(0, len(references) - REFERENCES_MAX) + len(places) - len(shown)
    return Verify(revision=snapshot.revision, citations=shown, unchecked=unchecked)


def _places(
    snapshot: Snapshot, references: Sequence[FoundReference], citations: dict[str, Citation]
) -> Slices[dict[str, Place | None]]:
    """Return what each reference names, once; enter the states of references to concepts alone."""
    places: dict[str, Place | None] = {}
    for count, each in enumerate(references):
        ref = _with_own_signs(snapshot, each)
        if ref not in places:
            places[ref] = _place(snapshot, ref)
            if places[ref] is None:
                citations[ref] = _of_concept(snapshot, ref)
        if count % _REFERENCES_A_STEP == 0:
            yield PAUSE
    return places


def _with_own_signs(snapshot: Snapshot, reference: FoundReference) -> str:
    """Return a reference with the signs after it that belong to the name of its concept."""
    if not reference.signs:
        return reference.ref
    forms = (ref for ref in reference.forms() if _of_concept(snapshot, ref).state == "stands")
    return next(forms, reference.ref)


def _is_name(snapshot: Snapshot, text: str) -> bool:
    """Return whether a text is the name of a note or a concept."""
    name = text.strip()
    if not name or len(name) > TEXT_CHARACTERS_MAX or "\n" in name:
        return False
    try:
        locate_place(snapshot, name)
    except UnknownNote:
        return locate_concept(snapshot, name) is not None
    except Ambiguous:
        return True
    return True


def _place(snapshot: Snapshot, ref: str) -> Place | None:
    """Return the place that a reference names or named; ``None`` if it may only name a concept."""
    try:
        return locate_place(snapshot, ref)
    except (UnknownNote, Ambiguous):
        if ref.startswith(CONCEPT_SCHEME):
            return None
    reading = path_reading(ref)
    return Place(reading.name, reading.fragment) if extension_of(reading.name) else None


def _of_concept(snapshot: Snapshot, ref: str) -> Citation:
    try:
        is_known = locate_concept(snapshot, ref) is not None
    except Ambiguous:
        is_known = True
    return stands(ref) if is_known else gone(ref)


class _Note:
    """The note at a path, if there is one, and the notes that it may have been renamed to."""

    def __init__(self, snapshot: Snapshot, path: str, effort: Effort) -> None:
        self._snapshot, self._effort = snapshot, effort
        self._lines_by_path: dict[str, NoteLines | None] = {}
        self.is_there = path in snapshot.entries
        self.is_attachment = not self.is_there and snapshot.names.has_file(path)
        self.path = path
        latest = snapshot.renames.get(path)
        self.renamed = latest if latest and latest in snapshot.entries else None

    def lines(self, path: str) -> NoteLines:
        """Return the lines of one of the notes.

        Raises:
            OutOfEffort: the note has more lines than may still be read.
        """
        if path not in self._lines_by_path:
            note = self._snapshot.note(path)
            self._lines_by_path[path] = affordable_lines(note, self._effort)
        note_lines = self._lines_by_path[path]
        if note_lines is None:
            raise OutOfEffort
        return note_lines

    def paths(self) -> Iterator[str]:
        """Yield the paths of notes that may have the lines, likeliest first; ties by path."""
        if self.is_there:
            yield self.path
        if self.renamed:
            yield self.renamed
        if not self.is_there:
            name = self.path.rpartition("/")[2]
            others = self._snapshot.names.closest_notes(name)
            yield from nsmallest(SAME_NAME_MAX, (path for path in others if path != self.renamed))


def _check_note(
    note: _Note, refs: Sequence[tuple[str, Place]], citations: dict[str, Citation]
) -> Slices[None]:
    """Enter the states of the references to one note; skip those that take too much effort."""
    for ref, place in refs:
        numbered = line_fragment(place.fragment)
        with suppress(OutOfEffort):
            if numbered is not None and numbered.hash is not None:
                citations[ref] = yield from _of_lines(note, ref, numbered)
            else:
                citations[ref] = _without_hash(note, ref, place.fragment)
        yield PAUSE


def _of_lines(note: _Note, ref: str, wanted: LineFragment) -> Slices[Citation]:
    """Return the state of a reference to lines with their hash."""
    for path in note.paths():
        note_lines = note.lines(path)
        lines = yield from note_lines.standing(wanted)
        if lines is not None:
            state = citation(ref, to_uri(path), wanted, lines, len(note_lines.lines))
            is_elsewhere = path != note.path and state.state == "stands"
            return moved(ref, _reference(path, ref)) if is_elsewhere else state
    present_path = note.path if note.is_there else note.renamed
    if present_path is None:
        return gone(ref)
    return citation(ref, to_uri(present_path), wanted, None, len(note.lines(present_path).lines))


def _without_hash(note: _Note, ref: str, fragment: str) -> Citation:
    """Return the state of a reference to a whole note, or to a part of it without a hash."""
    if note.is_attachment and line_fragment(fragment) is None:
        return stands(ref)
    present_path = note.path if note.is_there else note.renamed
    if present_path is None or (fragment and not _has_part(note.lines(present_path), fragment)):
        return gone(ref)
    return stands(ref) if note.is_there else moved(ref, _reference(present_path, ref))


def _has_part(note_lines: NoteLines, fragment: str) -> bool:
    """Return whether a note has a part; of lines, whether it has all of them."""
    numbered = line_fragment(fragment)
    if numbered is not None:
        return numbered.is_within(len(note_lines.lines))
    return note_lines.named(fragment) is not None


def _reference(path: str, ref: str) -> str:
    """Return a reference with another path."""
    _, mark, fragment = ref.partition("#")
    return f"{to_uri(path)}{mark}{fragment}"
