"""The mention index: the notes whose text has the name of another note, without a link to it.

It stores the names of each note, the notes that claim each name, and the rare names in the text of
each note. From these follow the edges from notes to the notes that they mention.
``clew.engine.mentions`` decides which names are rare, and reads the texts.

Invariant: the index follows from the notes alone, whatever the order of edits. While mentions are
put off, it has the names of each note and nothing else.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from clew.index.mentions.name_forms import lead
from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.growable import GrowableArray
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.records import Records
from clew.index.structures.stored_map import (
    Rows,
    StoredMap,
    joined_lists,
    list_columns,
    read_lists,
    value_columns,
)
from clew.index.structures.string_table import StringTable
from clew.values.arrays import Int32Array, Int64Array, IntegerArray
from clew.values.packing import Unpacker, pack

Names = tuple[str, ...]  # folded, see ``name_forms``; sorted

_NO_NOTES = memoryview(array("i")).toreadonly()
_unpack_names: Unpacker[Names] = Unpacker(Names)
_unpack_flag: Unpacker[bool] = Unpacker(bool)


class MentionIndex:
    """Names by note, notes by name, and the mentions that follow from the notes' texts."""

    def __init__(self) -> None:
        self.names_by_path: LayeredMap[str, Names] = LayeredMap()
        self.claims: multimap.Multimap = LayeredMap()  # name -> paths of the notes that have it
        self.rare_by_lead: multimap.Multimap = LayeredMap()  # rare names, see ``lead``
        self.held: LayeredMap[str, Names] = LayeredMap()  # rare names in the text of each note
        # By note id: ids of other notes, rising, as arrays or as memory of a stored index.
        self._mentioned: LayeredMap[int, Any] = LayeredMap()
        self._mentioning: LayeredMap[int, Any] = LayeredMap()
        self._degrees = GrowableArray(np.int32)  # by note id: the total length of both lists
        self.are_put_off = False  # until the first index has all notes

    def copy(self) -> "MentionIndex":
        """Return an equal index, in constant time; later changes do not reach it."""
        other = MentionIndex()
        other.names_by_path, other.claims = self.names_by_path.copy(), self.claims.copy()
        other.rare_by_lead, other.held = self.rare_by_lead.copy(), self.held.copy()
        other._mentioned, other._mentioning = self._mentioned.copy(), self._mentioning.copy()
        other._degrees, other.are_put_off = self._degrees.copy(), self.are_put_off
        return other

    # -- names --------------------------------------------------------------------------------

    def set_names(self, path: str, names: Names) -> set[str]:
        """Set the names of the note at ``path``; return the added and the removed names."""
        before = set(self.names_by_path.get(path, ()))
        after = set(names)
        if after:
            self.names_by_path[path] = names
        else:
            self.names_by_path.pop(path, None)
        if self.are_put_off:
            return set()
        for name in before - after:
            multimap.discard(self.claims, name, path)
        for name in after - before:
            multimap.add(self.claims, name, path)
        return before ^ after

    def is_rare(self, name: str) -> bool:
        """Return whether texts are searched for ``name``."""
        return name in self.rare_by_lead.get(lead(name), ())

    def set_rare(self, name: str, *, rare: bool) -> None:
        """Set whether texts are searched for ``name``."""
        change = multimap.add if rare else multimap.discard
        change(self.rare_by_lead, lead(name), name)

    def set_held(self, path: str, names: Names) -> None:
        """Set which rare names the text of the note at ``path`` holds."""
        if names:
            self.held[path] = names
        else:
            self.held.pop(path, None)

    def note_named(self, name: str) -> str | None:
        """Return the path of the only note with this folded name."""
        claimants = self.claims.get(name, ())
        return next(iter(claimants)) if len(claimants) == 1 else None

    def names_in(self, path: str, mentioned: str) -> list[str]:
        """Return the names in the text at ``path`` that only the note ``mentioned`` has."""
        return [name for name in self.held.get(path, ()) if self.note_named(name) == mentioned]

    # -- edges --------------------------------------------------------------------------------

    def mentioned_by(self, note_id: int) -> Any:
        """Return the notes that a note mentions, a buffer of 32-bit ids, rising."""
        return self._mentioned.get(note_id, _NO_NOTES)

    def mentioning(self, note_id: int) -> Any:
        """Return the notes that mention a note, a buffer of 32-bit ids, rising."""
        return self._mentioning.get(note_id, _NO_NOTES)

    def degrees(self, note_slots: int) -> Int32Array:
        """Return how many mentions each note has, in both directions, by note id."""
        degrees = np.zeros(note_slots, np.int32)
        degrees[: len(self._degrees)] = self._degrees.rows
        return degrees

    def edges_of(self, notes: Int64Array) -> tuple[Int64Array, Int32Array]:
        """Return the mentions of ``notes`` in both directions, as two parallel arrays.

        They have the index of a note in ``notes``, and the other end.
        """
        indexes = np.arange(len(notes))
        starts, targets = [], []
        for lists in (self._mentioned, self._mentioning):
            lengths, ids = joined_lists(lists, notes)
            starts.append(indexes.repeat(lengths))
            targets.append(ids)
        return np.concatenate(starts), np.concatenate(targets)

    def set_mentioned(self, note_id: int, targets: set[int]) -> None:
        """Set which notes a note mentions."""
        before = set(self.mentioned_by(note_id))
        _set_list(self._mentioned, note_id, targets)
        for target in before ^ targets:
            _set_list(self._mentioning, target, set(self.mentioning(target)) ^ {note_id})
            self._add_degree(target, 1 if target in targets else -1)
        self._add_degree(note_id, len(targets) - len(before))

    def _add_degree(self, note_id: int, more: int) -> None:
        if more:
            self._degrees.grow(note_id + 1)
            self._degrees.set(note_id, self._degrees.rows[note_id] + more)

    def set_all(
        self,
        claims: dict[str, set[str]],
        rare_by_lead: dict[str, set[str]],
        held: dict[str, Names],
        edges: tuple[Sequence[int], Sequence[int]],
    ) -> None:
        """Set everything that was put off.

        ``edges``: two parallel lists, of mentioning and mentioned notes; duplicates are ignored.
        """
        self.claims, self.rare_by_lead = LayeredMap(claims), LayeredMap(rare_by_lead)
        self.held = LayeredMap(held)
        distinct = np.unique(np.array(edges, np.intc), axis=1)
        sources, targets = distinct
        self._mentioned = _lists(sources, targets)
        self._mentioning = _lists(targets, sources)
        self._degrees = GrowableArray(np.int32)
        self._degrees.extend(np.bincount(np.concatenate([sources, targets])))
        self.are_put_off = False

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        """Give new ids to the notes; ``new_ids``: by old id."""
        rows = {note: set(self._mentioned[note]) for note in self._mentioned}
        self._mentioned, self._mentioning = LayeredMap(), LayeredMap()
        self._degrees = GrowableArray(np.int32)
        for note, targets in rows.items():
            self.set_mentioned(new_ids[note], {new_ids[target] for target in targets})

    # -- storing ------------------------------------------------------------------------------

    def columns(self, notes: Rows) -> Iterator[Column]:
        """Yield the index as columns, for ``read``."""
        yield from named("names", value_columns(self.names_by_path, pack, notes))
        yield from named("held", value_columns(self.held, pack, notes))
        yield from named("claims", multimap.columns(self.claims))
        yield from named("rare", multimap.columns(self.rare_by_lead))
        yield from named("mentioned", list_columns(self._mentioned, notes.count))
        yield from named("mentioning", list_columns(self._mentioning, notes.count))
        yield array_column("degrees", self._degrees.rows)
        yield "arePutOff", [pack(self.are_put_off)]

    @classmethod
    def read(cls, columns: Columns, paths: StringTable) -> "MentionIndex":
        """Return the index that ``columns`` wrote; ``paths`` has the paths of notes by id.

        Raises:
            ValueError, LookupError: there is none.
        """
        index = cls()
        names, held = Records(columns.of("names")), Records(columns.of("held"))
        index.names_by_path = LayeredMap(StoredMap(paths, names, _unpack_names))
        index.held = LayeredMap(StoredMap(paths, held, _unpack_names))
        index.claims = multimap.read(columns.of("claims"))
        index.rare_by_lead = multimap.read(columns.of("rare"))
        index._mentioned = read_lists(columns.of("mentioned"))
        index._mentioning = read_lists(columns.of("mentioning"))
        index._degrees = GrowableArray.over(columns.array("degrees", "<i4"))
        index.are_put_off = _unpack_flag(columns.data("arePutOff"))
        return index


def _set_list(lists: LayeredMap[int, Any], key: int, numbers: set[int]) -> None:
    if numbers:
        lists[key] = array("i", sorted(numbers))
    else:
        lists.pop(key, None)


def _lists(keys: IntegerArray, numbers: IntegerArray) -> LayeredMap[int, Any]:
    """Group the numbers by the key at the same index; each group is a rising array."""
    order = np.lexsort((numbers, keys))
    distinct, firsts = np.unique(keys[order], return_index=True)
    runs = np.split(numbers[order], firsts[1:])
    lists = {
        key: array("i", run.tobytes()) for key, run in zip(distinct.tolist(), runs, strict=False)
    }
    return LayeredMap(lists)
