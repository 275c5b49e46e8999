"""Counts and lists of all notes, updated with each change: tags, kinds, titles, problems, links.

So no request takes time in proportion to the vault only to count. A kind is a name that people use
for a group of their notes: a type, a folder, a tag or a source.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from clew.index.notes.facts import NoteFacts
from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import map_columns, read_map
from clew.text.concept import fold_name
from clew.values.note import DEFAULT_TYPE
from clew.values.packing import Unpacker, pack

KINDS = ("type", "folder", "tag", "source")
Kind = tuple[str, int]  # a name, as ``kind_name`` writes it, and its index in ``KINDS``
KindCounts = tuple[int, int, int, int]  # numbers of notes, by the index in ``KINDS``

_unpack_count: Unpacker[int] = Unpacker(int)
_unpack_flag: Unpacker[bool] = Unpacker(bool)
_unpack_counts: Unpacker[KindCounts] = Unpacker(KindCounts)
_NO_COUNTS: KindCounts = (0, 0, 0, 0)
KINDS_KEPT = 4_096  # cached results of ``_kinds``, each with a few names
NAMES_KEPT = 4_096  # cached results of ``kind_name``
_SEPARATORS = re.compile(r"[\s_-]+")


@lru_cache(maxsize=NAMES_KEPT)  # a vault has few names of kinds, and each note has several
def kind_name(text: str) -> str:
    """Return a name in the form that kinds are compared in: folded, words joined by a space."""
    return _SEPARATORS.sub(" ", fold_name(text)).strip()


def kinds_of(path: str, facts: NoteFacts) -> frozenset[Kind]:
    """Return the kinds of a note: each name, and its index in ``KINDS``.

    Each folder of the path and each part of a nested tag is a kind. The default type, of notes
    that state none, is no kind.
    """
    return _kinds(path.rpartition("/")[0], facts.type, facts.source, facts.tags)


@lru_cache(maxsize=KINDS_KEPT)  # notes of one folder often have the same
def _kinds(folder: str, type_: str, source: str | None, tags: tuple[str, ...]) -> frozenset[Kind]:
    names = [(part, 1) for part in folder.split("/") if folder]
    names += [(part, 2) for tag in tags for part in tag.split("/")]
    if type_ != DEFAULT_TYPE:
        names.append((type_, 0))
    if source:
        names.append((source.rstrip("/"), 3))
    return frozenset((name, kind) for text, kind in names if (name := kind_name(text)))


class NoteLists:
    """Counts of notes by tag, notes by title, and the notes that have or lack something."""

    def __init__(self) -> None:
        self.note_counts_by_tag: LayeredMap[str, int] = LayeredMap()
        self.paths_by_title: multimap.Multimap = LayeredMap()  # by ``fold_name`` of the title
        self.problem_counts: LayeredMap[str, int] = LayeredMap()  # by path; none is 0
        self.kind_counts: LayeredMap[str, KindCounts] = LayeredMap()  # by ``kind_name``
        # A set of paths of private notes, and of other private files that links may lead to.
        self.private: LayeredMap[str, bool] = LayeredMap()
        # A set of paths of notes without a link that certainly leads to another note.
        self.without_links: LayeredMap[str, bool] = LayeredMap()

    def copy(self) -> "NoteLists":
        """Return equal lists, in constant time; later changes do not reach them."""
        other = NoteLists.__new__(NoteLists)
        other.note_counts_by_tag = self.note_counts_by_tag.copy()
        other.paths_by_title = self.paths_by_title.copy()
        other.problem_counts = self.problem_counts.copy()
        other.kind_counts = self.kind_counts.copy()
        other.private = self.private.copy()
        other.without_links = self.without_links.copy()
        return other

    def put(self, path: str, facts: NoteFacts, before: NoteFacts | None) -> None:
        """Enter a note; ``before``: the facts with which it was entered last, ``None`` for none."""
        if before is not None:
            self.drop(path, before)
        for tag in facts.tags:
            self.note_counts_by_tag[tag] = self.note_counts_by_tag.get(tag, 0) + 1
        multimap.add(self.paths_by_title, fold_name(facts.title), path)
        if facts.problems:
            self.problem_counts[path] = len(facts.problems)
        if not facts.links_to_notes:
            self.without_links[path] = True
        self._count_kinds(path, facts, 1)

    def drop(self, path: str, facts: NoteFacts) -> None:
        """Remove a note that was entered with these facts."""
        for tag in facts.tags:
            count = self.note_counts_by_tag.pop(tag)
            if count > 1:
                self.note_counts_by_tag[tag] = count - 1
        multimap.discard(self.paths_by_title, fold_name(facts.title), path)
        self.problem_counts.pop(path, None)
        self.private.pop(path, None)
        self.without_links.pop(path, None)
        self._count_kinds(path, facts, -1)

    def set_private(self, path: str, *, is_private: bool) -> None:
        """Record whether a note or another file is private."""
        if is_private:
            self.private[path] = True
        else:
            self.private.pop(path, None)

    def _count_kinds(self, path: str, facts: NoteFacts, change: int) -> None:
        for name, kind in kinds_of(path, facts):
            counts = list(self.kind_counts.get(name, _NO_COUNTS))
            counts[kind] += change
            if any(counts):
                self.kind_counts[name] = (counts[0], counts[1], counts[2], counts[3])
            else:
                self.kind_counts.pop(name)

    def columns(self) -> Iterator[Column]:
        """Yield the lists as columns, for ``read``."""
        yield from named("tags", map_columns(self.note_counts_by_tag, pack))
        yield from named("titles", multimap.columns(self.paths_by_title))
        yield from named("problems", map_columns(self.problem_counts, pack))
        yield from named("kinds", map_columns(self.kind_counts, pack))
        yield from named("private", map_columns(self.private, pack))
        yield from named("withoutLinks", map_columns(self.without_links, pack))

    @classmethod
    def read(cls, columns: Columns) -> "NoteLists":
        """Return the lists that ``columns`` wrote.

        Raises:
            ValueError, LookupError: there are none.
        """
        lists = cls.__new__(cls)
        lists.note_counts_by_tag = read_map(columns.of("tags"), _unpack_count)
        lists.paths_by_title = multimap.read(columns.of("titles"))
        lists.problem_counts = read_map(columns.of("problems"), _unpack_count)
        lists.kind_counts = read_map(columns.of("kinds"), _unpack_counts)
        lists.private = read_map(columns.of("private"), _unpack_flag)
        lists.without_links = read_map(columns.of("withoutLinks"), _unpack_flag)
        return lists
