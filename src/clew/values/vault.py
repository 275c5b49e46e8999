"""What a look at the vault's folder gives: stamps, listings, and what changed since the last."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct, field

from clew.values.note import Note, Problem
from clew.values.note_words import Vectors, Words

MAX_NOTE_BYTES = 2 * 1024 * 1024  # a larger note is indexed by name alone


class Moment(NamedTuple):
    """One moment, read from two clocks.

    Stamps are compared with the wall clock; waiting is measured by the steady clock, which nobody
    sets.
    """

    wall_ns: int  # since the epoch
    steady_ns: int  # since some moment in the past


class Stamp(Struct, frozen=True, array_like=True, gc=False):
    """What tells two versions of a file apart without reading it."""

    modified_at_ns: int
    changed_at_ns: int  # inode change: a write that keeps size and mtime still moves it
    size_bytes: int
    inode: int


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
    """Changes that become one revision together.

    The words of a note are counted where it was parsed; of notes that come without, the engine
    counts them.
    """

    put: tuple[ReadNote, ...] = ()
    dropped: tuple[str, ...] = ()
    others_put: tuple[str, ...] = ()
    others_dropped: tuple[str, ...] = ()
    rules: ConceptRules | None = None  # the new rules, when they changed
    reads_s: Mapping[str, float] = field(default_factory=dict)  # path -> POSIX seconds
    words: Mapping[str, Words] = field(default_factory=dict)  # of notes in ``put``, by path
    vectors: Vectors | None = None  # of notes in ``put``, or of such as are known
