"""``clew open``: open a note in the user's editor, or in Obsidian.

No shell runs: a program gets the note's absolute path as one argument, whatever is in its name.
"""

import os
import shlex
import sys
from typing import Any

import click

from clew.surface.cli.daemon.options import socket_option, vault_option
from clew.surface.cli.lines import bytes_of_path
from clew.surface.cli.note_names import NotText, daemon_note_name, vault_at, without_line
from clew.surface.cli.output import complain
from clew.surface.cli.run import REFUSED, USAGE, guarded, params_of
from clew.surface.cli.shell.completing import complete_value
from clew.surface.cli.shell.links import percent_encoded
from clew.surface.client import Refused, call

_BY_NAME = ("nameOnly", "quarantined")  # states of notes without text in the index

# The arguments by which an editor opens a line, by program name; others get only the path.
_LINE_FIRST = ("+{line}", "{path}")
_LINE_LAST = ("{path}:{line}",)
_GO_TO = ("--goto", "{path}:{line}")
_EDITORS = {
    **dict.fromkeys(
        ("vi", "vim", "nvim", "gvim", "view", "vis", "nano", "pico", "emacs", "emacsclient"),
        _LINE_FIRST,
    ),
    **dict.fromkeys(("micro", "kak", "joe", "jed", "ne", "mg", "gedit"), _LINE_FIRST),
    **dict.fromkeys(("hx", "helix", "subl", "zed", "zeditor"), _LINE_LAST),
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor"), _GO_TO),
    "kate": ("--line", "{line}", "{path}"),
}


@click.command("open")
@click.argument("note", shell_complete=complete_value)
@click.option("--line", type=click.IntRange(1, 2**31), help="The line to begin at.")
@click.option(
    "--with",
    "program",
    type=click.Choice(["editor", "obsidian"]),
    default="editor",
    show_default=True,
    help="Where to open it; editor is $VISUAL or $EDITOR.",
)
@vault_option
@socket_option
def open_note(
    *, note: str, line: int | None, program: str, vault: str | None, socket_: str | None
) -> None:
    """Open a note in your editor or in Obsidian, and mark it as read.

    NOTE is named as for "clew read". With a heading (NOTE#HEADING) Obsidian begins there, and the
    editor too, if it is known how to tell it a line.

    Example: clew open "Clock drift#The rule"
    """
    if line is not None and program == "obsidian":
        complain("Obsidian takes no line: leave out --line, or --with obsidian")
        sys.exit(USAGE)
    editor = _editor()
    if program == "editor" and not editor:
        complain("no editor: set $VISUAL or $EDITOR, or give --with obsidian")
        sys.exit(USAGE)

    def ask(path: str) -> int:
        reply = _read(path, {**params, "uri": daemon_note_name(path, note)})
        file_path = os.path.join(os.fsencode(vault_at(path)), bytes_of_path(reply["uri"]))
        if program == "obsidian":
            file_path += _subpath(note, reply["lines"])
            return _run([_opener(), f"obsidian://open?path={percent_encoded(file_path)}"])
        first = line or without_line(note)[1] or reply["lines"][0]
        return _run(command_line(editor, os.fsdecode(file_path), first if first > 1 else None))

    try:
        params = params_of({"uri": note})
    except NotText as error:
        complain(str(error))
        sys.exit(USAGE)
    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


def _read(path: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the URI of a note and its lines, and mark it as read.

    A note that is indexed by its name alone has no text in the index, but an editor can open it.
    """
    try:
        reply: dict[str, Any] = call(path, "read", params)
    except Refused as error:
        found = call(path, "why", params) if error.code == "notFound" else {"state": ""}
        if found["state"] not in _BY_NAME:
            raise
        return {**found, "lines": [1, 1]}
    return reply


def _subpath(note: str, lines: list[int]) -> bytes:
    """Return the ``#`` and the heading or block of a note's name, for a URI of Obsidian.

    Empty if the name means the whole note, since file names may contain a ``#``, or if it names
    lines, which Obsidian's URIs cannot express.

    Source: https://help.obsidian.md/Extending+Obsidian/Obsidian+URI, "Open a heading or block"
    """
    from clew.query.references.forms import line_fragment, path_reading  # noqa: PLC0415 - only here

    reading = path_reading(note)
    if lines[0] == 1 or not reading.fragment or line_fragment(reading.fragment):
        return b""
    return os.fsencode("#" + reading.fragment)


def _editor() -> list[str]:
    """Return the words of the user's editor; empty without one."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        return shlex.split(editor)
    except ValueError:  # a quote is not closed
        return [editor]


def command_line(editor: list[str], path: str, line: int | None) -> list[str]:
    """Return the command that opens the note at an absolute ``path``, at ``line`` if given."""
    form = _EDITORS.get(os.path.basename(editor[0])) if line is not None else None
    return [*editor, *(word.format(path=path, line=line) for word in form or ("{path}",))]


def _opener() -> str:
    return "open" if sys.platform == "darwin" else "xdg-open"


def _run(command: list[str]) -> int:
    """Replace this process by another program; return only if it cannot be started."""
    try:
        os.execvp(command[0], command)  # noqa: S606 - without a shell
    except (OSError, ValueError) as error:  # ValueError: a word has a null byte
        complain(f"cannot start {command[0]}: {getattr(error, 'strerror', None) or error}")
    return REFUSED
