"""The indexer's side of a parser process, and the messages to it."""

from collections import deque

from clew.engine.reading.file_slices import FileSlice, ReadingRules, SliceNotes
from clew.surface.indexer.parallel.group import Member
from clew.values.packing import Unpacker

unpack_to_parser: Unpacker[object] = Unpacker(ReadingRules | FileSlice)
_unpack_notes: Unpacker[SliceNotes] = Unpacker(SliceNotes)


class Parser:
    """A process that parses the slices sent to it, in their order."""

    def __init__(self, member: Member, rules: ReadingRules) -> None:
        """Send the rules for reading, before any slice.

        Raises:
            MemberEnded: the process has ended.
        """
        self.member = member
        self._sizes: deque[int] = deque()  # bytes of each slice that was sent and not yet taken
        self.bytes_ahead = 0  # the sum of ``_sizes``
        member.send(rules)

    @property
    def slices_ahead(self) -> int:
        """The number of slices that were sent and not yet taken."""
        return len(self._sizes)

    def send(self, files: FileSlice) -> None:
        """Give the parser one more slice.

        Raises:
            MemberEnded: the process has ended.
        """
        self._sizes.append(files.size_bytes)
        self.bytes_ahead += files.size_bytes
        self.member.send(files)

    def take(self) -> SliceNotes:
        """Wait for the notes of the oldest slice that was sent and not yet taken.

        Raises:
            MemberEnded: the process ended before.
        """
        notes = _unpack_notes(self.member.take())
        self.bytes_ahead -= self._sizes.popleft()
        return notes
