"""The messages between the server and its indexer, and their frames on the socket pair.

The indexer sends a small change as one ``BatchApplied``. A whole revision is a file that both
processes map: ``RevisionStarted`` names it, and ``RevisionPublished`` lets queries see it. If it
cannot be saved, its bytes follow ``RevisionStarted`` in chunks. The messages between
``RevisionStarted`` and ``RevisionPublished`` belong to the new revision; until it is published,
queries see the earlier revision. Both sides take messages in the order in which they were sent, so
a server that receives a ``WalkReply`` has already applied every change that the walk found.
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from msgspec import Struct, field

from clew.values.communities import Community
from clew.values.note import Problem
from clew.values.packing import Unpacker, pack
from clew.values.vault import Batch

FRAME_BYTES_MAX = 1024 * 1024 * 1024  # holds one note of the largest size allowed
PROBLEMS_MAX = 10_000  # problems in one report
# The process that verifies or dumps the index prints one of these lines.
INDEX_SAME = b"same\n"
INDEX_DIFFERS = b"other\n"
INDEX_DUMPED = b"dumped\n"

_LENGTH = struct.Struct("!I")
_CHUNK = b"c"
_MESSAGE = b"m"

M = TypeVar("M")


class _Message(Struct, frozen=True, array_like=True, tag=True):
    """The base of all messages."""


class RevisionStarted(_Message, frozen=True):
    """A whole revision: a generation that is on disk, or ``size_bytes`` of chunks that follow."""

    generation: int | None
    size_bytes: int = 0


class BatchApplied(_Message, frozen=True):
    """The indexer applied a small change; the server applies it too."""

    batch: Batch
    is_replayed: bool = False  # from the log, so the server may have applied it before a restart


class RevisionPublished(_Message, frozen=True):
    """The new revision is complete, and queries may see it."""

    is_new: bool  # False: the same revision as before, from another file
    is_whole: bool = True  # False: a first walk is not finished, and some notes are still unread


class PartitionStarted(_Message, frozen=True):
    """The communities of the edges sent so far follow, one per message."""


class PartitionCommunity(_Message, frozen=True):
    """One community of the partition."""

    community: Community


class PartitionFinished(_Message, frozen=True):
    """All communities of the partition were sent."""

    modularity: float


class ApproximateIndexSaved(_Message, frozen=True):
    """The saved approximate index of vectors fits the revision sent last, and may be used."""


class ReadingProgress(_Message, frozen=True):
    """The number of notes read in the current round."""

    done: int
    total: int


class EditsSeen(_Message, frozen=True):
    """The contents of these notes changed; sent before the change itself."""

    edits_s: Mapping[str, float]  # path -> POSIX seconds
    # Path -> the file's date, for notes that changed while no indexer ran and have no other date.
    missed_s: Mapping[str, float] = field(default_factory=dict)


class ParsingStarted(_Message, frozen=True):
    """The indexer is about to parse these notes; if it dies now, one of them is to blame."""

    notes: tuple[tuple[str, str], ...]  # path, content hash


class IndexerReport(_Message, frozen=True):
    """The state of the indexer, sent when any of it changed."""

    degraded: dict[str, str]  # part -> reason
    vault_replaced: bool  # the vault is degraded because another folder is at its path
    vault_emptied: bool  # the vault is degraded because it was empty at the start
    problems: tuple[Problem, ...]  # of folders and files; notes carry their own problems
    walked_at_s: float  # POSIX seconds of the last walk over the whole vault
    walk_ms: float  # how long that walk took
    walks: int
    missed: int  # changes that a walk found although no hint named them
    overflows: int  # times when there were too many hints, or some may have been lost
    watched_folders: int
    persist_failure: str | None  # why the state cannot be saved
    saved_at_s: float  # POSIX seconds of the last save of a whole revision
    log_records: int  # changes logged since that save
    root_identity: tuple[int, int] | None  # device and inode of the vault's folder
    communities_due: bool  # the last communities sent are from older edges, or none were sent
    vectors_due: bool  # some notes have no vectors of the present model yet
    names_due: bool  # the names of some concepts have no vectors yet
    git_remark: str | None = None  # why dates from git are missing; None: none are missing
    code_due: bool = False  # some files below the roots of code are not read yet


class RenewalWanted(_Message, frozen=True):
    """The indexer has saved everything and ends now: the server must start the next at once."""


class WalkReply(_Message, frozen=True):
    """The reply to a ``WalkRequest``: the changes made before the request have been sent."""

    ticket: int
    added: int
    modified: int
    removed: int
    took_ms: float
    failure: str | None  # why the vault could not be walked


class IgnoreRuleReply(_Message, frozen=True):
    """The reply to an ``IgnoreRuleRequest``."""

    ticket: int
    rule: str | None  # None: no rule leaves the note out


class EdgeCountReply(_Message, frozen=True):
    """The reply to an ``EdgeCountRequest``."""

    ticket: int
    edge_count: int


Reply = WalkReply | IgnoreRuleReply | EdgeCountReply

FromIndexer = (
    RevisionStarted
    | BatchApplied
    | RevisionPublished
    | PartitionStarted
    | PartitionCommunity
    | PartitionFinished
    | ApproximateIndexSaved
    | ReadingProgress
    | EditsSeen
    | ParsingStarted
    | IndexerReport
    | RenewalWanted
    | Reply
)


class Start(_Message, frozen=True):
    """The first message to an indexer."""

    settings: bytes  # packed by ``surface``
    suspects: tuple[str, ...]  # paths of notes, one of which crashed an indexer
    quarantined: tuple[str, ...]  # content hashes of notes that must not be parsed
    may_renew: bool = False  # whether it may end with ``RenewalWanted``
    # The generation up to whose log the saved dates have followed renames; ``None`` if the server
    # has published a revision, so that it can compare the next one with it.
    followed_generation: int | None = None


class WalkRequest(_Message, frozen=True):
    """Asks the indexer to walk the whole vault, or to check only the notes at ``paths``."""

    ticket: int
    full: bool  # read every note again, changed or not
    paths: tuple[str, ...] = ()  # of notes; empty: the whole vault


class IgnoreRuleRequest(_Message, frozen=True):
    """Asks for the rule that leaves the note at ``path`` out of the index."""

    ticket: int
    path: str


class EdgeCountRequest(_Message, frozen=True):
    """Asks for the number of edges of the graph."""

    ticket: int


class GenerationMapped(_Message, frozen=True):
    """The server has mapped this generation."""

    generation: int


class GenerationSeen(_Message, frozen=True):
    """The server has published this generation, and saved dates of renamed notes; remove older."""

    generation: int


class ApproximateIndexRejected(_Message, frozen=True):
    """The server cannot use the file of the approximate index; another must be built."""

    reason: str


class SaveAgain(_Message, frozen=True):
    """Asks the indexer to save everything again, since the state folder was replaced."""


ToIndexer = (
    Start
    | WalkRequest
    | IgnoreRuleRequest
    | EdgeCountRequest
    | GenerationMapped
    | GenerationSeen
    | ApproximateIndexRejected
    | SaveAgain
)

unpack_from_indexer: Unpacker[FromIndexer] = Unpacker(FromIndexer)
unpack_to_indexer: Unpacker[ToIndexer] = Unpacker(ToIndexer)


def message_frame(message: object) -> bytes:
    """Return a message as a frame: length, kind, packed message."""
    return _frame(_MESSAGE, pack(message))


def chunk_frame(chunk: bytes) -> bytes:
    """Return a serialized chunk as a frame."""
    return _frame(_CHUNK, chunk)


def _frame(kind: bytes, payload: bytes) -> bytes:
    return _LENGTH.pack(len(payload)) + kind + payload


class FrameReader(Generic[M]):
    """Splits a byte stream into messages and chunks."""

    def __init__(self, unpack: Unpacker[M]) -> None:
        self._unpack = unpack
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[M | bytes]:
        """Add ``data``; yield the messages, and the chunks as bytes, that are complete.

        Raises:
            ValueError: the bytes are not frames of this protocol.
        """
        self._buffer += data
        while len(self._buffer) > _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > FRAME_BYTES_MAX:
                raise ValueError("a frame is too large")
            end = _LENGTH.size + 1 + length
            if len(self._buffer) < end:
                return
            kind = self._buffer[_LENGTH.size : _LENGTH.size + 1]
            payload = bytes(memoryview(self._buffer)[_LENGTH.size + 1 : end])
            del self._buffer[:end]
            yield payload if kind == _CHUNK else self._unpack(payload)
