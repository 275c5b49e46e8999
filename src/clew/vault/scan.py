"""The truth about the vault: a stat walk, folder by folder, and what it changes.

Nothing is opened here. A folder that cannot be listed is a problem, and what was known below it
stays known: knowledge is never dropped because a folder was unreadable for a moment.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from clew.text.filename import NOTE_EXTENSIONS, extension_of, shown_name
from clew.values.note import Problem
from clew.values.vault import Difference, FolderListing, Stamp
from clew.vault.ignore import IgnoreRules, is_hidden
from clew.vault.read import stamp_of

FOLDERS_MAX = 200_000

# A second write this close to the first may leave the same stamp on coarse file systems.
RACY_NS = 2_000_000_000

Listings = dict[str, FolderListing]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder that is there but could not be listed."""

    reason: str


def scan(
    root: str, rules: IgnoreRules, folders: Iterable[str], descend: Callable[[str, int], bool]
) -> dict[str, FolderListing | Unreadable | None]:
    """List ``folders`` of the vault, and those below for whose path and inode ``descend`` is true.

    The value is ``None`` where no folder stands any more. Symbolic links are never followed; names
    that begin with a dot and ``node_modules`` are no part of the vault.

    Raises:
        OSError: the vault's root itself cannot be listed.
    """
    found: dict[str, FolderListing | Unreadable | None] = {}
    waiting = list(folders)
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


def _list_folder(root: str, folder: str, rules: IgnoreRules) -> FolderListing:
    prefix = f"{folder}/" if folder else ""
    notes: dict[str, Stamp] = {}
    others: set[str] = set()
    ignored: dict[str, str] = {}
    subfolders: dict[str, int] = {}
    problems: list[Problem] = []
    with os.scandir(f"{root}/{folder}" if folder else root) as entries:
        for entry in entries:
            name = entry.name
            if is_hidden(name):
                continue
            path = prefix + name
            if entry.is_symlink():
                problems.append(Problem(path, "symlink", None, "symbolic link: not followed"))
            elif entry.is_dir(follow_symlinks=False):
                subfolders[path] = entry.inode()
            elif extension_of(name) not in NOTE_EXTENSIONS:
                others.add(path)
            elif rule := rules.rule_for(path):
                ignored[path] = rule
                others.add(path)
            elif stamp := _note_stamp(entry, path, problems):
                notes[path] = stamp
    problems.sort(key=lambda problem: problem.path)
    return FolderListing(notes, frozenset(others), ignored, subfolders, tuple(problems))


def _note_stamp(entry: os.DirEntry[str], path: str, problems: list[Problem]) -> Stamp | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None  # gone since it was listed
    if not stat.S_ISREG(status.st_mode):
        message = "not a regular file: never opened"
        problems.append(Problem(path, "notRegular", None, message))
        return None
    if shown_name(entry.name) != entry.name:
        message = "the file's name is not valid UTF-8"
        problems.append(Problem(path, "nameUndecodable", None, message))
    return stamp_of(status)


@dataclass(slots=True)
class VaultView:
    """What is known of the vault's folders; each look brings it up to date and says what changed.

    ``rules`` may be replaced between looks; the next whole look applies them.
    """

    root: str
    rules: IgnoreRules
    listings: Listings = field(default_factory=dict)
    _recheck: set[str] = field(default_factory=set)

    def look(self, now_ns: int) -> Difference:
        """Walk the whole vault.

        Raises:
            OSError: the vault's root cannot be listed; nothing is changed then.
        """
        return self._merge(scan(self.root, self.rules, [""], lambda _, __: True), now_ns)

    def look_at(self, folders: Iterable[str], now_ns: int) -> Difference:
        """Walk ``folders`` alone, and any folder in them that is new or another than it was.

        Raises:
            OSError: the vault's root cannot be listed; nothing is changed then.
        """
        named = set(folders)
        found = scan(self.root, self.rules, named, self._is_new)
        lost = {folder for folder, listing in found.items() if listing is None}
        if parents := {parent_of(folder) for folder in lost} - named:
            found |= scan(self.root, self.rules, parents, self._is_new)
        return self._merge(found, now_ns)

    def _is_new(self, folder: str, inode: int) -> bool:
        """Tell whether a folder was never walked, or has been put in the place of one that was."""
        parent = self.listings.get(parent_of(folder), _NOTHING)
        return folder not in self.listings or parent.subfolders.get(folder) != inode

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that leaves the note at ``path`` out, if it stands and one does."""
        parts = path.split("/")
        is_left_out = any(map(is_hidden, parts)) and {"", ".", ".."}.isdisjoint(parts)
        if is_left_out and os.path.lexists(f"{self.root}/{path}"):
            return "names that begin with a dot and node_modules are no part of a vault"
        listing = self.listings.get(parent_of(path))
        return listing.ignored.get(path) if listing else None

    def inodes(self) -> dict[str, int]:
        """Return every known folder below the vault's own with its inode."""
        return {
            path: inode
            for listing in self.listings.values()
            for path, inode in listing.subfolders.items()
        }

    def size_bytes(self, path: str) -> int:
        """Return how large the note at ``path`` was when last seen, 0 if it was not."""
        listing = self.listings.get(parent_of(path))
        stamp = listing.notes.get(path) if listing else None
        return stamp.size_bytes if stamp else 0

    def problems(self) -> list[Problem]:
        """Return the problems met while walking, sorted by path."""
        found = [p for listing in self.listings.values() for p in listing.problems]
        return sorted([*self.rules.problems, *found], key=lambda p: (p.path, p.code))

    def _merge(
        self, found: Mapping[str, FolderListing | Unreadable | None], now_ns: int
    ) -> Difference:
        changed: set[str] = set()
        gone: set[str] = set()
        others_added: set[str] = set()
        others_gone: set[str] = set()
        recheck, self._recheck = self._recheck, set()
        for folder, listing in found.items():
            if isinstance(listing, Unreadable):
                self._keep_unreadable(folder, listing)
                continue
            before = self.listings.get(folder, _NOTHING)
            after = listing or _NOTHING
            for path, stamp in after.notes.items():
                if before.notes.get(path) != stamp or path in recheck:
                    changed.add(path)
                if stamp.modified_at_ns > now_ns - RACY_NS:
                    self._recheck.add(path)
            gone.update(before.notes.keys() - after.notes.keys())
            others_added |= after.others - before.others
            others_gone |= before.others - after.others
            for lost in before.subfolders.keys() - after.subfolders.keys():
                self._forget(lost, gone, others_gone)
            if listing is None:
                self.listings.pop(folder, None)
            else:
                self.listings[folder] = listing
        # A folder not walked this time keeps its notes to look at twice.
        self._recheck |= {p for p in recheck if parent_of(p) not in found} - gone
        # What moved from a note to an ignored note is both; one that came back is only there.
        return Difference(
            tuple(sorted(changed)),
            tuple(sorted(gone - changed)),
            tuple(sorted(others_added)),
            tuple(sorted(others_gone - others_added)),
        )

    def _keep_unreadable(self, folder: str, unreadable: Unreadable) -> None:
        message = f"folder cannot be listed: {unreadable.reason}"
        problem = Problem(folder, "unreadable", None, message)
        known = self.listings.get(folder, _NOTHING)
        others = tuple(p for p in known.problems if p.path != folder)
        self.listings[folder] = replace(known, problems=(problem, *others))

    def _forget(self, folder: str, gone: set[str], others_gone: set[str]) -> None:
        waiting = [folder]
        while waiting:
            listing = self.listings.pop(waiting.pop(), None)
            if listing is not None:
                gone.update(listing.notes)
                others_gone |= listing.others
                waiting += listing.subfolders


_NOTHING = FolderListing({}, frozenset(), {}, {}, ())


def parent_of(path: str) -> str:
    """Return the folder that holds ``path``, ``""`` for the vault itself."""
    return path.rpartition("/")[0]
