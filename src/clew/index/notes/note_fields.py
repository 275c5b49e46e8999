"""Fields of notes that filters use, as arrays by note id, so that a filter reads no note.

Folder, type, source, set of tags, title, and being a template are numbers in these arrays; equal
texts are stored once. Rows of dropped notes stay until ``keep``, so callers must leave them out.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from clew.index.notes.facts import NoteFacts
from clew.index.notes.note_lists import KINDS, Kind, kind_name
from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.string_table import GrowingStrings, StringIds, StringTable
from clew.text.concept import fold_name, name_words, unicode_form
from clew.text.terms import without_accents
from clew.values.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from clew.values.note import DEFAULT_TYPE

_NUMBERED = ("folder", "type", "source", "tag", "title", "template")
_TEMPLATE = "template"
_PARTS = {"folder": re.compile("/"), "tag": re.compile(r"[\n/]")}
_WIDE_SLASH = "\uff0f"
_WHOLE = re.compile(r"(?!)")  # splits nothing
_Condition = Callable[[str], bool]


class NoteFields:
    """Paths, types, sources, tags and importance by note id."""

    def __init__(self) -> None:
        # Texts only grow, so copies share them; a copy has no numbers of later texts.
        self._texts = {name: StringIds() for name in _NUMBERED}
        self._paths = GrowingStrings()  # by note id, as ``_plain_name``
        self._numbers = {name: GrowableArray(np.int32) for name in _NUMBERED}  # by note id
        self._importance = GrowableArray(np.float64)  # by note id, 0..1

    def __len__(self) -> int:
        """Return the number of note ids."""
        return len(self._importance)

    def copy(self) -> "NoteFields":
        """Return equal fields, in constant time; later changes do not reach them."""
        other = NoteFields()
        other._texts, other._paths = dict(self._texts), self._paths
        other._numbers = {name: numbers.copy() for name, numbers in self._numbers.items()}
        other._importance = self._importance.copy()
        return other

    # -- changes ------------------------------------------------------------------------------

    def put(self, notes: Mapping[int, tuple[str, NoteFacts]]) -> None:
        """Set the path and the facts of notes, by id; new notes have the ids after the last.

        The path of an id stays the same.
        """
        note_ids = sorted(notes)
        old_count = bisect_left(note_ids, len(self))
        old_ids = np.array(note_ids[:old_count], np.int64)
        rows = [notes[note_id] for note_id in note_ids]
        for name, numbers in self._numbers.items():
            text_numbers = self._texts[name].add_all(_text(name, *row) for row in rows)
            _set(numbers, old_ids, np.array(text_numbers, np.int32))
        importance = np.array([facts.importance for _, facts in rows], np.float64)
        _set(self._importance, old_ids, importance)
        for path, _ in rows[old_count:]:
            self._paths.append(_plain_name(path))

    def keep(self, note_ids: Int64Array) -> None:
        """Keep the fields of these notes only, and give the notes new ids in this order."""
        for name, numbers in self._numbers.items():
            used, kept = np.unique(numbers.rows[note_ids], return_inverse=True)
            texts, self._texts[name] = self._texts[name].texts, StringIds()
            self._texts[name].add_all(map(texts.__getitem__, used.tolist()))
            numbers.replace(kept)
        paths, self._paths = self._paths, GrowingStrings()
        for note_id in note_ids.tolist():
            self._paths.append(paths[note_id])
        self._importance.replace(self._importance.rows[note_ids])

    # -- reading ------------------------------------------------------------------------------

    def in_folder(self, folder: str) -> BoolArray:
        """Return which notes are in ``folder`` or below; the path ends with a slash, or is ""."""
        # Texts of folders are not folded: one beyond ASCII may be in another Unicode form.
        form, part = unicode_form(folder), folder if folder.isascii() else "/"
        return self._having("folder", part, lambda text: unicode_form(text).startswith(form))

    def of_type(self, type_: str) -> BoolArray:
        """Return which notes have a type, ignoring case."""
        return self._equal("type", fold_name(type_))

    def with_tag(self, tag: str) -> BoolArray:
        """Return which notes have ``tag``, in the form of ``NoteFacts.tags``, or one below it."""
        if not tag:
            return np.zeros(len(self), np.bool_)
        start = f"\n{fold_name(tag)}"
        return self._having("tag", f"{start}\n") | self._having("tag", f"{start}/")

    def from_source(self, source: str) -> BoolArray:
        """Return which notes state a source, or are in a folder of this path, ignoring case."""
        source = fold_name(source).rstrip("/")
        if not source:
            return np.zeros(len(self), np.bool_)
        folder = f"{source.lstrip('/')}/"
        folders = enumerate(self._texts["folder"].texts)
        numbers = [number for number, text in folders if fold_name(text).startswith(folder)]
        return self._equal("source", source) | self._among("folder", numbers)

    def are_templates(self, note_ids: Int64Array) -> BoolArray:
        """Return which of these notes are templates."""
        number = self._texts["template"].get(_TEMPLATE)
        if number is None:
            return np.zeros(len(note_ids), np.bool_)
        are_templates: BoolArray = self._numbers["template"].rows[note_ids] == number
        return are_templates

    def with_importance(self, minimum: float) -> BoolArray:
        """Return which notes have at least this importance."""
        importance: Float64Array = self._importance.rows
        return importance >= minimum

    def with_path(self, part: str) -> BoolArray:
        """Return which notes have ``part`` in their paths, ignoring case and accents."""
        return self._with_path(part)

    def with_file_name(self, part: str) -> BoolArray:
        """Return which notes have ``part`` in their file names, ignoring case and accents."""
        plain = _plain_name(part)
        return self._with_path(part, lambda path: plain in path.rpartition("/")[2])

    def of_kind(self, kind: str, name: str) -> BoolArray:
        """Return which notes are of a kind, one of ``KINDS``, by its ``kind_name``.

        As in ``kinds_of``: any folder of the path counts, and any part of a tag.
        """
        if not name:
            return np.zeros(len(self), np.bool_)
        return self._having(kind, _part_of_name(kind, name), _has_any_name(kind, [name]))

    def are_of_kinds(self, note_ids: Int64Array, kinds: Iterable[Kind]) -> BoolArray:
        """Return which of these notes are of any of the kinds; see ``of_kind``."""
        are_of = np.zeros(len(note_ids), np.bool_)
        names_by_kind: dict[str, list[str]] = {}
        for name, index in kinds:
            names_by_kind.setdefault(KINDS[index], []).append(name)
        for kind, names in names_by_kind.items():
            texts, has_any = self._texts[kind].texts, _has_any_name(kind, names)
            numbers = self._numbers[kind].rows[note_ids].tolist()
            matches = {number: has_any(texts[number]) for number in set(numbers)}
            are_of |= np.fromiter(map(matches.__getitem__, numbers), np.bool_, len(numbers))
        return are_of

    def titled(self, name: str) -> BoolArray:
        """Return which notes have the words of ``name``, a ``kind_name``, in their title."""
        return self._having("title", f" {name} ")

    def folders(self, is_live: BoolArray) -> list[str]:
        """Return the distinct folders of these notes, without a slash at the end."""
        numbers: Int32Array = self._numbers["folder"].rows
        texts = self._texts["folder"].texts
        return [texts[number][:-1] for number in np.unique(numbers[is_live]).tolist()]

    def names_of(self, field: str, is_live: BoolArray) -> set[str]:
        """Return the types, tags or sources, as ``field`` says, of these notes, folded."""
        numbers: Int32Array = self._numbers[field].rows
        texts = self._texts[field].texts
        used = np.unique(numbers[is_live]).tolist()
        return {name for number in used for name in texts[number].split("\n") if name}

    def _equal(self, name: str, text: str) -> BoolArray:
        number = self._texts[name].get(text)
        return self._among(name, [] if number is None else [number])

    def _having(self, name: str, part: str, is_match: _Condition | None = None) -> BoolArray:
        """Return which notes have, in field ``name``, a text with ``part`` that ``is_match``."""
        if not part:
            return np.ones(len(self), np.bool_)
        texts = self._texts[name].texts
        return self._among(name, _numbers_with(texts, part, len(texts), is_match))

    def _among(self, name: str, numbers: list[int]) -> BoolArray:
        is_wanted = np.zeros(len(self._texts[name]), np.bool_)
        is_wanted[numbers] = True
        rows: Int32Array = self._numbers[name].rows
        is_match: BoolArray = is_wanted[rows]
        return is_match

    def _with_path(self, part: str, is_match: _Condition | None = None) -> BoolArray:
        plain = _plain_name(part)
        if not plain:
            return np.ones(len(self), np.bool_)
        has_path = np.zeros(len(self), np.bool_)
        has_path[_numbers_with(self._paths, plain, len(self), is_match)] = True
        return has_path

    def row(self, note_id: int) -> tuple[str | float, ...]:
        """Return the plain path of a note, its importance, and the texts of the other fields."""
        numbers = ((name, column.rows[note_id]) for name, column in self._numbers.items())
        texts = (self._texts[name].texts[int(number)] for name, number in numbers)
        return self._paths[note_id], float(self._importance.rows[note_id]), *texts

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the fields as columns, for ``read``."""
        for name, numbers in self._numbers.items():
            texts = self._texts[name].texts
            yield from named(f"{name}Texts", texts.columns(len(texts)))
            yield array_column(name, numbers.rows)
        yield from named("paths", self._paths.columns(len(self)))
        yield array_column("importance", self._importance.rows)

    @classmethod
    def read(cls, columns: Columns) -> "NoteFields":
        """Return the fields that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        fields = cls()
        for name in _NUMBERED:
            fields._texts[name] = StringIds(StringTable(columns.of(f"{name}Texts")))
            fields._numbers[name] = GrowableArray.over(columns.array(name, "<i4"))
        fields._paths = GrowingStrings(StringTable(columns.of("paths")))
        fields._importance = GrowableArray.over(columns.array("importance", "<f8"))
        if {len(fields._paths), *map(len, fields._numbers.values())} != {len(fields)}:
            raise ValueError("fields of different notes")
        return fields


def _text(name: str, path: str, facts: NoteFacts) -> str:
    """Return the text of a numbered field of a note."""
    if name == "folder":
        return path[: path.rfind("/") + 1]
    if name == "type":
        return fold_name(facts.type)
    if name == "source":
        return fold_name(facts.source or "").rstrip("/")
    if name == "template":
        return _TEMPLATE if facts.is_template else ""
    if name == "tag":
        return fold_name("\n".join(("", *facts.tags, ""))) if facts.tags else ""
    return f" {' '.join(name_words(facts.title))} "


def _plain_name(text: str) -> str:
    """Return a path or a part of one in lower case and without accents, as words are compared."""
    folded = fold_name(text)
    # A full-width slash is a character of a name, and would become one between folders.
    plain = [without_accents(name).replace("/", _WIDE_SLASH) for name in folded.split("/")]
    return "/".join(plain) or folded  # which may be an accent and nothing else


def _part_of_name(kind: str, name: str) -> str:
    """Return a substring of every text of a kind with the name; texts of folders are not folded."""
    return "/" if kind == "folder" else name.partition(" ")[0]


def _has_any_name(kind: str, names: Sequence[str]) -> _Condition:
    """Return a predicate: whether a text of a kind has any of ``names``, each a ``kind_name``."""
    wanted = set(names) - ({kind_name(DEFAULT_TYPE)} if kind == "type" else set())
    parts = [_part_of_name(kind, name) for name in wanted]
    split = _PARTS.get(kind, _WHOLE).split

    def has_any(text: str) -> bool:
        # Most texts contain none of the parts, and checking that first is much faster.
        return any(map(text.__contains__, parts)) and not wanted.isdisjoint(
            map(kind_name, split(text))
        )

    return has_any


def _set(column: GrowableArray, old_ids: Int64Array, values: Int32Array | Float64Array) -> None:
    """Set the first values for the notes with ``old_ids``; append the others, of new notes."""
    changed = values[: len(old_ids)]
    if np.any(column.rows[old_ids] != changed):  # ``set`` may copy the column
        column.set(old_ids, changed)
    if len(old_ids) < len(values):
        column.extend(values[len(old_ids) :])


def _numbers_with(
    texts: GrowingStrings, part: str, count: int, is_match: _Condition | None
) -> list[int]:
    """Return the numbers below ``count`` of the texts with ``part`` that ``is_match``, if given."""
    later = enumerate(texts.later(texts.first_later, count), texts.first_later)
    numbers = [number for some in texts.stored_with(part) for number in some.tolist()]
    numbers += [number for number, text in later if part in text]
    return numbers if is_match is None else [n for n in numbers if is_match(texts[n])]
