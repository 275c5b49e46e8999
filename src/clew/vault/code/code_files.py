"""Reading one file of code: open it without following links, decode and parse it; never fails."""

import os
import stat
from typing import TYPE_CHECKING

from clew.disk.beneath import open_beneath
from clew.text.code.languages import language_of_file
from clew.values.note import Problem
from clew.values.vault import ReadCode
from clew.vault.read import NOT_THERE, decode, stamp_of

if TYPE_CHECKING:
    from clew.values.code.code_file import CodeFile

BYTES_MAX = 256 * 1024


def read_code(root: str, below: str, path: str) -> ReadCode | None:
    """Read and parse the file at ``below`` in ``root``, which is known as ``path``.

    ``None`` if there is no regular file. A file that cannot be read or parsed has a problem.
    """
    language = language_of_file(below)
    assert language is not None
    try:
        descriptor = open_beneath(root, below)
    except OSError as error:
        return None if error.errno in NOT_THERE else _unreadable(path, error)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(BYTES_MAX + 1)
    except OSError as error:
        return _unreadable(path, error)
    finally:
        os.close(descriptor)
    from clew.text.code.parse import parse_code  # noqa: PLC0415 - only where there is code

    decoded = decode(data)
    code: CodeFile | None = None
    problem: Problem | None = Problem(path, "codeSkipped", None, "looks like a binary file")
    if not decoded.is_binary:
        code, problem = parse_code(path, decoded.text, language)
    return ReadCode(path, stamp_of(status), code, problem)


def _unreadable(path: str, error: OSError) -> ReadCode:
    message = f"cannot be read: {error.strerror or error}"
    return ReadCode(path, None, None, Problem(path, "unreadable", None, message))
