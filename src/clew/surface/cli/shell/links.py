"""Links from the paths in a table to the notes, for terminals that can open them (OSC 8).

Links are added after the layout, so they do not change it. The address is percent-encoded to ASCII,
so no name can end the escape sequence. A path is a link only where it is a word by itself.

Source: https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
"""

from __future__ import annotations

import os
import re

from clew.surface.cli.lines import bytes_of_path, path_of
from clew.surface.cli.output import Dim, Heading, Link

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from clew.surface.cli.output import Line

PATHS_MAX = 2_000  # with more paths in a table there are no links
_SCHEME = "memory://"
_UNQUOTED = frozenset(b"/-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_VTE_MIN = 5001  # 0.50.0 crashes on links
_TERMS = ("alacritty", "contour", "foot", "wezterm", "xterm-ghostty", "xterm-kitty")
_PROGRAMS = frozenset(("WezTerm", "ghostty", "iTerm.app", "rio", "vscode", "zed"))
_VARIABLES = ("KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION", "DOMTERM")
_NEVER = ("dumb", "linux", "screen", "tmux")  # a multiplexer hides which terminal shows its text


def has_links(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is known to show links; ``FORCE_HYPERLINK`` overrides that.

    Whether stdout is a terminal, and ``NO_COLOR``, are for the caller to check.
    """
    forced = environment.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    term = environment.get("TERM", "dumb")
    if term.startswith(_NEVER):
        return False
    version = environment.get("VTE_VERSION", "")
    if version.isascii() and version.isdecimal() and len(version) < 9:
        return int(version) >= _VTE_MIN
    return (
        term.startswith(_TERMS)
        or environment.get("TERM_PROGRAM") in _PROGRAMS
        or any(map(environment.get, _VARIABLES))
    )


def linked(lines: Iterable[Line], result: Any, vault: str) -> list[Line]:
    """Return lines in which the paths of the notes of a reply are links.

    ``vault``: the folder that the daemon serves.
    """
    lines = list(lines)
    uris = {path_of(uri): uri for uri in _uris(result)}
    if not uris or len(uris) > PATHS_MAX:
        return lines
    paths = "|".join(map(re.escape, sorted(uris, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\S)(?:{paths})(?![^\s:,])")

    def linked_parts(part: str) -> Iterator[str]:
        end = 0
        for match in pattern.finditer(part):
            yield _like(part, part[end : match.start()])
            yield Link(_like(part, match[0]), address(vault, uris[match[0]]))
            end = match.end()
        yield _like(part, part[end:])

    return [
        tuple(
            piece
            for part in (line if isinstance(line, tuple) else (line,))
            for piece in linked_parts(part)
        )
        for line in lines
    ]


def _uris(value: Any) -> Iterator[str]:
    """Yield the URIs of notes in a reply, without their fragments."""
    if isinstance(value, str):
        if value.startswith(_SCHEME):
            yield value.partition("#")[0]
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _uris(key)
            yield from _uris(each)
    elif isinstance(value, list):
        for each in value:
            yield from _uris(each)


def _like(part: str, text: str) -> str:
    """Return ``text`` in the style of ``part``."""
    style = Heading if isinstance(part, Heading) else Dim if isinstance(part, Dim) else str
    return style(text)


def address(vault: str, uri: str) -> str:
    """Return the address of a note's file; the machine's name keeps it from opening elsewhere."""
    path = os.path.join(os.fsencode(vault), bytes_of_path(uri))
    return f"file://{percent_encoded(os.fsencode(os.uname().nodename))}{percent_encoded(path)}"


def percent_encoded(path: bytes) -> str:
    """Return a path as a part of a URI; only letters, digits and ``/-._~`` stay."""
    return "".join(chr(byte) if byte in _UNQUOTED else f"%{byte:02X}" for byte in path)
