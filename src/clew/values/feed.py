"""What the server and its indexer say to each other over their channel.

A whole revision comes as ``Opening``, its sealed chunks, and ``Published``; a small change as one
``Applying``. What follows an ``Opening`` belongs to the revision that is being opened, until it is
published; queries see the one before meanwhile. Messages are taken in the order they were sent, so
whoever hears ``Looked`` has already taken in what that look found.
"""

import struct
from collections.abc import Iterator
from typing import Generic, TypeVar

from msgspec import Struct

from clew.values.communities import Community
from clew.values.note import Problem
from clew.values.packing import Unpacker, pack
from clew.values.vault import Batch

FRAME_BYTES_MAX = 1024 * 1024 * 1024  # a single note of the largest size allowed, with room
# What a process that looks through an index says.
SAME = b"same\n"
OTHER = b"other\n"
DUMPED = b"dumped\n"

PROBLEMS_MAX = 10_000
_LENGTH = struct.Struct("!I")
_CHUNK = b"c"
_MESSAGE = b"m"

M = TypeVar("M")


class _Message(Struct, frozen=True, array_like=True, tag=True):
    """What all messages share."""


class Opening(_Message, frozen=True):
    """What follows is a whole revision, from nothing."""


class Applying(_Message, frozen=True):
    """A small change."""

    batch: Batch


class Published(_Message, frozen=True):
    """The revision that was opened is whole: queries may see it."""


class Dividing(_Message, frozen=True):
    """The communities that come next are of what was sent so far."""


class Divided(_Message, frozen=True):
    """All communities were sent, one by one, each as a ``Grouped``."""

    modularity: float


class Grouped(_Message, frozen=True):
    """One community."""

    community: Community


class Progress(_Message, frozen=True):
    """How many notes of the present round are read."""

    done: int
    total: int


class Parsing(_Message, frozen=True):
    """These notes are about to be parsed: if the indexer dies now, one of them did it."""

    notes: tuple[tuple[str, str], ...]  # path, content hash


class Report(_Message, frozen=True):
    """How the indexer is; sent when something of it changed."""

    degraded: dict[str, str]  # part -> reason
    problems: tuple[Problem, ...]  # of folders and files; those of notes come with the notes
    walked_at_s: float  # POSIX seconds of the last look at the whole vault
    walk_ms: float  # how long it took
    walks: int
    missed: int  # changes that no hint had told of, found by walking
    overflows: int  # times when hints were too many, or must have been lost
    watched_folders: int
    persist_failure: str | None  # why the state cannot be saved, if so
    saved_at_s: float  # POSIX seconds of the last save of a whole revision
    log_records: int  # changes saved since
    root_identity: tuple[int, int] | None  # device and inode of the vault's folder
    communities_due: bool  # those that were sent are of older edges, or none were
    vectors_due: bool  # some notes have none yet, or some of another model
    names_due: bool  # some concepts have none yet


class Looked(_Message, frozen=True):
    """The answer to ``Look``: every change made before it was asked has been sent."""

    ticket: int
    added: int
    modified: int
    removed: int
    took_ms: float
    failure: str | None  # why the vault could not be looked at


class Told(_Message, frozen=True):
    """The answer to ``AskRule`` or ``AskEdges``."""

    ticket: int
    rule: str | None = None
    edges: int = 0


FromIndexer = (
    Opening
    | Applying
    | Published
    | Dividing
    | Grouped
    | Divided
    | Progress
    | Parsing
    | Report
    | Looked
    | Told
)


class Start(_Message, frozen=True):
    """The first thing that an indexer is told; ``settings`` are packed by whoever knows them."""

    settings: bytes
    suspects: tuple[str, ...]  # notes among which is one that killed an indexer
    quarantined: tuple[str, ...]  # content hashes of notes not to be parsed


class Look(_Message, frozen=True):
    """Walk the whole vault; ``full`` to read every note again."""

    ticket: int
    full: bool


class AskRule(_Message, frozen=True):
    """Tell which rule leaves a note out."""

    ticket: int
    path: str


class AskEdges(_Message, frozen=True):
    """Tell how many edges the graph has."""

    ticket: int


ToIndexer = Start | Look | AskRule | AskEdges

unpack_from_indexer: Unpacker[FromIndexer] = Unpacker(FromIndexer)
unpack_to_indexer: Unpacker[ToIndexer] = Unpacker(ToIndexer)


def message_frame(message: object) -> bytes:
    """Return a message as it is sent."""
    return _frame(_MESSAGE, pack(message))


def chunk_frame(chunk: bytes) -> bytes:
    """Return a sealed chunk as it is sent."""
    return chunk_header(len(chunk)) + chunk


def chunk_header(length: int) -> bytes:
    """Return what is sent before a sealed chunk of so many bytes."""
    return _LENGTH.pack(length) + _CHUNK


def _frame(kind: bytes, payload: bytes) -> bytes:
    return _LENGTH.pack(len(payload)) + kind + payload


class FrameReader(Generic[M]):
    """Cuts bytes, however they arrive, into messages and chunks."""

    def __init__(self, unpack: Unpacker[M]) -> None:
        self._unpack = unpack
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[M | bytes]:
        """Yield what is whole by now: messages, and chunks as bytes.

        Raises:
            ValueError: the other side does not speak this protocol.
        """
        self._buffer += data
        while len(self._buffer) > _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > FRAME_BYTES_MAX:
                raise ValueError("a frame over its bound")
            end = _LENGTH.size + 1 + length
            if len(self._buffer) < end:
                return
            kind = self._buffer[_LENGTH.size : _LENGTH.size + 1]
            payload = bytes(memoryview(self._buffer)[_LENGTH.size + 1 : end])
            del self._buffer[:end]
            yield payload if kind == _CHUNK else self._unpack(payload)
