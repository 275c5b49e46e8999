"""The file of the approximate index: a header, and the graph as usearch writes it.

One file, ``<index folder>/v2/approximate``: the sha256 of all that follows, the length of the
header, the header, zeros up to a multiple of 64 bytes, the graph. The process that builds the graph
writes the file under another name; the indexer renames it, and then checks that it fits its
vectors. The server verifies the whole file by reading it, and maps it then, since mapped pages that
were read count as memory.

Like the rest of the folder it is a cache: whatever does not match is built anew.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader
from struct import Struct

import msgspec

from clew.disk.checked import CHECKSUM_BYTES, Damaged
from clew.disk.durable import DISK, Disk, ensure_folder, open_state_file, write_file
from clew.disk.mapped_pages import mapped
from clew.engine.persist.generation_files import FORMAT
from clew.index.vectors import Coverage
from clew.values.packing import Unpacker, pack

LAYOUT = 1  # raise it when this format or the parameters of the graph change
HEADER_BYTES_MAX = 64 * 1024

_NAME = f"v{FORMAT}/approximate"
_NEW = ".new"
_ALIGNMENT = 64
_LENGTH = Struct("<I")
_PIECE_BYTES = 1024 * 1024


class Header(msgspec.Struct, frozen=True, array_like=True):
    """The header of a file: what its graph contains, and how to search it."""

    layout: int
    usearch_version: str
    coverage: Coverage
    candidate_count: int  # 0: exact search is better, and there is no graph
    recall: float  # measured when it was built


unpack_header: Unpacker[Header] = Unpacker(Header)


def write_new(folder: str, header: Header, graph: bytes, disk: Disk = DISK) -> None:
    """Write and fsync a file in the index folder ``folder``, for ``publish_new``.

    Raises:
        OSError: it cannot be written.
    """
    ensure_folder(disk, os.path.join(folder, f"v{FORMAT}"))
    with suppress(FileNotFoundError):
        disk.unlink(_path(folder) + _NEW)  # An earlier crash may have left this file.
    write_file(disk, _path(folder) + _NEW, _pieces(header, graph))


def _pieces(header: Header, graph: bytes) -> Iterator[bytes]:
    packed = pack(header)
    start = _LENGTH.pack(len(packed)) + packed
    start += bytes(-(CHECKSUM_BYTES + len(start)) % _ALIGNMENT)
    checksum = hashlib.sha256(start)
    checksum.update(graph)
    yield checksum.digest() + start
    for first in range(0, len(graph), _PIECE_BYTES):
        yield bytes(memoryview(graph)[first : first + _PIECE_BYTES])


def publish_new(folder: str, disk: Disk = DISK) -> None:
    """Replace the published file by the one that ``write_new`` wrote.

    Raises:
        OSError: renaming or fsync failed; either the old or the new file is published, complete.
    """
    disk.rename(_path(folder) + _NEW, _path(folder))
    disk.sync_folder(os.path.dirname(_path(folder)))


def remove_files(folder: str, disk: Disk) -> None:
    """Remove the file, and one that was not published, if they are there.

    Raises:
        OSError: a file cannot be removed.
    """
    for path in (_path(folder), _path(folder) + _NEW):
        with suppress(FileNotFoundError):
            disk.unlink(path)


def read_header(folder: str) -> Header:
    """Return the header of the file, not verified.

    Raises:
        OSError: there is none, or it cannot be read.
        ValueError: it is damaged, or has another layout.
    """
    with open_state_file(os.path.abspath(folder), _NAME) as file:
        return _header(file)[0]


def open_verified(folder: str) -> tuple[Header, memoryview]:
    """Return the header of the file and the mapped bytes of its graph; every byte is verified.

    Raises:
        OSError: there is none, or it cannot be read.
        ValueError: it is damaged, or has another layout.
    """
    with open_state_file(os.path.abspath(folder), _NAME) as file:
        expected = file.read(CHECKSUM_BYTES)
        checksum = hashlib.sha256()
        while piece := file.read(_PIECE_BYTES):
            checksum.update(piece)
        if checksum.digest() != expected:
            raise Damaged("the checksum does not match")
        file.seek(0)
        header, graph_at = _header(file)
        return header, mapped(file)[graph_at:]


def _header(file: BufferedReader) -> tuple[Header, int]:
    """Return the header of an open file, and where the graph begins."""
    start = file.read(CHECKSUM_BYTES + _LENGTH.size)
    if len(start) < CHECKSUM_BYTES + _LENGTH.size:
        raise ValueError("too short")
    (length,) = _LENGTH.unpack_from(start, CHECKSUM_BYTES)
    if length > HEADER_BYTES_MAX:
        raise ValueError("too long a header")
    header = unpack_header(file.read(length))
    if header.layout != LAYOUT:
        raise ValueError("another layout")
    end = len(start) + length
    return header, end + -end % _ALIGNMENT


def _path(folder: str) -> str:
    return os.path.join(os.path.abspath(folder), _NAME)
