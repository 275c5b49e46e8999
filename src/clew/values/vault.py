"""What a look at the vault's folder gives: stamps, listings, and what changed since the last."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import Struct, field

from clew.values.note import Note, Problem


class Stamp(Struct, frozen=True, array_like=True, gc=False):
    """What tells two versions of a file apart without reading it."""

    modified_at_ns: int
    changed_at_ns: int  # inode change: a write that keeps size and mtime still moves it
    size_bytes: int
    inode: int


@dataclass(frozen=True, slots=True)
class FolderListing:
    """What stands directly in one folder; all paths are relative to the vault, ``/``-separated."""

    notes: Mapping[str, Stamp]
    others: frozenset[str]  # attachments and notes left out: links to them still resolve
    ignored: Mapping[str, str]  # notes left out -> the rule that leaves them out
    subfolders: Mapping[str, int]  # path -> inode
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a look found changed; every tuple is sorted."""

    changed: tuple[str, ...]  # notes to read: new, or with another stamp
    gone: tuple[str, ...]
    others_added: tuple[str, ...]
    others_gone: tuple[str, ...]


class ReadNote(Struct, frozen=True, array_like=True, gc=False):
    """One note with the stamp it was read at."""

    note: Note
    stamp: Stamp
    is_racy: bool = False  # so young when read that a later write may have left the same stamp


class ConceptRules(Struct, frozen=True, array_like=True):
    """What the vault's own ``.clew/concepts.toml`` says, in normalized names."""

    ignored: frozenset[str] = frozenset()
    merged: Mapping[str, str] = field(default_factory=dict)  # variant -> canonical
    problems: tuple[Problem, ...] = ()
    digest: str = ""  # sha256 hex of the file, "" when there is none


class Batch(Struct, frozen=True, array_like=True):
    """Changes that become one revision together."""

    put: tuple[ReadNote, ...] = ()
    dropped: tuple[str, ...] = ()
    others_put: tuple[str, ...] = ()
    others_dropped: tuple[str, ...] = ()
    rules: ConceptRules | None = None  # the new rules, when they changed
    reads_s: Mapping[str, float] = field(default_factory=dict)  # path -> POSIX seconds
