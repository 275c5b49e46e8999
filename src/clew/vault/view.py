"""Change detection: a view of the vault's folders, and the difference that each look finds.

The view keeps a listing of every folder: its notes with their stamps (times, size, inode), its
other files and its subfolders. A look lists folders again, compares the new listings with the old
ones, and returns the changed and removed paths. There are two kinds of look:

- ``look`` walks the whole vault;
- ``look_at`` follows hints from the file watcher. It lists the folders that hold the hinted paths;
  in a large folder it only stats the hinted paths. A folder that is new, or that a hint names
  itself, is walked with everything below it, since the watcher may have missed events in it.

``changes`` tells which notes of a listing changed. Where letter case makes no difference to the
file system (macOS, memory sticks), a renamed file is still found by its old name. So a folder in
which a new name equals another but for case is listed, and only the names that its folder lists
count.

A folder that cannot be listed is a problem, and the view keeps its last listing: notes are never
dropped because a folder was unreadable for a moment.
"""

import os
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from clew.values.note import Problem
from clew.values.vault import Difference, Moment, Stamp
from clew.vault.changes import RACY_NS, FileChanges, file_age_ns
from clew.vault.ignore import is_hidden
from clew.vault.scan import (
    FolderListing,
    Listings,
    Rules,
    Unreadable,
    is_folder,
    list_entries,
    scan,
)

# Listing takes about 8 us per entry. In a folder with more, hints stat single paths instead.
LISTED_WHOLE_MAX = 128

SAMPLED = 100  # notes checked to recognize a vault that was mounted again


@dataclass(slots=True)
class VaultView:
    """The listings of the vault's folders; each look updates them and returns the difference.

    ``rules`` may be replaced between looks; the next look at the whole vault applies them.
    """

    root: str
    rules: Rules
    listings: dict[str, FolderListing] = field(default_factory=dict)  # by folder
    _unlisted: set[str] = field(default_factory=set)  # folders that could not be listed
    _renewals: dict[str, int] = field(default_factory=dict)  # by folder: hints that named it
    _identities: dict[str, tuple[int, int]] | None = None  # cache, until a folder changes

    def restore(self, notes: Mapping[str, Stamp], others: Iterable[str]) -> None:
        """Use the files of a stored index as the last listing; call ``look`` before ``look_at``."""
        for path, stamp in notes.items():
            self._listing_for(parent_of(path)).notes[path] = stamp
        for path in others:
            self._listing_for(parent_of(path)).others.add(path)

    def _listing_for(self, folder: str) -> FolderListing:
        listing = self.listings.get(folder)
        if listing is None:
            listing = self.listings[folder] = FolderListing()
            if folder:
                self._listing_for(parent_of(folder)).subfolders[folder] = 0
                self._identities = None
        return listing

    def look(self, now: Moment) -> Difference:
        """Walk the whole vault; return the difference.

        Raises:
            OSError: the vault's root cannot be listed; the view is unchanged.
        """
        return self._merge(scan(self.root, self.rules, [""], lambda _, __: True), now)

    def look_at(
        self, paths: Iterable[str], now: Moment, again: AbstractSet[str] = frozenset()
    ) -> Difference:
        """List the folders that hold ``paths``; return the difference.

        If such a folder was never listed, its topmost unlisted parent is listed with everything
        below it, so that the rules apply to each folder on the way.

        In a large folder only ``paths`` are looked at, unless one of them ends in ``/.``, which
        means the whole folder. A path that is a folder itself may have been replaced, so it is
        walked, unless it is in ``again``: paths looked at before, without a new hint since.

        Raises:
            OSError: the vault's root cannot be listed; the view is unchanged.
        """
        to_list: set[str] = set()
        to_walk: set[str] = set()
        single_paths: dict[str, set[str]] = {}  # by folder
        for path in map(self._first_unlisted, paths):
            folder, _, name = path.rpartition("/")
            if any(map(is_hidden, folder.split("/"))) or (name != "." and is_hidden(name)):
                continue
            if path in self.listings and path not in again:
                to_walk.add(path)  # It may be another folder now, even with the same inode.
                self._renewals[path] = self._renewals.get(path, 0) + 1
                self._identities = None
            listing = self.listings.get(folder)
            if listing is None or len(listing) <= LISTED_WHOLE_MAX or name == ".":
                to_list.add(folder)
            else:
                single_paths.setdefault(folder, set()).add(path)
        changes = FileChanges()
        for folder in single_paths.keys() - to_list:
            self._look_at_entries(folder, single_paths[folder], to_list, changes, now)
        return self._merge(self._scan(to_list | to_walk, to_walk), now, changes)

    def _first_unlisted(self, path: str) -> str:
        """Return ``path``, or the first folder on the way to it that was never listed."""
        while path and parent_of(path) not in self.listings:
            path = parent_of(path)
        return path

    def _look_at_entries(
        self, folder: str, paths: set[str], to_list: set[str], changes: FileChanges, now: Moment
    ) -> None:
        """Look at single ``paths`` of one folder; add the folders that must be listed."""
        listing = self.listings.get(folder)
        if listing is None or not is_folder(self.root, folder):
            to_list.add(folder)
            return
        try:
            entries = list_entries(self.root, paths, self.rules)
        except OSError:
            to_list.add(folder)  # Listing it shows whether the folder or an entry is at fault.
            return
        earlier = listing.restricted_to(paths)
        if listing.has_in_other_spelling(entries.paths() - earlier.paths()):
            to_list.add(folder)  # If letter case makes no difference, both names find it.
            return
        subfolders = entries.subfolders.items()
        to_list.update(path for path, inode in subfolders if self._is_new(path, inode))
        self._compare(earlier, entries, changes, now)
        listing.replace(paths, entries)
        if earlier.subfolders != entries.subfolders:
            self._identities = None

    def recheck(self, *paths: str) -> None:
        """Report ``paths`` as changed at the next look that includes them, whatever their stamp."""
        for path in paths:
            listing = self.listings.get(parent_of(path))
            if listing is not None:
                listing.recheck.add(path)

    def _scan(self, folders: set[str], to_walk: AbstractSet[str]) -> Listings:
        """List ``folders`` and new folders in them, and everything below those in ``to_walk``.

        Where a folder is gone, its parent is listed as well.
        """
        walked = set(to_walk)

        def descend(path: str, inode: int) -> bool:
            if parent_of(path) in walked:
                walked.add(path)
                return True
            return self._is_new(path, inode)

        listings: Listings = {}
        while folders:
            listings |= scan(self.root, self.rules, folders, descend)
            gone = {folder for folder, listing in listings.items() if listing is None}
            folders = {parent_of(folder) for folder in gone} - listings.keys()
        return listings

    def _is_new(self, folder: str, inode: int) -> bool:
        """Return whether a folder was never listed, or has another inode than when it was."""
        parent = self.listings.get(parent_of(folder))
        listed_inode = parent.subfolders.get(folder) if parent else None
        return folder not in self.listings or listed_inode != inode

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that ignores the file at ``path``; ``None`` if no rule does."""
        parts = path.split("/")
        is_hidden_path = any(map(is_hidden, parts)) and {"", ".", ".."}.isdisjoint(parts)
        if is_hidden_path and os.path.lexists(f"{self.root}/{path}"):
            return "its path: names that begin with a dot and node_modules are left out"
        listing = self.listings.get(parent_of(path))
        return listing.ignored.get(path) if listing else None

    def identities(self) -> dict[str, tuple[int, int]]:
        """Return an identity for each folder below the root: its inode and a count of hints.

        A folder that replaces another may have the same inode. A hint that names the folder itself
        is counted, so the identity changes in this case too.
        """
        if self._identities is None:
            renewals = self._renewals
            self._identities = {
                path: (inode, renewals.get(path, 0))
                for listing in self.listings.values()
                for path, inode in listing.subfolders.items()
            }
        return self._identities

    def stamp(self, path: str) -> Stamp | None:
        """Return the last stamp of the note at ``path``."""
        listing = self.listings.get(parent_of(path))
        return listing.notes.get(path) if listing else None

    def stamp_now(self, path: str) -> Stamp | None:
        """Return the stamp of the note that is at ``path`` now, if any; the view is unchanged."""
        if not is_folder(self.root, parent_of(path)):
            return None
        try:
            return list_entries(self.root, [path], self.rules).notes.get(path)
        except OSError:
            return None

    def has_its_notes(self) -> bool:
        """Return whether half of the notes, or of a sample, are unchanged at their paths.

        Inodes are not compared, since some file systems renumber files when they are mounted.
        """
        stamps = [pair for listing in self.listings.values() for pair in listing.notes.items()]
        sample = stamps[:: len(stamps) // SAMPLED + 1]
        same = sum(_is_same_file(stamp, self.stamp_now(path)) for path, stamp in sample)
        return 2 * same >= len(sample)

    def age_ns(self, path: str, stamp: Stamp, now: Moment) -> int:
        """Return the time since the note at ``path`` was last changed, at least 0."""
        return file_age_ns(stamp.changed_at_ns, self._first_seen_ns(path, stamp), now)

    def is_racy(self, path: str, stamp: Stamp, now: Moment) -> bool:
        """Return whether a note is so young that a later write may leave the same stamp."""
        return file_age_ns(stamp.modified_at_ns, self._first_seen_ns(path, stamp), now) < RACY_NS

    def _first_seen_ns(self, path: str, stamp: Stamp) -> int | None:
        """Return when a stamp in the future was first seen; ``None`` for other stamps."""
        listing = self.listings.get(parent_of(path))
        if listing is None or listing.notes.get(path) != stamp:
            return None
        return listing.first_seen_ns.get(path)

    def problems(self) -> list[Problem]:
        """Return the problems of the rules and of all folders, sorted by path."""
        troubled = [each.problems for each in self.listings.values() if each.problems]
        problems = [problem for each in troubled for problem in each.values()]
        return sorted([*self.rules.problems, *problems], key=lambda p: (p.path, p.code))

    def unreadable(self) -> set[str]:
        """Return the folders that could not be listed, as paths for ``look_at``: ``folder/.``."""
        return {f"{folder}/." for folder in self._unlisted}

    def is_out_of_reach(self, path: str) -> bool:
        """Return whether a folder on the way to ``path`` could not be listed."""
        while path and self._unlisted:
            path = parent_of(path)
            if path in self._unlisted:
                return True
        return False

    def _merge(
        self, listings: Listings, now: Moment, changes: FileChanges | None = None
    ) -> Difference:
        """Replace listings by new ones; add the differences to ``changes``, and return them all."""
        changes = changes or FileChanges()
        for folder in sorted(listings):  # parents before their subfolders
            listing = listings[folder]
            if not self._is_listed(folder):
                listing = None  # It was found by an old name: letter case made no difference.
            if isinstance(listing, Unreadable):
                self._add_unreadable(folder, listing)
                continue
            self._unlisted.discard(folder)
            before = self.listings.get(folder, FolderListing())
            after = listing or FolderListing()
            self._compare(before, after, changes, now)
            if before.subfolders != after.subfolders:
                self._identities = None
            if listing is None:
                self.listings.pop(folder, None)
            else:
                self.listings[folder] = listing
        return changes.difference()

    def _is_listed(self, folder: str) -> bool:
        """Return whether the folder that holds ``folder`` lists it by this name."""
        parent = self.listings.get(parent_of(folder))
        return not folder or (parent is not None and folder in parent.subfolders)

    def _compare(
        self, before: FolderListing, after: FolderListing, changes: FileChanges, now: Moment
    ) -> None:
        changes.compare(before, after, now)
        for lost in before.subfolders.keys() - after.subfolders.keys():
            self._forget(lost, changes)

    def _add_unreadable(self, folder: str, unreadable: Unreadable) -> None:
        message = f"folder cannot be listed: {unreadable.reason}"
        self._unlisted.add(folder)
        listing = self.listings.setdefault(folder, FolderListing())
        listing.problems[folder] = Problem(folder, "unreadable", None, message)

    def _forget(self, folder: str, changes: FileChanges) -> None:
        """Remove the listings of a folder and of all below it; their files are gone."""
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            self._unlisted.discard(folder)
            self._renewals.pop(folder, None)
            listing = self.listings.pop(folder, None)
            if listing is not None:
                self._identities = None
                changes.lose(listing.notes)
                changes.lose_others(listing.others)
                waiting += listing.subfolders


def _is_same_file(stamp: Stamp, now: Stamp | None) -> bool:
    if now is None:
        return False
    return (stamp.modified_at_ns, stamp.size_bytes) == (now.modified_at_ns, now.size_bytes)


def parent_of(path: str) -> str:
    """Return the folder that holds ``path``; ``""`` is the vault's root."""
    return path.rpartition("/")[0]
