"""Values that describe files of the vault and how they changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct, field

from clew.values.code.code_file import CodeFile
from clew.values.note import Note, Problem
from clew.values.note_words import Vectors, Words

MAX_NOTE_BYTES = 2 * 1024 * 1024  # a larger note is indexed by its name alone


class Moment(NamedTuple):
    """One moment, read from two clocks.

    Stamps are compared with the wall clock; waiting is measured by the steady clock, which is never
    set.
    """

    wall_ns: int  # since the epoch
    steady_ns: int  # since an unknown moment in the past


class Stamp(Struct, frozen=True, array_like=True, gc=False):
    """File metadata that shows whether a file changed, so that it need not be read to find out."""

    modified_at_ns: int
    changed_at_ns: int  # ctime: changes even on a write that keeps size and mtime
    size_bytes: int
    inode: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The paths that changed since the last walk; every tuple is sorted."""

    changed: tuple[str, ...]  # notes to read: new, or with another stamp than before
    gone: tuple[str, ...]  # deleted notes
    others_added: tuple[str, ...]  # files that are not indexed notes
    others_gone: tuple[str, ...]


class ReadNote(Struct, frozen=True, array_like=True, gc=False):
    """A note, the stamp of the file when it was read, and the code in it."""

    note: Note
    stamp: Stamp
    is_racy: bool = False  # read so soon after a write that a later write may keep the stamp
    # The code of its fenced blocks, only in batches: the code index stores that of indexed notes.
    code: tuple[CodeFile, ...] = ()


class ReadCode(Struct, frozen=True, array_like=True, gc=False):
    """A file of code below a root that the config names."""

    path: str  # the name of the root, and the path below it
    stamp: Stamp | None  # ``None``: it cannot be read
    file: CodeFile | None  # ``None``: it cannot be parsed
    problem: Problem | None = None


class ConceptRules(Struct, frozen=True, array_like=True):
    """The rules of the vault's ``.clew/concepts.toml``, with normalized names."""

    ignored: frozenset[str] = frozenset()
    merged: Mapping[str, str] = field(default_factory=dict)  # variant -> concept it is merged into
    problems: tuple[Problem, ...] = ()
    digest: str = ""  # sha256 hex of the file, "" if it does not exist


class DailyNotes(Struct, frozen=True, array_like=True):
    """The format in which Obsidian names the vault's daily notes, if the vault has its own."""

    format: str = ""  # "" for none, or one that cannot be read
    problems: tuple[Problem, ...] = ()
    digest: str = ""  # sha256 hex of the file, "" if it does not exist


class FieldTest(Struct, frozen=True, array_like=True, tag="test"):
    """A test of one field of a request."""

    field: str
    op: str
    value: str | float | bool | tuple[str | float | bool, ...] | None


class Group(Struct, frozen=True, array_like=True, tag="group"):
    """Whether all, or any, of the last ``count`` results hold."""

    is_all: bool
    count: int


class Action(Struct, frozen=True, array_like=True):
    """The action of a rule; which fields are set depends on the kind."""

    kind: str  # include, exclude, cap or setPriority
    ref: str | None = None
    section: str | None = None
    source: str | None = None
    tokens: int | None = None
    value: str | None = None


class Rule(Struct, frozen=True, array_like=True):
    """One rule of the vault's ``.clew/rules``."""

    name: str
    path: str
    line: int  # where it begins, from 1
    condition: tuple[FieldTest | Group, ...]  # in postfix order: each group after its members
    action: Action


class Step(Struct, frozen=True, array_like=True):
    """One step of a pipeline; which fields are set depends on the kind."""

    kind: str
    options: Mapping[str, str | float | tuple[str, ...]] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """Return an option that is a text."""
        value = self.options.get(name, default)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: float) -> float:
        """Return an option that is a number."""
        value = self.options.get(name, default)
        return value if isinstance(value, int | float) else default

    def texts(self, name: str) -> tuple[str, ...]:
        """Return an option that is a list of texts."""
        value = self.options.get(name, ())
        return tuple(value) if isinstance(value, tuple | list) else ()


class Pipeline(Struct, frozen=True, array_like=True):
    """A pipeline of the vault's ``.clew/pipelines``: steps that fill a section."""

    id: str
    path: str
    line: int  # where it begins, from 1
    section: str
    steps: tuple[Step, ...]
    enabled: bool = True
    max_tokens: int | None = None


class RuleFiles(Struct, frozen=True, array_like=True):
    """The rules and pipelines of the vault's ``.clew``, in the order of their files."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()
    digest: str = ""  # sha256 hex of names and contents, "" if there is no file
    pipelines: tuple[Pipeline, ...] = ()


class CommitDates(Struct, frozen=True, array_like=True, gc=False):
    """The author dates of the commits of one file; POSIX seconds.

    They hold while the file has the content of the last commit.
    """

    first_s: float | None  # ``None``: before the start of the history that the repository has
    last_s: float
    content_hash: str  # sha256 hex of the content of the last commit


class NoteEvents(Struct, frozen=True, array_like=True):
    """The dates of events that no file records, by path; POSIX seconds."""

    reads_s: Mapping[str, float] = field(default_factory=dict)  # the last explicit read
    edits_s: Mapping[str, float] = field(default_factory=dict)  # the last edit that was seen
    left: tuple[str, ...] = ()  # paths that renamed notes left, which have no dates any more
    # The dates of reads, and of edits, are those after this position of the log; see
    # ``engine/note_dates.py``.
    followed: tuple[float, float] = (0.0, 0.0)


NO_EVENTS = NoteEvents()


class FoundNames(Struct, frozen=True, array_like=True):
    """The names that one engine found in indexes and texts after applying a batch.

    Another engine with the same notes would find the same, so it uses this and does not search.
    """

    held: Mapping[str, tuple[str, ...]]  # path in ``put`` -> rare names in its text, sorted
    # Path of another note -> names in its text that now mean another note or became rare.
    gained: Mapping[str, tuple[str, ...]]
    # Limit -> sorted words whose number of passages crossed that limit because of the batch.
    crossing: Mapping[int, tuple[str, ...]]


class Batch(Struct, frozen=True, array_like=True):
    """Changes that are applied together and make one revision.

    The process that parses a note counts its words; if ``words`` lacks a note, the engine counts
    its words.
    """

    put: tuple[ReadNote, ...] = ()
    dropped: tuple[str, ...] = ()
    others_put: tuple[str, ...] = ()
    others_dropped: tuple[str, ...] = ()
    rules: ConceptRules | None = None  # the new rules, if they changed
    daily_notes: DailyNotes | None = None  # the new format, if its file changed
    rule_files: RuleFiles | None = None  # the new rules, if a file of them changed
    reads_s: Mapping[str, float] = field(default_factory=dict)  # path -> when read, POSIX seconds
    edits_s: Mapping[str, float] = field(default_factory=dict)  # path -> when seen to change
    words: Mapping[str, Words] = field(default_factory=dict)  # path in ``put`` -> its words
    vectors: Vectors | None = None  # of notes in ``put`` or of notes indexed earlier
    # Path -> the new dates of its commits; ``None``: it has none any more.
    commits: Mapping[str, CommitDates | None] = field(default_factory=dict)
    puts_mentions_off: bool = False  # more notes of the first index follow
    code: tuple[ReadCode, ...] = ()  # files below roots of code, new or changed
    code_dropped: tuple[str, ...] = ()
    found_names: FoundNames | None = None  # ``None``: the engine that applies it searches the texts


def changes_content(batch: Batch) -> bool:
    """Return whether ``batch`` changes notes, other files or settings of the vault."""
    notes = (batch.put, batch.dropped, batch.others_put, batch.others_dropped)
    files = (*notes, batch.code, batch.code_dropped)
    settings = (batch.rules, batch.daily_notes, batch.rule_files)
    return any(files) or any(one is not None for one in settings)


def is_of_reads(batch: Batch) -> bool:
    """Return whether ``batch`` changes only read dates."""
    return batch == Batch(reads_s=batch.reads_s)
