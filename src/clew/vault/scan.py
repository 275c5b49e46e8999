"""What stands in the vault's folders, by listing and stat alone: nothing is opened here.

Symbolic links are never followed; names that begin with a dot and ``node_modules`` are no part of
the vault.
"""

import os
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from clew.text.filename import NOTE_EXTENSIONS, extension_of, shown_name
from clew.values.note import Problem
from clew.values.vault import Stamp
from clew.vault.ignore import IgnoreRules, is_hidden
from clew.vault.read import stamp_of

FOLDERS_MAX = 200_000


@dataclass(slots=True)
class FolderListing:
    """What stands directly in one folder; all paths are relative to the vault, ``/``-separated."""

    notes: dict[str, Stamp] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)  # attachments, notes left out: links resolve
    ignored: dict[str, str] = field(default_factory=dict)  # notes left out -> the rule that does
    subfolders: dict[str, int] = field(default_factory=dict)  # path -> inode
    problems: dict[str, Problem] = field(default_factory=dict)  # by path
    # Steady times by note, of notes whose stamp is ahead of the wall clock.
    first_seen_ns: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.notes) + len(self.others) + len(self.subfolders)

    def only(self, paths: Iterable[str]) -> "FolderListing":
        """Return what this listing says of ``paths`` alone."""
        wanted = set(paths)
        return FolderListing(
            {path: self.notes[path] for path in wanted & self.notes.keys()},
            wanted & self.others,
            {path: self.ignored[path] for path in wanted & self.ignored.keys()},
            {path: self.subfolders[path] for path in wanted & self.subfolders.keys()},
            {path: self.problems[path] for path in wanted & self.problems.keys()},
            {path: self.first_seen_ns[path] for path in wanted & self.first_seen_ns.keys()},
        )

    def replace(self, paths: Iterable[str], news: "FolderListing") -> None:
        """Forget what was said of ``paths`` and take over what ``news`` says."""
        for path in paths:
            for known in (self.notes, self.ignored, self.subfolders, self.problems):
                known.pop(path, None)
            self.first_seen_ns.pop(path, None)
            self.others.discard(path)
        self.notes |= news.notes
        self.others |= news.others
        self.ignored |= news.ignored
        self.subfolders |= news.subfolders
        self.problems |= news.problems
        self.first_seen_ns |= news.first_seen_ns


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder that is there but could not be listed."""

    reason: str


Found = dict[str, FolderListing | Unreadable | None]


class _Entry(Protocol):
    """The part of ``os.DirEntry`` that is used."""

    def is_symlink(self) -> bool: ...
    def is_dir(self, *, follow_symlinks: bool) -> bool: ...
    def inode(self) -> int: ...
    def stat(self, *, follow_symlinks: bool) -> os.stat_result: ...


@dataclass(frozen=True, slots=True)
class _LoneEntry:
    """One name that was looked at by itself."""

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
    root: str, rules: IgnoreRules, folders: Collection[str], descend: Callable[[str, int], bool]
) -> Found:
    """List ``folders`` of the vault, and those below for whose path and inode ``descend`` is true.

    The value is ``None`` where no folder stands any more.

    Raises:
        OSError: the vault's root itself cannot be listed.
    """
    # What is found on the way down is no link; what is named may have become one since.
    found: Found = {folder: None for folder in folders if not is_folder(root, folder)}
    waiting = [folder for folder in folders if folder not in found]
    while waiting and len(found) < FOLDERS_MAX:
        folder = waiting.pop()
        try:
            listing = _list_folder(root, folder, rules)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            found[folder] = None
        except OSError as error:
            if not folder:
                raise
            found[folder] = Unreadable(error.strerror or str(error))
        else:
            found[folder] = listing
            waiting += [path for path, inode in listing.subfolders.items() if descend(path, inode)]
    return found


def is_folder(root: str, folder: str) -> bool:
    """Tell whether ``folder`` may stand in the vault, and is reached through no symbolic link.

    True as well where that cannot be told: whoever lists it finds out why.
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


def _list_folder(root: str, folder: str, rules: IgnoreRules) -> FolderListing:
    listing = FolderListing()
    prefix = f"{folder}/" if folder else ""
    with os.scandir(f"{root}/{folder}" if folder else root) as entries:
        for entry in entries:
            _enter(listing, prefix + entry.name, entry.name, entry, rules)
    return listing


def list_entries(root: str, paths: Iterable[str], rules: IgnoreRules) -> FolderListing:
    """Return what stands at ``paths``, all of one folder, without listing the folder.

    Raises:
        OSError: something is there that cannot be looked at.
    """
    listing = FolderListing()
    for path in paths:
        try:
            status = os.lstat(f"{root}/{path}")
        except (FileNotFoundError, NotADirectoryError, ValueError):
            continue  # gone, or below something that is no folder any more
        _enter(listing, path, path.rpartition("/")[2], _LoneEntry(status), rules)
    return listing


def _enter(listing: FolderListing, path: str, name: str, entry: _Entry, rules: IgnoreRules) -> None:
    if is_hidden(name):
        return
    if entry.is_symlink():
        listing.problems[path] = Problem(path, "symlink", None, "symbolic link: not followed")
    elif entry.is_dir(follow_symlinks=False):
        listing.subfolders[path] = entry.inode()
    elif extension_of(name) not in NOTE_EXTENSIONS:
        listing.others.add(path)
    elif rule := rules.rule_for(path):
        listing.ignored[path] = rule
        listing.others.add(path)
    else:
        _enter_note(listing, path, name, entry)


def _enter_note(listing: FolderListing, path: str, name: str, entry: _Entry) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return  # gone since it was listed
    if not stat.S_ISREG(status.st_mode):
        message = "not a regular file: never opened"
        listing.problems[path] = Problem(path, "notRegular", None, message)
        return
    if shown_name(name) != name:
        message = "the file's name is not valid UTF-8"
        listing.problems[path] = Problem(path, "nameUndecodable", None, message)
    listing.notes[path] = stamp_of(status)
