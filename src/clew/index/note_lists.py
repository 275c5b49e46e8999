"""What lists and counts of all notes need, kept by each change: tags, titles and problems.

So that no list takes time by the size of the vault only to count.
"""

from collections.abc import Iterator

from clew.index.facts import NoteFacts
from clew.index.structures import multimap
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import map_columns, read_map
from clew.values.packing import Unpacker, pack

_unpack_count: Unpacker[int] = Unpacker(int)


class NoteLists:
    """Counts of notes by tag, notes by title, and the notes with problems."""

    def __init__(self) -> None:
        self.note_counts_by_tag: LayeredMap[str, int] = LayeredMap()
        self.paths_by_title: multimap.Multimap = LayeredMap()  # by the case-folded title
        self.problem_counts: LayeredMap[str, int] = LayeredMap()  # by path; none is 0

    def copy(self) -> "NoteLists":
        """Return equal lists, in constant time; later changes do not reach them."""
        other = NoteLists.__new__(NoteLists)
        other.note_counts_by_tag = self.note_counts_by_tag.copy()
        other.paths_by_title = self.paths_by_title.copy()
        other.problem_counts = self.problem_counts.copy()
        return other

    def put(self, path: str, facts: NoteFacts, before: NoteFacts | None) -> None:
        """Enter a note; ``before`` are its facts up to now, ``None`` if it is new."""
        if before is not None:
            self.drop(path, before)
        for tag in facts.tags:
            self.note_counts_by_tag[tag] = self.note_counts_by_tag.get(tag, 0) + 1
        multimap.add(self.paths_by_title, facts.title.casefold(), path)
        if facts.problems:
            self.problem_counts[path] = len(facts.problems)

    def drop(self, path: str, facts: NoteFacts) -> None:
        """Remove a note that was entered with these facts."""
        for tag in facts.tags:
            count = self.note_counts_by_tag.pop(tag)
            if count > 1:
                self.note_counts_by_tag[tag] = count - 1
        multimap.discard(self.paths_by_title, facts.title.casefold(), path)
        self.problem_counts.pop(path, None)

    def columns(self) -> Iterator[Column]:
        """Yield the lists as columns, for ``read``."""
        yield from named("tags", map_columns(self.note_counts_by_tag, pack))
        yield from named("titles", multimap.columns(self.paths_by_title))
        yield from named("problems", map_columns(self.problem_counts, pack))

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
        return lists
