"""What is known of the vault's folders, and what each look at them changes.

The age of a file is told by its stamp and the wall clock. A stamp ahead of that clock (the clock
was set back, or the files are on a server whose clock is ahead) tells no age; such a file is as old
as the time since its stamp was first seen.

A folder that cannot be listed is a problem, and what was known below it stays known: knowledge is
never dropped because a folder was unreadable for a moment.
"""

import os
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from clew.values.note import Problem
from clew.values.vault import Difference, Moment, Stamp
from clew.vault.ignore import IgnoreRules, is_hidden
from clew.vault.scan import FolderListing, Found, Unreadable, is_folder, list_entries, scan

# A second write this close to the first may leave the same stamp on coarse file systems.
RACY_NS = 2_000_000_000

# Listing a folder costs some 8 us an entry; in a larger one only the names heard of are looked at.
LISTED_WHOLE_MAX = 500


@dataclass(slots=True)
class _Changes:
    """What a look has found so far."""

    changed: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    others_added: set[str] = field(default_factory=set)
    others_gone: set[str] = field(default_factory=set)

    def difference(self) -> Difference:
        # What moved from a note to an ignored note is both; one that came back is only there.
        return Difference(
            tuple(sorted(self.changed)),
            tuple(sorted(self.gone - self.changed)),
            tuple(sorted(self.others_added)),
            tuple(sorted(self.others_gone - self.others_added)),
        )


@dataclass(slots=True)
class VaultView:
    """What is known of the vault's folders; each look brings it up to date and says what changed.

    ``rules`` may be replaced between looks; the next whole look applies them.
    """

    root: str
    rules: IgnoreRules
    listings: dict[str, FolderListing] = field(default_factory=dict)
    _unlisted: set[str] = field(default_factory=set)  # folders that could not be listed
    _renewals: dict[str, int] = field(default_factory=dict)  # by folder
    _recheck: set[str] = field(default_factory=set)  # notes whose stamp is not to be trusted

    def restore(self, notes: Mapping[str, Stamp], others: Iterable[str]) -> None:
        """Take over what was known in an earlier life; the next look must be a whole one."""
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
        return listing

    def look(self, now: Moment) -> Difference:
        """Walk the whole vault.

        Raises:
            OSError: the vault's root cannot be listed; nothing is changed then.
        """
        return self._merge(scan(self.root, self.rules, [""], lambda _, __: True), now)

    def look_at(
        self, paths: Iterable[str], now: Moment, again: AbstractSet[str] = frozenset()
    ) -> Difference:
        """Look at ``paths`` and, unless it is large, at the whole folder that holds each.

        A path that ends in ``/.`` asks for that folder as a whole, whatever its size. A folder
        heard of by its own name may have been made anew, unless it is among ``again``: paths that
        were looked at before and of which nothing was heard since.

        Raises:
            OSError: the vault's root cannot be listed; nothing is changed then.
        """
        whole: set[str] = set()
        deep: set[str] = set()
        lone: dict[str, set[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if any(map(is_hidden, folder.split("/"))) or (name != "." and is_hidden(name)):
                continue
            if path in self.listings and path not in again:
                deep.add(path)  # it may be another folder now, even with the same inode
                self._renewals[path] = self._renewals.get(path, 0) + 1
            known = self.listings.get(folder)
            if known is None or len(known) <= LISTED_WHOLE_MAX or name == ".":
                whole.add(folder)
            else:
                lone.setdefault(folder, set()).add(path)
        changes = _Changes()
        for folder in lone.keys() - whole:
            self._look_at_entries(folder, lone[folder], whole, changes, now)
        return self._merge(self._scan(whole | deep, deep), now, changes)

    def _look_at_entries(
        self, folder: str, paths: set[str], whole: set[str], changes: _Changes, now: Moment
    ) -> None:
        """Look at ``paths`` of one folder alone; folders that need a walk go to ``whole``."""
        known = self.listings.get(folder)
        if known is None or not is_folder(self.root, folder):
            whole.add(folder)
            return
        try:
            news = list_entries(self.root, paths, self.rules)
        except OSError:
            whole.add(folder)  # whether it is the folder or what is in it, its listing will tell
            return
        whole.update(path for path, inode in news.subfolders.items() if self._is_new(path, inode))
        self._compare(known.only(paths), news, changes, now)
        known.replace(paths, news)

    def recheck(self, path: str) -> None:
        """Let the next look that comes by report ``path`` as changed, whatever its stamp."""
        self._recheck.add(path)

    def _scan(self, named: set[str], deep: AbstractSet[str] = frozenset()) -> Found:
        """List ``named`` folders and new ones in them; all that is below those of ``deep``."""
        below = set(deep)

        def descend(path: str, inode: int) -> bool:
            if parent_of(path) in below:
                below.add(path)
                return True
            return self._is_new(path, inode)

        found: Found = {}
        while named:
            found |= scan(self.root, self.rules, named, descend)
            lost = {folder for folder, listing in found.items() if listing is None}
            named = {parent_of(folder) for folder in lost} - found.keys()
        return found

    def _is_new(self, folder: str, inode: int) -> bool:
        """Tell whether a folder was never walked, or has been put in the place of one that was."""
        parent = self.listings.get(parent_of(folder))
        known = parent.subfolders.get(folder) if parent else None
        return folder not in self.listings or known != inode

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that leaves the note at ``path`` out, if it stands and one does."""
        parts = path.split("/")
        is_left_out = any(map(is_hidden, parts)) and {"", ".", ".."}.isdisjoint(parts)
        if is_left_out and os.path.lexists(f"{self.root}/{path}"):
            return "names that begin with a dot and node_modules are no part of a vault"
        listing = self.listings.get(parent_of(path))
        return listing.ignored.get(path) if listing else None

    def identities(self) -> dict[str, tuple[int, int]]:
        """Return every known folder below the vault's own: its inode, and how often it was renewed.

        A folder made anew may have the inode of the one before; what was heard of it is counted.
        """
        renewals = self._renewals
        return {
            path: (inode, renewals.get(path, 0))
            for listing in self.listings.values()
            for path, inode in listing.subfolders.items()
        }

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of the note at ``path`` as last seen."""
        listing = self.listings.get(parent_of(path))
        return listing.notes.get(path) if listing else None

    def age_ns(self, path: str, stamp: Stamp, now: Moment) -> int:
        """Return how long ago the note at ``path`` was last changed, never below zero."""
        return _age_ns(stamp.changed_at_ns, self._first_seen_ns(path, stamp), now)

    def is_racy(self, path: str, stamp: Stamp, now: Moment) -> bool:
        """Tell whether a note was written so recently that its stamp proves little."""
        return _age_ns(stamp.modified_at_ns, self._first_seen_ns(path, stamp), now) < RACY_NS

    def _first_seen_ns(self, path: str, stamp: Stamp) -> int | None:
        """Return when a stamp ahead of the wall clock was first seen; ``None`` for any other."""
        listing = self.listings.get(parent_of(path))
        if listing is None or listing.notes.get(path) != stamp:
            return None
        return listing.first_seen_ns.get(path)

    def problems(self) -> list[Problem]:
        """Return the problems met while walking, sorted by path."""
        found = [p for listing in self.listings.values() for p in listing.problems.values()]
        return sorted([*self.rules.problems, *found], key=lambda p: (p.path, p.code))

    def unreadable(self) -> set[str]:
        """Return the folders that could not be listed, each with ``/.`` at its end."""
        return {f"{folder}/." for folder in self._unlisted}

    def _merge(self, found: Found, now: Moment, changes: _Changes | None = None) -> Difference:
        changes = changes or _Changes()
        for folder, listing in found.items():
            if isinstance(listing, Unreadable):
                self._keep_unreadable(folder, listing)
                continue
            self._unlisted.discard(folder)
            before = self.listings.get(folder, FolderListing())
            after = listing or FolderListing()
            self._compare(before, after, changes, now)
            if listing is None:
                self.listings.pop(folder, None)
            else:
                self.listings[folder] = listing
        difference = changes.difference()
        self._recheck.difference_update(difference.gone)
        return difference

    def _compare(
        self, before: FolderListing, after: FolderListing, changes: _Changes, now: Moment
    ) -> None:
        for path, stamp in after.notes.items():
            is_known = before.notes.get(path) == stamp
            if max(stamp.modified_at_ns, stamp.changed_at_ns) > now.wall_ns:
                seen_ns = before.first_seen_ns.get(path) if is_known else None
                after.first_seen_ns[path] = now.steady_ns if seen_ns is None else seen_ns
            elif path in before.first_seen_ns:
                # A write at the time that the clock has reached leaves the same stamp once more.
                is_known = False
            if not is_known or path in self._recheck:
                changes.changed.add(path)
                self._recheck.discard(path)
            if _age_ns(stamp.modified_at_ns, after.first_seen_ns.get(path), now) < RACY_NS:
                self._recheck.add(path)
        changes.gone.update(before.notes.keys() - after.notes.keys())
        changes.others_added |= after.others - before.others
        changes.others_gone |= before.others - after.others
        for lost in before.subfolders.keys() - after.subfolders.keys():
            self._forget(lost, changes)

    def _keep_unreadable(self, folder: str, unreadable: Unreadable) -> None:
        message = f"folder cannot be listed: {unreadable.reason}"
        self._unlisted.add(folder)
        known = self.listings.setdefault(folder, FolderListing())
        known.problems[folder] = Problem(folder, "unreadable", None, message)

    def _forget(self, folder: str, changes: _Changes) -> None:
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            self._unlisted.discard(folder)
            self._renewals.pop(folder, None)
            listing = self.listings.pop(folder, None)
            if listing is not None:
                changes.gone.update(listing.notes)
                changes.others_gone |= listing.others
                waiting += listing.subfolders


def _age_ns(written_at_ns: int, first_seen_ns: int | None, now: Moment) -> int:
    if first_seen_ns is not None:
        return now.steady_ns - first_seen_ns
    return max(0, now.wall_ns - written_at_ns)


def parent_of(path: str) -> str:
    """Return the folder that holds ``path``, ``""`` for the vault itself."""
    return path.rpartition("/")[0]
