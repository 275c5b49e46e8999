"""Reading the slices of a large round in parser processes, in the order of the round.

Each parser gets slices ahead, so that it has work while the indexer applies a portion. Their number
and bytes are bounded, so that finished notes do not pile up in memory. The processes end with the
round.

Parsers have the lowest priority, so other programs that keep all cores busy leave them next to
nothing. Where a request waits, they are started at normal priority. If it comes later, and they
deliver nothing for a while, others take their place, since no process may raise its priority again.

If a parser ends by itself, one of its slices may have crashed it. Then the indexer parses all
remaining slices, and those of this parser note by note. It reports the notes that it parses, so a
note that crashes it too is quarantined. Parsers are not used again before the next start.
"""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from clew.engine.reading.file_slices import FileSlice, ReadingRules, SliceNotes
from clew.surface.children import module_command
from clew.surface.indexer.parallel.group import Member, MemberEnded, running_group
from clew.surface.indexer.parsing.parser import Parser

logger = logging.getLogger(__name__)

SLICES_AHEAD_MAX = 12  # per parser: work for the time in which a portion is applied and saved
BYTES_AHEAD_MAX = 8 * 1024 * 1024  # of notes; a parser with as many gets no further slice
# The indexer itself reads a smaller round, since starting a parser takes half a second of CPU.
ROUND_NOTES_MIN = 1_000
ROUND_BYTES_MIN = 4 * 1024 * 1024
WAIT_SECONDS = 0.1  # for a result, before the caller is let do other work
# A slice takes some tenths of a second. If it takes longer, and a request waits, others parse it.
STARVED_SECONDS = 1.0

PARSER_COMMAND = module_command("clew.surface.indexer.parsing")

_Ahead = deque[tuple[FileSlice, Parser | None]]  # in order; None: the indexer parses the slice
_Pairs = Generator[tuple[FileSlice, SliceNotes | None], None, None]


class _Starved(Exception):
    """A request waits, and parsers of the lowest priority deliver nothing."""


class ParserPool:
    """Reads the slices of large rounds ahead, with ``count`` parsers.

    ``is_awaited`` returns whether a request waits for the round.
    """

    def __init__(self, count: int, is_awaited: Callable[[], bool] = lambda: False) -> None:
        self._count = count
        self._is_awaited = is_awaited

    def read_ahead(self, rules: ReadingRules, slices: Iterator[FileSlice]) -> _Pairs:
        """Yield each slice with its notes; ``None`` in their place if the indexer must parse it.

        Yields empty slices while no notes are ready, so that the caller can do other work.
        """
        first, is_large = _slices_until_large(slices)
        slices = chain(first, slices)
        pending: _Ahead = deque()
        while is_large and self._count:
            try:
                yield from self._read_in_parsers(rules, slices, pending)
            except _Starved:
                logger.info("parsers are starved: others are started at normal priority")
                slices = chain([files for files, _ in pending], slices)
                pending = deque()
            except MemberEnded as ended:
                logger.warning("parser ended reason=%s: one process goes on", ended.reason)
                self._count = 0
                slices = chain(_unread_slices(pending, ended.member), slices)
            else:
                return
        for files in slices:
            yield files, None

    def _read_in_parsers(
        self, rules: ReadingRules, slices: Iterator[FileSlice], pending: _Ahead
    ) -> _Pairs:
        """Yield all slices with their notes; ``pending`` holds the slices sent and not yet yielded.

        Raises:
            MemberEnded: a parser ended by itself.
            _Starved: others should be started.
        """
        logger.info("starting parsers count=%d", self._count)
        command, is_urgent = (*PARSER_COMMAND, str(os.getpid())), self._is_awaited()
        with running_group(command, self._count, is_urgent=is_urgent) as members:
            parsers = [Parser(member, rules) for member in members]
            while _send_ahead(slices, pending, parsers):
                files, parser = pending[0]
                if parser is not None:
                    yield from self._until_parsed(files, parser, is_urgent=is_urgent)
                notes = parser.take() if parser is not None else None
                if len(pending) == 1:  # until now its bytes may have left no room for others
                    _send_ahead(slices, pending, parsers)
                is_last = len(pending) == 1
                pending.popleft()
                if is_last:
                    break
                yield files, notes
            else:
                return
        # The parsers end before the last slice is applied, as the last portion needs most memory.
        yield files, notes

    def _until_parsed(self, files: FileSlice, parser: Parser, *, is_urgent: bool) -> _Pairs:
        """Yield empty slices until the notes of ``files`` can be taken.

        Raises:
            _Starved: this takes too long.
        """
        began_s = time.monotonic()
        before = files.done - len(files.paths)
        while not parser.member.has_result(WAIT_SECONDS):
            is_slow = time.monotonic() - began_s > STARVED_SECONDS
            if is_slow and not is_urgent and self._is_awaited():
                raise _Starved
            yield FileSlice((), (), before, 0), SliceNotes()


def _slices_until_large(slices: Iterator[FileSlice]) -> tuple[list[FileSlice], bool]:
    """Take the first slices of a round until its size is clear; return them, and if it is large."""
    first: list[FileSlice] = []
    size_bytes = 0
    for files in slices:
        first.append(files)
        size_bytes += files.size_bytes
        if files.done >= ROUND_NOTES_MIN or size_bytes >= ROUND_BYTES_MIN:
            return first, True
    return first, False


def _send_ahead(
    slices: Iterator[FileSlice],
    pending: _Ahead,
    parsers: Sequence[Parser],
) -> bool:
    """Send slices until the parsers have enough; return whether any slice is not yielded yet.

    Raises:
        MemberEnded: a parser has ended.
    """
    while len(pending) < SLICES_AHEAD_MAX * len(parsers):
        parser = min(parsers, key=lambda parser: (parser.bytes_ahead, parser.slices_ahead))
        if parser.bytes_ahead >= BYTES_AHEAD_MAX:
            break
        files = next(slices, None)
        if files is None:
            break
        # The indexer itself parses suspects, since it reports each note before it parses it.
        pending.append((files, None if files.is_suspect else parser))
        if not files.is_suspect:
            parser.send(files)
    return bool(pending)


def _unread_slices(pending: _Ahead, suspected: Member | None) -> Iterator[FileSlice]:
    """Yield the unread slices; split the slices of the parser that ended into single notes."""
    for files, parser in pending:
        if parser is None or parser.member is not suspected:
            yield files
            continue
        for path, indexed_hash in zip(files.paths, files.indexed_hashes, strict=True):
            yield replace(files, paths=(path,), indexed_hashes=(indexed_hash,))
