"""Listing the vault's folders: their notes, other files and subfolders, by readdir and stat alone.

No file is opened here, and no symbolic link is followed. Names that begin with a dot, and
``node_modules``, are skipped.
"""

import os
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from clew.text.concept import fold_name
from clew.text.filename import shown_name
from clew.values.note import Problem
from clew.values.vault import Stamp
from clew.vault.ignore import is_hidden
from clew.vault.read import stamp_of

FOLDERS_MAX = 200_000


@dataclass(slots=True)
class FolderListing:
    """The entries of one folder; paths are relative to the vault, separated by ``/``."""

    notes: dict[str, Stamp] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)  # attachments and ignored notes, for links
    ignored: dict[str, str] = field(default_factory=dict)  # ignored note -> rule that ignores it
    subfolders: dict[str, int] = field(default_factory=dict)  # path -> inode
    problems: dict[str, Problem] = field(default_factory=dict)  # by path
    # Steady time at which a stamp in the future was first seen, by note.
    first_seen_ns: dict[str, int] = field(default_factory=dict)
    recheck: set[str] = field(default_factory=set)  # notes whose stamp cannot be trusted

    def __len__(self) -> int:
        return len(self.notes) + len(self.others) + len(self.subfolders)

    def paths(self) -> set[str]:
        """Return the paths of the notes, other files and subfolders."""
        return {*self.notes, *self.others, *self.subfolders}

    def has_in_other_spelling(self, paths: Collection[str]) -> bool:
        """Return whether one of ``paths`` equals an entry, or another of ``paths``, but for case.

        The entries must not contain any of ``paths``.
        """
        wanted = set(map(fold_name, paths))
        entries = chain(self.notes, self.others, self.subfolders)
        is_twice = len(wanted) < len(paths)
        return is_twice or (bool(wanted) and any(fold_name(path) in wanted for path in entries))

    def restricted_to(self, paths: Iterable[str]) -> "FolderListing":
        """Return a listing with only the entries at ``paths``."""
        wanted = set(paths)
        return FolderListing(
            {path: self.notes[path] for path in wanted & self.notes.keys()},
            wanted & self.others,
            {path: self.ignored[path] for path in wanted & self.ignored.keys()},
            {path: self.subfolders[path] for path in wanted & self.subfolders.keys()},
            {path: self.problems[path] for path in wanted & self.problems.keys()},
            {path: self.first_seen_ns[path] for path in wanted & self.first_seen_ns.keys()},
            wanted & self.recheck,
        )

    def replace(self, paths: Iterable[str], listing: "FolderListing") -> None:
        """Remove the entries of ``paths``, then add those of ``listing``."""
        by_path = (self.notes, self.ignored, self.subfolders, self.problems, self.first_seen_ns)
        for path in paths:
            for entries in by_path:
                entries.pop(path, None)
            self.others.discard(path)
            self.recheck.discard(path)
        self.notes |= listing.notes
        self.others |= listing.others
        self.ignored |= listing.ignored
        self.subfolders |= listing.subfolders
        self.problems |= listing.problems
        self.first_seen_ns |= listing.first_seen_ns
        self.recheck |= listing.recheck


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder that exists but could not be listed."""

    reason: str


Listings = dict[str, FolderListing | Unreadable | None]  # by folder; ``None``: it does not exist


class Rules(Protocol):
    """Selects the files to read: notes (``ignore``) or code (``code_rules``)."""

    @property
    def keeps_others(self) -> bool:
        """Whether files that are not read are listed too."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the rules themselves."""

    def is_wanted(self, name: str, /) -> bool:
        """Return whether files of this name are read."""

    def skips(self, folder: str, /) -> bool:
        """Return whether a folder is left out with everything below it."""

    def rule_for(self, path: str, /) -> str | None:
        """Return the rule that ignores a file."""


class _Entry(Protocol):
    """The methods of ``os.DirEntry`` that are used here."""

    def is_symlink(self) -> bool: ...
    def is_dir(self, *, follow_symlinks: bool) -> bool: ...
    def inode(self) -> int: ...
    def stat(self, *, follow_symlinks: bool) -> os.stat_result: ...


@dataclass(frozen=True, slots=True)
class _StatEntry:
    """The entry of a single path, made from its status."""

    status: os.stat_result

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self.status.st_mode)

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        assert not follow_symlinks
        return stat.S_ISDIR(self.status.st_mode)

    def inode(self) -> int:
        return self.status.st_ino

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        assert not follow_symlinks
        return self.status


def scan(
    root: str, rules: Rules, folders: Collection[str], descend: Callable[[str, int], bool]
) -> Listings:
    """List ``folders``, and the subfolders for whose path and inode ``descend`` returns true.

    Raises:
        OSError: the vault's root cannot be listed.
    """
    # A folder in ``folders`` may have become a symbolic link; subfolders are checked when listed.
    listings: Listings = {folder: None for folder in folders if not is_folder(root, folder)}
    waiting = [folder for folder in folders if folder not in listings]
    while waiting and len(listings) < FOLDERS_MAX:
        folder = waiting.pop()
        try:
            listing = _list_folder(root, folder, rules)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            listings[folder] = None
        except OSError as error:
            if not folder:
                raise
            listings[folder] = Unreadable(error.strerror or str(error))
        else:
            listings[folder] = listing
            waiting += [path for path, inode in listing.subfolders.items() if descend(path, inode)]
    return listings


def is_folder(root: str, folder: str) -> bool:
    """Return whether ``folder`` is a folder that no symbolic link leads to.

    Also true if stat fails although the folder may exist: listing it then raises the error.
    """
    path = root
    for name in folder.split("/") if folder else ():
        path = f"{path}/{name}"
        try:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                return False
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False
        except OSError:
            return True
    return True


def _list_folder(root: str, folder: str, rules: Rules) -> FolderListing:
    listing = FolderListing()
    prefix = f"{folder}/" if folder else ""
    with os.scandir(f"{root}/{folder}" if folder else root) as entries:
        for entry in entries:
            _add_entry(listing, prefix + entry.name, entry.name, entry, rules)
    return listing


def list_entries(root: str, paths: Iterable[str], rules: Rules) -> FolderListing:
    """Return the entries at ``paths``, all of one folder, without listing the folder.

    Raises:
        OSError: a path exists but stat fails.
    """
    listing = FolderListing()
    for path in paths:
        try:
            status = os.lstat(f"{root}/{path}")
        except (FileNotFoundError, NotADirectoryError, ValueError):
            continue  # It is gone, or its folder is.
        _add_entry(listing, path, path.rpartition("/")[2], _StatEntry(status), rules)
    return listing


def is_gone(root: str, path: str, rules: Rules) -> bool:
    """Return whether there certainly is no note at ``path``."""
    if not is_folder(root, path.rpartition("/")[0]):
        return True
    try:
        return path not in list_entries(root, [path], rules).notes
    except OSError:
        return False


def _add_entry(listing: FolderListing, path: str, name: str, entry: _Entry, rules: Rules) -> None:
    if is_hidden(name):
        return
    if entry.is_symlink():
        if not rules.keeps_others:
            return
        listing.problems[path] = Problem(path, "symlink", None, "symbolic link: not followed")
    elif entry.is_dir(follow_symlinks=False):
        if not rules.skips(path):
            listing.subfolders[path] = entry.inode()
    elif not rules.is_wanted(name):
        if rules.keeps_others:
            listing.others.add(path)
    elif rule := rules.rule_for(path):
        if rules.keeps_others:
            listing.ignored[path] = rule
            listing.others.add(path)
    else:
        _add_note(listing, path, name, entry)


def _add_note(listing: FolderListing, path: str, name: str, entry: _Entry) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return  # It was removed after the folder was listed.
    if not stat.S_ISREG(status.st_mode):
        message = "not a regular file: never opened"
        listing.problems[path] = Problem(path, "notRegular", None, message)
        return
    if shown_name(name) != name:
        message = "the file's name is not valid UTF-8"
        listing.problems[path] = Problem(path, "nameUndecodable", None, message)
    listing.notes[path] = stamp_of(status)
