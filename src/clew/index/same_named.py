"""The files of a vault that have one name, and which of them a link means.

A link may leave out folders from the left. As in Obsidian (observed in version 1.13.7), it leads to

1. the file whose whole path is the target;
2. else, unless the target begins with ``/``, to files whose path ends in it: those in or below the
   folder of the note with the link before all others.

``preferred`` breaks ties. Case makes no difference, and ``ß`` is ``ss``; but ``[[Masse]]`` does not
lead to ``Maße.md`` where some file is called ``Masse.md``.

A link that leads elsewhere because of its folder is entered under the folder of its file and its
target, with two slashes between them: ``/a//b`` for ``b`` where that means ``a/b.md``.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from clew.text.concept import fold_name, lower_name
from clew.text.filename import NOTE_EXTENSIONS, extension_of, is_attachment, without_extension

_REMEMBERED_MAX = 256  # answers of each kind, for each of up to 1,024 names


class SameNamed:
    """The files with one folded name, sorted by folded path."""

    def __init__(self, paths: Iterable[str]) -> None:
        paths = list(paths)
        by_spelling: dict[str, list[str]] = {}
        for path in paths:
            by_spelling.setdefault(_lower_file_name(path), []).append(path)
        # By file name in lower case, where these are not all the same: "maße" and "masse".
        self._by_spelling: dict[str, SameNamed] = {}
        if len(by_spelling) > 1:
            self._by_spelling = {name: SameNamed(some) for name, some in by_spelling.items()}
        rows = sorted((folded_path(path), path) for path in paths)
        self._notes = _Files([row for row in rows if _is_note(row[1])])
        self._others = _Files([row for row in rows if not _is_note(row[1])])
        self._seen: dict[tuple[str, str], str] = {}
        self._anywhere: dict[str, str | None] = {}  # by target

    def spelled_like(self, target: str) -> "SameNamed":
        """Return the files whose name differs from that of ``target`` in case at most.

        All files if there are none.
        """
        if not self._by_spelling:  # as for nearly all names
            return self
        return self._by_spelling.get(_lower_file_name(target), self)

    def meant(self, target: str) -> list[str]:
        """Return the files that a target may mean whatever the folder of its note, before ties.

        A file that is no note counts for a target such as ``pic.png`` first, and for others last,
        unless the target is its whole path.
        """
        bare, is_whole = folded_path(target), target.startswith("/")
        if is_attachment(target):
            return self._others.meant(bare, is_whole=is_whole) or self._notes.meant(
                bare, is_whole=is_whole
            )
        exact = self._notes.at(bare) + self._others.at(bare)
        if exact or is_whole:
            return exact
        return self._notes.ending_in(bare) or self._others.ending_in(bare)

    def meant_anywhere(self, target: str) -> str | None:
        """Return the file to which a target leads if there is none near the note with it."""
        if target not in self._anywhere:
            if len(self._anywhere) >= _REMEMBERED_MAX:
                self._anywhere.clear()
            matches = self.meant(target)
            self._anywhere[target] = preferred(matches, target) if matches else None
        return self._anywhere[target]

    def seen_from(self, target: str, folder: str) -> str:
        """Return ``target``, or the text that stands for it in notes of ``folder``: ``/a//b``."""
        seen = self._seen.get((target, folder))
        if seen is None:
            if len(self._seen) >= _REMEMBERED_MAX:
                self._seen.clear()
            seen = self._seen[target, folder] = self._seen_from(target, folder)
        return seen

    def _seen_from(self, target: str, folder: str) -> str:
        # Most folders have no such file, so that no other file is looked at again for each of them.
        anywhere, bare = self.meant_anywhere(target), folded_path(target)
        if anywhere is None or target.startswith("/") or folded_path(anywhere) == bare:
            return target
        files = self._notes if _is_note(anywhere) else self._others
        matches = files.below(folder, bare)
        near = preferred(matches, target) if matches else anywhere
        if near == anywhere:
            return target
        parts = without_extension(near).split("/")
        above = parts[: -1 - bare.count("/")]
        return f"/{'/'.join(above)}//{target}"

    def notes_near(self, target: str, folder: str) -> list[str]:
        """Return the notes that a target may mean in ``folder`` for being in or below it."""
        bare = folded_path(target)
        if not folder or target.startswith("/") or self._notes.at(bare):
            return []
        return self._notes.below(folder, bare)


class _Files:
    """Files of one kind: their folded paths, sorted, and their paths."""

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        self._folded = [folded for folded, _ in rows]
        self._paths = [path for _, path in rows]

    def meant(self, bare: str, *, is_whole: bool) -> list[str]:
        """Return the files at the folded path ``bare``, or else those whose path ends in it."""
        return self.at(bare) or ([] if is_whole else self.ending_in(bare))

    def at(self, bare: str) -> list[str]:
        """Return the files with the folded path ``bare``."""
        first = last = bisect_left(self._folded, bare)
        while last < len(self._folded) and self._folded[last] == bare:
            last += 1
        return self._paths[first:last]

    def ending_in(self, bare: str) -> list[str]:
        """Return the files whose path ends in ``bare``."""
        return self._among(0, len(self._paths), bare)

    def below(self, folder: str, bare: str) -> list[str]:
        """Return the files in or below ``folder`` whose path ends in ``bare``, before ties."""
        above = fold_name(folder)
        # The path that names no folder in between is the shortest, so that it is preferred.
        if near := self.at(f"{above}/{bare}"):
            return near
        first = bisect_left(self._folded, f"{above}/")
        after = bisect_left(self._folded, f"{above}0", first)  # "0" is the next character after "/"
        return self._among(first, after, bare)

    def _among(self, first: int, last: int, bare: str) -> list[str]:
        ending = "/" + bare
        return [
            self._paths[place]
            for place in range(first, last)
            if self._folded[place].endswith(ending)
        ]


def folded_path(path: str) -> str:
    """Return a path or target in the form for comparing: without outer slashes and ``.md``."""
    return fold_name(_bare(path))


def as_written(target: str) -> str:
    """Return the target of a link without the folder under which it was entered."""
    return target.partition("//")[2] if target.startswith("/") and "//" in target else target


def _bare(path: str) -> str:
    return without_extension(path).strip("/").replace("//", "/")


def _lower_file_name(path: str) -> str:
    return lower_name(_bare(path).rpartition("/")[2])


def _is_note(path: str) -> bool:
    return extension_of(path) in NOTE_EXTENSIONS


def preferred(paths: Iterable[str], target: str) -> str:
    """Return the one of ``paths`` to which ``target`` leads.

    Ties are broken by: a note before a file that is none, unless the target is an attachment; the
    spelling in lower case; the shorter path; the folded path by code point; the exact spelling; the
    path by code point.
    """
    bare, prefers_notes = _bare(target), not is_attachment(target)
    lower = lower_name(bare)

    def rank(path: str) -> tuple[bool, bool, int, str, bool, str]:
        name = without_extension(path)
        is_second_choice = prefers_notes and not _is_note(path)
        has_other_letters = not ("/" + lower_name(name)).endswith("/" + lower)
        is_spelled_otherwise = not ("/" + name).endswith("/" + bare)
        folded = fold_name(name)
        return is_second_choice, has_other_letters, len(name), folded, is_spelled_otherwise, path

    return min(paths, key=rank)


def closest(paths: Collection[str], target: str) -> list[str]:
    """Return those of ``paths`` that ``target`` means equally well.

    These are the ones in the fewest folders, and those with the shortest path. If just one of them
    is spelled exactly like the target, with all its folders, it is the only one.
    """
    bare = without_extension(target).strip("/")
    depth = min((path.count("/") for path in paths), default=0)
    length = min((len(without_extension(path)) for path in paths), default=0)
    near = [
        path for path in paths if path.count("/") == depth or len(without_extension(path)) == length
    ]
    exact = [path for path in near if without_extension(path) == bare]
    return exact if len(exact) == 1 else near
