"""Reading one note: open it without following links, decode and parse it; never fails."""

import hashlib
import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.disk.beneath import read_beneath
from clew.text.dates.date_keys import DEFAULT_DATE_KEYS, DateKeys
from clew.text.markdown.parse import NO_NOTES, Source, name_only_note, parse_notes
from clew.values.note import Note, Problem
from clew.values.vault import ReadNote, Stamp

_BINARY_SHARE = 0.1
_HEAD_BYTES = 64 * 1024  # read of a file that is too large, to see whether it is private

# The UTF-32-LE mark begins with the UTF-16-LE mark, so it must come first.
_BOMS = (
    (BOM_UTF8, "utf-8"),
    (BOM_UTF32_LE, "utf-32-le"),
    (BOM_UTF32_BE, "utf-32-be"),
    (BOM_UTF16_LE, "utf-16-le"),
    (BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - {9, 10, 11, 12, 13, 27})


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text with normalized line ends, and the damage found in its bytes."""

    text: str
    damage: str  # "" for no damage
    line: int | None  # 1-based line of the first damage
    is_binary: bool


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A file that was read and decoded, but not parsed."""

    source: Source
    stamp: Stamp


def load_file(
    root: str, path: str, max_bytes: int, indexed_hash: str
) -> Unparsed | ReadNote | Stamp | None:
    """Read the file at ``path``; ``None`` if there is no regular file.

    Returns only the stamp of a file whose content hash is ``indexed_hash``, and a note without
    content for a file that cannot be parsed.
    """
    try:
        file = read_beneath(root, path, max_bytes, _HEAD_BYTES)
    except OSError as error:
        return _unreadable(path, error)
    if file is None:
        return None
    stamp = stamp_of(file.status)
    if stamp.size_bytes > max_bytes:
        message = f"{stamp.size_bytes} bytes, over the limit of {max_bytes}: indexed by name"
        problem = Problem(path, "tooLarge", None, message)
        return ReadNote(name_only_note(path, "", problem, decode(file.data).text), stamp)
    content_hash = hashlib.sha256(file.data).hexdigest()
    if content_hash == indexed_hash:
        return stamp
    source = decode_note(path, file.data, content_hash)
    return ReadNote(source, stamp) if isinstance(source, Note) else Unparsed(source, stamp)


def parse_files(
    files: Sequence[Unparsed],
    date_keys: DateKeys = DEFAULT_DATE_KEYS,
    earlier: Mapping[str, Note] = NO_NOTES,
) -> list[ReadNote]:
    """Parse ``files``; return their notes in order. ``earlier``: see ``parse_notes``."""
    parsed = parse_notes([file.source for file in files], date_keys, earlier)
    return [
        ReadNote(note, file.stamp, code=code)
        for (note, code), file in zip(parsed, files, strict=True)
    ]


def decode_note(path: str, data: bytes, content_hash: str) -> Source | Note:
    """Decode the bytes of a note; return a note without content for a binary file."""
    decoded = decode(data)
    if decoded.is_binary:
        message = "looks like a binary file: indexed by name"
        return name_only_note(path, content_hash, Problem(path, "binary", None, message))
    problems: tuple[Problem, ...] = ()
    if decoded.damage:
        problems = (Problem(path, "encoding", decoded.line, decoded.damage),)
    return Source(path, content_hash, decoded.text, problems)


def decode(data: bytes) -> Decoded:
    """Decode a note: UTF-8, or the encoding of its byte order mark. Invalid bytes are replaced."""
    encoding = "utf-8"
    for bom, name in _BOMS:
        if data.startswith(bom):
            data, encoding = data[len(bom) :], name
            break
    if encoding == "utf-8" and b"\0" in data:
        controls = len(data) - len(data.translate(None, _CONTROLS))
        if controls > _BINARY_SHARE * len(data):
            return Decoded("", "", None, True)
    damage, line = "", None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line_count(data[: error.start]) + 1
        damage = f"not valid {encoding.upper()}: {error.reason}; damaged characters replaced"
        text = data.decode(encoding, "replace")
        if text.count("\ufffd") > _BINARY_SHARE * len(text) and b"\0" in data:
            return Decoded("", "", None, True)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # CommonMark, section 2.3: a NUL is replaced, for security.
    return Decoded(text.replace("\0", "\ufffd"), damage, line, False)


def _line_count(data: bytes) -> int:
    r"""Return the number of line ends in ``data``: ``\n``, ``\r`` and ``\r\n``."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a file's status; times are clamped to the years 1678 to 2261."""
    modified_ns, changed_ns = map(_in_64_bits, (status.st_mtime_ns, status.st_ctime_ns))
    return Stamp(modified_ns, changed_ns, status.st_size, status.st_ino)


def _in_64_bits(nanoseconds: int) -> int:
    return max(-(2**63), min(2**63 - 1, nanoseconds))


def _unreadable(path: str, error: OSError) -> ReadNote:
    message = f"cannot be read: {error.strerror or error}"
    note = name_only_note(path, "", Problem(path, "unreadable", None, message))
    return ReadNote(note, Stamp(0, 0, 0, 0))
