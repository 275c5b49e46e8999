"""Resolution of references (``forms``) to notes and concepts.

A name is looked for in this order, and the first kind of name that any note has decides:

1. the path, exactly;
2. the note that a link with this text leads to: the note with this path or, if the text leaves out
   folders, the note whose path is the shortest and has the fewest folders;
3. the stem, normalized as a concept: ``machine_learning`` for ``Machine Learning.md``;
4. a title or an alias.

If several notes are equally good, the name is ambiguous. A link leads somewhere even then, by a
tie-break (``index.names``); a request is refused, since its caller can be asked which one is meant.
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.references.forms import Kind, Reference, is_note_path, path_reading, readings
from clew.query.slices import PAUSE, Slices
from clew.text.concept import fold_name, normalize, unicode_form
from clew.text.uri import SCHEME, to_uri
from clew.values.errors import Ambiguous, InvalidParams, UnknownNote

_NAMES_A_STEP = 256
SHOWN_MAX = 20_000  # concepts whose display names are compared with a name: about 0.1 s of CPU
CANDIDATES_MAX = 10
WAIT_FOR = "waitFor"  # the field
_PATH_HINT = "give the path from the vault's folder on, such as folder/note.md"


@dataclass(frozen=True, slots=True)
class Place:
    """A note, or the part of it that a fragment names."""

    path: str
    fragment: str = ""


# -- notes ----------------------------------------------------------------------------------------


def locate(snapshot: Snapshot, reference: str) -> str:
    """Return the path of the note that ``reference`` names; a fragment is ignored.

    Raises:
        UnknownNote: no note matches.
        Ambiguous: several notes match equally well.
    """
    return locate_place(snapshot, reference).path


def locate_place(snapshot: Snapshot, reference: str) -> Place:
    """Return the note that ``reference`` names, with the fragment.

    Raises:
        UnknownNote: no note matches.
        Ambiguous: several notes match equally well.
    """
    place = _find(snapshot, reference)
    if place is None:
        raise UnknownNote(reference)
    return place


def locate_title(snapshot: Snapshot, title: str) -> Place:
    """Return the note with this title, else what ``locate_place`` finds.

    Raises:
        UnknownNote: no note matches.
        Ambiguous: several notes match equally well.
    """
    titled = snapshot.lists.paths_by_title.get(fold_name(title))
    return Place(_single(titled, title)) if titled else locate_place(snapshot, title)


def _find(snapshot: Snapshot, reference: str) -> Place | None:
    if reference in snapshot.entries:
        return Place(reference)
    for reading in readings(reference):
        paths = _notes_of_reading(snapshot, reading)
        if paths:
            return Place(_single(paths, reference), reading.fragment)
    return None


def _single(paths: Collection[str], reference: str) -> str:
    if len(paths) > 1:
        candidates = nsmallest(CANDIDATES_MAX, paths)
        raise Ambiguous(reference, len(paths), tuple(map(to_uri, candidates)))
    (path,) = paths
    return path


def _notes_of_reading(snapshot: Snapshot, reading: Reference) -> Collection[str]:
    """Return the notes that one reading of a reference names equally well."""
    if reading.kind is Kind.CONCEPT:
        name = _concept_named(snapshot, reading.name)
        return snapshot.paths_by_concept.get(name, ()) if name else ()
    if reading.kind is Kind.PATH or reading.name in snapshot.entries:
        return _notes_at(snapshot, reading.name)
    if reading.kind is Kind.LINK:
        return snapshot.names.closest_notes(reading.name)
    return notes_named(snapshot, reading.name)


def _notes_at(snapshot: Snapshot, path: str) -> list[str]:
    """Return the note at ``path``, or those whose paths differ from it in their Unicode form.

    Whoever writes a URI anew, as language models do, may write its accents in another form.
    """
    if path in snapshot.entries:
        return [path]
    if path.isascii():  # no accents; thousands of notes may have the file name
        return []
    form = unicode_form(path)
    closest = snapshot.names.closest_notes(f"/{path}")
    return [other for other in closest if unicode_form(other) == form]


def notes_named(snapshot: Snapshot, name: str) -> Collection[str]:
    """Return the notes that ``name`` means equally well: none, one, or several if ambiguous."""
    names = snapshot.names
    titled: AbstractSet[str] = snapshot.lists.paths_by_title.get(fold_name(name), frozenset())
    normalized = normalize(name)
    if not normalized:
        return names.closest_notes(name) or titled
    return (
        names.closest_notes(name)
        or names.notes_with_stem(normalized)
        or names.notes_with_alias(normalized) | titled
    )


def left_out_note(snapshot: Snapshot, name: str) -> str | None:
    """Return the note that ``name`` means as the text of a link, if it is not in the index."""
    path = name if snapshot.names.has_file(name) else snapshot.names.resolve(name)
    is_left_out = path is not None and path not in snapshot.entries and is_note_path(path)
    return path if is_left_out else None


# -- concepts -------------------------------------------------------------------------------------


def locate_concept(snapshot: Snapshot, reference: str) -> str | None:
    """Return the concept that ``reference`` names; ``None`` if no note mentions such a concept.

    A name is read like the text of a link. If it is ambiguous as that, or names no concept, it
    means the concept of exactly this name, or else the concept of the note with this title.

    Raises:
        Ambiguous: several notes, which are different concepts, have the name equally well.
    """
    for reading in readings(reference):
        name = _concept_of_reading(snapshot, reading, reference)
        if name is not None and snapshot.graph.concept_id(name) is not None:
            return name
    return None


def locate_concept_shown(snapshot: Snapshot, reference: str) -> Slices[str | None]:
    """Return ``locate_concept``, or else the only concept that replies show by this name.

    Raises:
        Ambiguous: as ``locate_concept``.
    """
    (name,) = yield from locate_concepts_shown(snapshot, [reference])
    return name


def locate_concepts_shown(
    snapshot: Snapshot, references: Sequence[str]
) -> Slices[list[str | None]]:
    """Return for each reference the concept that it names, or else the only one shown by the name.

    Replies show a concept by the text of most links to it, as ``[[People/Anna Lind|Anna]]`` shows
    "Anna". That text may name another concept or none. It is not compared in vaults of over
    ``SHOWN_MAX`` concepts.

    Raises:
        Ambiguous: as ``locate_concept``.
    """
    located = [locate_concept(snapshot, reference) for reference in references]
    unknown = [
        _plain_name(reference)
        for reference, name in zip(references, located, strict=True)
        if name is None
    ]
    names_by_shown: dict[str, list[str]] = {name: [] for name in unknown if name}
    if not names_by_shown:
        return located
    mentioned = np.flatnonzero(snapshot.graph.note_counts)
    if len(mentioned) <= SHOWN_MAX:
        for number, name in enumerate(map(snapshot.graph.name, mentioned.tolist())):
            shown = normalize(snapshot.display(name))
            if shown in names_by_shown:
                names_by_shown[shown].append(name)
            if number % _NAMES_A_STEP == 0:
                yield PAUSE
    concept_by_shown = {
        shown: names[0] for shown, names in names_by_shown.items() if len(names) == 1
    }
    return [
        concept_by_shown.get(_plain_name(reference)) if name is None else name
        for reference, name in zip(references, located, strict=True)
    ]


def _plain_name(reference: str) -> str:
    *_, reading = readings(reference)
    return normalize(reading.name)


def _concept_of_reading(snapshot: Snapshot, reading: Reference, reference: str) -> str | None:
    if reading.kind is Kind.CONCEPT:
        return _concept_named(snapshot, reading.name)
    if reading.name in snapshot.entries:
        return snapshot.names.concept_of_note(reading.name)
    if reading.kind in (Kind.PATH, Kind.LINK):
        at = _notes_of_reading(snapshot, reading)
        return snapshot.names.concept_of_note(_single(at, reference)) if at else None
    if not snapshot.names.naming.titles:
        return snapshot.concept_named(reading.name)
    paths = notes_named(snapshot, reading.name)
    if len(paths) > 1:
        return _concept_of_several(snapshot, paths, reading.name, reference)
    name = snapshot.concept_named(reading.name)
    if paths and (name is None or snapshot.graph.concept_id(name) is None):
        (path,) = paths
        return snapshot.names.concept_of_note(path)
    return name


def _concept_of_several(
    snapshot: Snapshot, paths: Collection[str], name: str, reference: str
) -> str | None:
    plain = snapshot.names.concept_of_text(name)
    if plain is not None and snapshot.graph.concept_id(plain) is not None:
        return plain
    if len(paths) <= CANDIDATES_MAX:
        concepts = {snapshot.names.concept_of_note(path) for path in paths}
        if len(concepts) == 1:
            return concepts.pop()
    return snapshot.names.concept_of_note(_single(paths, reference))


def _concept_named(snapshot: Snapshot, name: str) -> str | None:
    """Return the concept with this name, normalized or as the text of a link."""
    if snapshot.graph.concept_id(name) is not None:
        return name
    return snapshot.names.concept_of_text(name)


# -- notes to wait for ----------------------------------------------------------------------------


def paths_to_await(snapshot: Snapshot, reference: str) -> set[str]:
    """Return the paths at which the note that ``reference`` names may be, indexed or not.

    A URI, and text with the extension of a note, is a path itself. Text may also be the name, alias
    or title of an indexed note, or a path without its extension.

    Raises:
        InvalidParams: it cannot be the path of a note in the vault.
        Ambiguous: several indexed notes have the name, and it is no path.
    """
    path = written_path(reference)
    if reference.startswith(SCHEME) and not is_note_path(path):
        message = f"{reference!r} is not the URI of a note"
        raise InvalidParams(message, WAIT_FOR, "give the URI as replies do, with .md at the end")
    try:
        place = _find(snapshot, reference)
    except Ambiguous:
        # Notes in folders may have the file name of one that was just written, or removed.
        if not is_note_path(path):
            raise
        place = None
    paths = set() if place is None else {place.path}
    if {"", ".", ".."}.isdisjoint(path.split("/")):
        paths.add(path if is_note_path(path) else f"{path}.md")
    if not paths:
        raise InvalidParams(f"{reference!r} is no path in the vault", WAIT_FOR, _PATH_HINT)
    return paths


def check_awaited(snapshot: Snapshot, reference: str) -> None:
    """Check that text for which a request has waited is a path, or names an indexed note.

    Raises:
        InvalidParams: it is a name that no note has.
        Ambiguous: several indexed notes have the name.
    """
    if not (is_note_path(written_path(reference)) or _find(snapshot, reference)):
        raise InvalidParams(f"no note is named {reference!r} yet", WAIT_FOR, _PATH_HINT)


def written_path(reference: str) -> str:
    """Return the part of a reference that may be a path, whether a note is there or not."""
    return path_reading(reference).name
