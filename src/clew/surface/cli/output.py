"""Printing: the only module of the command line that writes to stdout and stderr.

Replies, errors, paths, log lines and echoed arguments may hold text from notes. A terminal obeys
control characters, reorders lines at bidirectional controls and hides tag characters, so this
module replaces all of them before it writes; in JSON it escapes them, which keeps the value.
"""

from __future__ import annotations

import os
import sys

from clew.surface.cli.lines import COLUMNS_MIN, folded, harmless, width_of, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterable
    from re import Pattern
    from typing import BinaryIO, Self, TextIO

    Line = str | tuple[str, ...]

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_LINK, _END = "\x1b]8;;", "\x1b\\"
_CLEAR_LINE = "\x1b[K"
_CHARACTERS_AT_ONCE = 1024 * 1024
_REPLACEMENT = "\ufffd"
# C0 without tab and line end, DEL, C1, bidirectional controls, U+2028, U+2029, surrogates, tags.
_CONTROLS = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


class Heading(str):
    """Text to print in bold."""

    __slots__ = ()


class Dim(str):
    """Text to print dimmed."""

    __slots__ = ()


class Link(str):
    """Text that opens an address, which must be percent-encoded; ``part`` has the text's style."""

    __slots__ = ("address", "part")
    part: str
    address: str

    def __new__(cls, part: str, address: str) -> Self:
        """Return the text of ``part`` as a link."""
        link = super().__new__(cls, part)
        link.part = part
        link.address = address
        return link


# -- stdout -----------------------------------------------------------------------------------


def print_lines(lines: Iterable[Line], *, colour: bool = False) -> None:
    """Print lines for people."""
    text = styled(lines, colour=colour)
    # A character that the terminal cannot show is printed as a question mark.
    _write(text.encode(_stdout().encoding or "utf-8", "replace"))


def print_line(text: str) -> None:
    """Print one line, folded to the terminal's width; do nothing without a stdout."""
    if sys.stdout is not None:
        print_lines(folded(text, columns()))


def print_address(text: str) -> None:
    """Print a path or an address, which is never folded; do nothing without a stdout."""
    if sys.stdout is not None:
        print_lines([text])


def print_json(body: bytes) -> None:
    """Print one line of JSON."""
    _write(escaped_json(body.decode("utf-8", "replace")).encode() + b"\n")


def print_json_file(path: str) -> None:
    """Print a JSON file, unchanged except for escapes."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        while text := file.read(_CHARACTERS_AT_ONCE):
            _write(escaped_json(text).encode())


def print_document(text: str) -> None:
    """Print a text for other programs, such as DOT or HTML, in UTF-8.

    Its writer has already escaped control characters; replacing them here is a safety net.
    """
    if not text.isprintable():
        text = _controls().sub(_REPLACEMENT, text)
    _write(text.encode())


def print_data(text: str) -> None:
    """Print rows for another program as they are; on a terminal, without control characters.

    Surrogates are the bytes of paths that are not UTF-8, and are printed as these bytes.
    """
    if is_terminal():
        print_document(text.replace("\r\n", "\n"))
    else:
        _write(text.encode(errors="surrogateescape"))


def _stdout() -> TextIO:
    """Return stdout.

    Raises:
        OSError: the process was started without one, so that Python has None in its place.
    """
    if sys.stdout is None:
        raise OSError("there is no stdout")
    return sys.stdout


def _write(data: bytes) -> None:
    buffer: BinaryIO = _stdout().buffer
    buffer.write(data)
    buffer.flush()


def is_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_colour() -> bool:
    """Return whether stdout is a terminal whose user has not turned colours off."""
    return is_terminal() and not os.environ.get("NO_COLOR")


def columns() -> int:
    """Return the width of stdout for layout; 0, which folds no line, if it is not a terminal."""
    return 0 if sys.stdout is None else _columns_of(sys.stdout)


def _columns_of(stream: TextIO) -> int:
    """Return the width of a stream's terminal, else COLUMNS, else 0."""
    setting = os.environ.get("COLUMNS", "")
    if setting.isascii() and setting.isdecimal() and len(setting) < 6:
        width = int(setting)
    else:
        try:
            width = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):  # the stream is not a terminal, or not a file
            width = 0
    return max(width, COLUMNS_MIN) if width else 0


def discard_output() -> None:
    """Send further output to /dev/null, after stdout could not be written."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# -- stderr -----------------------------------------------------------------------------------


def complain(message: str, *more: str) -> None:
    """Print a message to stderr, and more lines after it; leave out empty ones."""
    print_errors([f"clew: {message}", *filter(None, more)])


def print_errors(lines: Iterable[str]) -> None:
    """Print lines to stderr, folded to the terminal's width; do nothing without a stderr."""
    if sys.stderr is not None:
        width = _columns_of(sys.stderr)
        shown = (part for line in lines for part in folded(line, width))
        sys.stderr.write("".join(f"{line}\n" for line in shown))


def show_progress(text: str) -> None:
    """Show a line on the terminal in place of the last one; do nothing elsewhere."""
    if sys.stderr is not None and sys.stderr.isatty():
        line = harmless(text)
        room = _columns_of(sys.stderr) - 1
        if width_of(line) > room > 0:
            line = wrapped(line, room)[0]
        sys.stderr.write(f"\r{line}{_CLEAR_LINE}")
        sys.stderr.flush()


def end_progress() -> None:
    """Clear the line that ``show_progress`` has shown."""
    show_progress("")


def flush_errors() -> None:
    """Flush stderr."""
    if sys.stderr is not None:
        sys.stderr.flush()


# -- text -------------------------------------------------------------------------------------


def styled(lines: Iterable[Line], *, colour: bool) -> str:
    """Return lines as text for a terminal; it contains only our own escape sequences."""
    return "".join(
        "".join(_styled(part, colour=colour) for part in _parts(line)) + "\n" for line in lines
    )


def _parts(line: Line) -> tuple[str, ...]:
    return line if isinstance(line, tuple) else (line,)


def _styled(part: str, *, colour: bool) -> str:
    if isinstance(part, Link):
        return f"{_LINK}{part.address}{_END}{_styled(part.part, colour=colour)}{_LINK}{_END}"
    text = harmless(part)
    if not colour or not text:
        return text
    if isinstance(part, Heading):
        return f"{_BOLD}{text}{_PLAIN}"
    return f"{_DIM}{text}{_PLAIN}" if isinstance(part, Dim) else text


def escaped_json(text: str) -> str:
    r"""Return JSON of the same value, with characters that control a terminal as ``\uXXXX``."""
    if text.isprintable():
        return text
    from clew.text.unicode import json_escape  # noqa: PLC0415 - rarely needed

    return _controls().sub(lambda match: json_escape(match[0]), text)


def _controls() -> Pattern[str]:
    import re  # noqa: PLC0415 - most replies do not need it

    return re.compile(_CONTROLS)
