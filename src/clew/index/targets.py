"""The table of link targets: every distinct text that links point to, resolved once.

A canonical target means the same in every note, so it is resolved once for all notes that hold it,
and again only when a change of a note may affect it (see ``clew.index.names``).
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import StoredMap, map_columns, read_map
from clew.text.concept import normalize
from clew.values.packing import Unpacker, pack

K = TypeVar("K", int, str)

DISPLAYS_MAX = 16_000  # cached displays: 3 MB


class Target(Struct, frozen=True, array_like=True, gc=False):
    """One canonical link target, and what it means."""

    text: str
    keys: tuple[str, ...]  # name keys on which its resolution depends, sorted
    resolved: str | None = None  # the file it leads to
    concept: str | None = None  # the concept it names


@dataclass(slots=True)
class Uses:
    """The links to one target; notes are given by id."""

    notes: dict[int, int] = field(default_factory=dict)  # note -> count of links
    mentions: dict[int, int] = field(default_factory=dict)  # the same, of links that name a concept
    forms: dict[str, int] = field(default_factory=dict)  # written or shown text -> count

    def copy(self) -> "Uses":
        """Return an independent copy."""
        return Uses(dict(self.notes), dict(self.mentions), dict(self.forms))

    def renumbered(self, new_ids: Mapping[int, int]) -> "Uses":
        """Return the same uses with new note ids; ``new_ids``: by old id."""
        return Uses(
            {new_ids[note]: count for note, count in self.notes.items()},
            {new_ids[note]: count for note, count in self.mentions.items()},
            dict(self.forms),
        )


NO_USES = Uses()


class _StoredUses(Struct, frozen=True, array_like=True, gc=False):
    notes: bytes  # int32: id, count, id, count ...
    mentions: bytes | None  # None: the same as ``notes``
    forms: dict[str, int]


_unpack_count: Unpacker[int] = Unpacker(int)
_unpack_target: Unpacker[Target] = Unpacker(Target)
_unpack_stored: Unpacker[_StoredUses] = Unpacker(_StoredUses)


def _pack_uses(uses: Uses) -> bytes:
    mentions = None if uses.mentions == uses.notes else _packed(uses.mentions)
    return pack(_StoredUses(_packed(uses.notes), mentions, dict(sorted(uses.forms.items()))))


def _unpack_uses(data: memoryview) -> Uses:
    stored = _unpack_stored(data)
    notes = _unpacked(stored.notes)
    mentions = dict(notes) if stored.mentions is None else _unpacked(stored.mentions)
    return Uses(notes, mentions, stored.forms)


def _unpack_forms(data: memoryview) -> Mapping[str, int]:
    return _unpack_stored(data).forms


def _packed(counts: Mapping[int, int]) -> bytes:
    return array("i", (number for row in sorted(counts.items()) for number in row)).tobytes()


def _unpacked(data: bytes) -> dict[int, int]:
    numbers = array("i", data)
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


@dataclass(slots=True)
class TargetTable:
    """Targets by text, and their texts by key, by resolved path and by concept."""

    by_text: LayeredMap[str, Target] = field(default_factory=LayeredMap)
    # By text, of the targets that resolve to no file: how many links lead there.
    unresolved: LayeredMap[str, int] = field(default_factory=LayeredMap)
    _uses: LayeredMap[str, Uses] = field(default_factory=LayeredMap)  # by text
    _texts_by_key: multimap.Multimap = field(default_factory=LayeredMap)
    _texts_by_path: multimap.Multimap = field(default_factory=LayeredMap)
    _texts_by_concept: multimap.Multimap = field(default_factory=LayeredMap)
    # By concept; copies share it until ``forget_displays`` replaces it.
    _display_cache: dict[str, str] = field(default_factory=dict)

    def copy(self) -> "TargetTable":
        """Return a table of equal targets, in constant time; later changes do not reach it."""
        return TargetTable(
            self.by_text.copy(),
            self.unresolved.copy(),
            self._uses.copy(),
            self._texts_by_key.copy(),
            self._texts_by_path.copy(),
            self._texts_by_concept.copy(),
            self._display_cache,
        )

    def uses(self, text: str) -> Uses:
        """Return the links to the target with this text, which the caller must not change."""
        return self._uses.get(text, NO_USES)

    def forms(self, text: str) -> Mapping[str, int]:
        """Return how often links to an existing target write or show each form of its name.

        Decodes nothing else, since thousands of notes may have such a link.
        """
        base, changes = self._uses.layers()
        if isinstance(base, StoredMap) and text not in changes:
            return base.read(text, _unpack_forms)
        return self.uses(text).forms

    def add(self, text: str, keys: Iterable[str]) -> Target:
        """Add a target that is not in the table."""
        target = Target(text, tuple(sorted(keys)))
        self.by_text[text] = target
        self.unresolved[text] = 0
        self._uses[text] = Uses()
        for key in target.keys:
            multimap.add(self._texts_by_key, key, text)
        return target

    def discard(self, target: Target) -> None:
        """Remove a target that no note holds any more."""
        self._move(target, None, None)
        del self.by_text[target.text]
        del self._uses[target.text]
        self.unresolved.pop(target.text, None)
        for key in target.keys:
            multimap.discard(self._texts_by_key, key, target.text)

    def link(self, target: Target, note_id: int, forms: Iterable[str] | None) -> None:
        """Count a link of a note and its ``forms``; ``None``: the link names no concept."""
        uses = self._uses.own(target.text, Uses.copy)
        uses.notes[note_id] = uses.notes.get(note_id, 0) + 1
        if target.resolved is None:
            self.unresolved[target.text] = self.unresolved[target.text] + 1
        if forms is not None:
            uses.mentions[note_id] = uses.mentions.get(note_id, 0) + 1
            for form in forms:
                uses.forms[form] = uses.forms.get(form, 0) + 1

    def unlink(self, target: Target, note_id: int, forms: Iterable[str] | None) -> None:
        """Undo ``link`` with the same arguments."""
        uses = self._uses.own(target.text, Uses.copy)
        _count_down(uses.notes, note_id)
        if target.resolved is None:
            self.unresolved[target.text] = self.unresolved[target.text] - 1
        if forms is not None:
            _count_down(uses.mentions, note_id)
            for form in forms:
                _count_down(uses.forms, form)

    def set_resolution(self, target: Target, resolved: str | None, concept: str | None) -> None:
        """Set the file that a target leads to and the concept that it names."""
        if (resolved, concept) != (target.resolved, target.concept):
            self._move(target, resolved, concept)
            if resolved is not None:
                self.unresolved.pop(target.text, None)
            elif target.resolved is not None:
                self.unresolved[target.text] = sum(self.uses(target.text).notes.values())
            self.by_text[target.text] = replace(target, resolved=resolved, concept=concept)

    def _move(self, target: Target, resolved: str | None, concept: str | None) -> None:
        _move(self._texts_by_path, target.text, target.resolved, resolved)
        _move(self._texts_by_concept, target.text, target.concept, concept)

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        """Give new ids to the notes; ``new_ids``: by old id."""
        self._uses = LayeredMap(
            {text: self.uses(text).renumbered(new_ids) for text in self.by_text}
        )

    # -- storing ------------------------------------------------------------------------------

    def columns(self) -> Iterator[Column]:
        """Yield the targets as columns, for ``read``."""
        yield from named("byText", map_columns(self.by_text, pack))
        yield from named("unresolved", map_columns(self.unresolved, pack))
        yield from named("uses", map_columns(self._uses, _pack_uses))
        yield from named("byKey", multimap.columns(self._texts_by_key))
        yield from named("byPath", multimap.columns(self._texts_by_path))
        yield from named("byConcept", multimap.columns(self._texts_by_concept))

    @classmethod
    def read(cls, columns: Columns) -> "TargetTable":
        """Return the targets that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        return cls(
            read_map(columns.of("byText"), _unpack_target),
            read_map(columns.of("unresolved"), _unpack_count),
            read_map(columns.of("uses"), _unpack_uses),
            multimap.read(columns.of("byKey")),
            multimap.read(columns.of("byPath")),
            multimap.read(columns.of("byConcept")),
        )

    # -- reading ------------------------------------------------------------------------------

    def depending_on(self, keys: Iterable[str]) -> set[str]:
        """Return the texts of the targets that depend on any of ``keys``."""
        return set().union(*(self._texts_by_key.get(key, ()) for key in keys))

    def texts_resolving_to(self, path: str) -> AbstractSet[str]:
        """Return the texts of the targets that resolve to ``path``."""
        return self._texts_by_path.get(path, frozenset())

    def texts_naming(self, concept: str) -> AbstractSet[str]:
        """Return the texts of the targets that name ``concept``."""
        return self._texts_by_concept.get(concept, frozenset())

    def is_mentioned_outside(self, concept: str, note_id: int) -> bool:
        """Return whether a link in another note than ``note_id`` names ``concept``."""
        for text in self._texts_by_concept.get(concept, ()):
            mentions = self.uses(text).mentions
            if len(mentions) > 1 or (mentions and note_id not in mentions):
                return True
        return False

    def display(self, concept: str) -> str:
        """Return the most frequent written or shown form of ``concept``; ties by code point.

        Folders are left out if the name without them still normalizes to the concept.
        """
        cached = self._display_cache.get(concept)
        if cached is not None:
            return cached
        forms: Counter[str] = Counter()
        for text in self._texts_by_concept.get(concept, ()):
            for form, count in self.forms(text).items():
                forms[_without_folders(form, concept)] += count
        shown = min(forms, key=lambda form: (-forms[form], form)) if forms else concept
        if len(self._display_cache) >= DISPLAYS_MAX:
            self._display_cache.clear()
        self._display_cache[concept] = shown
        return shown

    def forget_displays(self, concepts: Iterable[str]) -> None:
        """Invalidate the cached displays of these concepts.

        Earlier copies keep the old cache, since they may still add old displays to it.
        """
        kept = self._display_cache.copy()
        for concept in concepts:
            kept.pop(concept, None)
        self._display_cache = kept


def _without_folders(form: str, concept: str) -> str:
    if "/" not in form:
        return form
    name = form.rpartition("/")[2].strip()
    return name if normalize(name) == concept else form


def _count_down(counts: dict[K, int], key: K) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


def _move(index: multimap.Multimap, text: str, before: str | None, after: str | None) -> None:
    """Move ``text`` from the key ``before`` to the key ``after``; ``None`` stands for no key."""
    if before == after:
        return
    if before is not None:
        multimap.discard(index, before, text)
    if after is not None:
        multimap.add(index, after, text)
