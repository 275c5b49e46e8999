"""Reading one file of code: open it without following links, decode and parse it; never fails."""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.disk.beneath import read_beneath
from clew.text.code.languages import language_of_file
from clew.values.note import Problem
from clew.values.replies import QUARANTINED
from clew.values.vault import ReadCode
from clew.vault.read import decode, stamp_of

if TYPE_CHECKING:
    from clew.values.code.code_file import CodeFile

BYTES_MAX = 256 * 1024


MayParse = Callable[[str, str], bool]  # called before parsing, with path and content hash


def read_code(root: str, below: str, path: str, may_parse: MayParse) -> ReadCode | None:
    """Read and parse the file at ``below`` in ``root``; its path in the index is ``path``.

    ``None`` if there is no regular file. A file that cannot be read or parsed is returned with
    a problem.
    """
    language = language_of_file(below)
    assert language is not None
    try:
        file = read_beneath(root, below, BYTES_MAX, BYTES_MAX + 1)
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        return ReadCode(path, None, None, Problem(path, "unreadable", None, message))
    if file is None:
        return None
    data, stamp = file.data, stamp_of(file.status)
    if not may_parse(path, hashlib.sha256(data).hexdigest()):
        message = "parsing it ended the indexer twice: not read until it changes"
        return ReadCode(path, stamp, None, Problem(path, QUARANTINED, None, message))
    from clew.text.code.parse import parse_code  # noqa: PLC0415 - only where there is code

    decoded = decode(data)
    code: CodeFile | None = None
    problem: Problem | None = Problem(path, "codeSkipped", None, "looks like a binary file")
    if not decoded.is_binary:
        code, problem = parse_code(path, decoded.text, language)
    return ReadCode(path, stamp, code, problem)
