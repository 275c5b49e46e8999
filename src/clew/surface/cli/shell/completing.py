"""Completion of words of a command line, for the scripts of ``scripts.py``.

The variable ``_CLEW_COMPLETE`` names the shell. Click computes the completions, and the daemon
those of concepts, notes, tags and folders. The first line printed is ``words`` or ``files``. After
``words`` follow the completions, each with a tab and its help, except for bash; after ``files`` the
shell itself completes a path.

Names come from notes, so they may be hostile. A name that cannot be typed on one line is never
offered. For bash each word is quoted here to fit the quotes before the cursor; zsh and fish quote
by themselves.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.shell_completion import CompletionItem, ShellComplete

from clew.surface.cli.fast_path import awaits_leading_value, command_first
from clew.surface.cli.output import print_document
from clew.surface.client import NoDaemon, Refused, call
from clew.surface.paths import socket_path, state_folder
from clew.surface.record import live_record
from clew.surface.vaults import NoVault, find_vault

VARIABLE = "_CLEW_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
WAIT_S = 0.3  # the time limit for the daemon's answer, after which nothing is completed

_WORDS, _FILES = "words", "files"
_QUOTES = "\"'"
_ESCAPED_IN_QUOTES = '\\"$`'
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,+-%")
_KINDS = {
    "conceptName": "concept",
    "exclude": "note",
    "filters.entity": "concept",
    "filters.folder": "folder",
    "filters.tags": "tag",
    "from": "concept",
    "note": "note",
    "tag": "tag",
    "to": "concept",
    "uri": "note",
    "waitFor": "note",
}
_PREFIXES = {"concepts": "concept", "tags": "tag"}  # kinds of the field "prefix", by command
_FILE_FIELDS = frozenset(("config", "output", "socket", "socket_", "state", "text", "vault"))


@dataclass(frozen=True, slots=True)
class Typed:
    """The words of a command line up to the cursor, without quotes.

    ``fixed``: how many characters of ``current`` the shell does not replace. ``quote``: the quote
    that is open at the cursor, or "".
    """

    before: tuple[str, ...]  # without the name of the command
    current: str
    fixed: int = 0
    quote: str = ""


def complete(shell: str, words: Sequence[str], cli: click.Command) -> None:
    """Print the completions at the cursor, if any are known."""
    typed = _typed(shell, words)
    if typed is None:
        return
    before = list(typed.before)
    if awaits_leading_value(before):  # click has no such option before a command
        print_document(f"{_FILES if before[-1].lstrip('-') in _FILE_FIELDS else _WORDS}\n")
        return
    completer = ShellComplete(cli, {}, "clew", VARIABLE)
    items = completer.get_completions(command_first(before), typed.current)
    if any(item.type != "plain" for item in items):
        print_document(f"{_FILES}\n")
        return
    lines = [_WORDS, *_lines(shell, typed, items)]
    print_document("".join(f"{line}\n" for line in lines))


def _typed(shell: str, words: Sequence[str]) -> Typed | None:
    """Parse the words that a shell's script passes; ``None`` if they are ambiguous."""
    if shell == "bash":
        return read_line(words[0], words[1]) if len(words) == 2 else None
    if len(words) < 2:
        return None
    if shell == "zsh":
        return Typed(tuple(words[1:-1]), words[-1])
    current = read_line(f"clew {words[-1]}", "")
    return current and Typed(tuple(words[1:-1]), current.current)


def read_line(line: str, breaks: str) -> Typed | None:
    """Return the words of a line of bash up to the cursor at its end.

    ``breaks``: the unquoted characters at which bash splits a word for completion. ``None``: the
    last word has an expansion of bash, or closed quotes.
    """
    words: list[str] = []
    word, fixed, quote, is_odd, is_open = "", 0, "", False, False
    characters = iter(line)
    for character in characters:
        is_escape = character == "\\" and quote != "'"
        if not quote and character in " \t\n":
            if is_open:
                words.append(word)
            word, fixed, is_odd, is_open = "", 0, False, False
            continue
        is_open = True
        if is_escape:
            following = next(characters, "")
            escape = "" if not quote or following in _ESCAPED_IN_QUOTES else "\\"
            word += escape + following
        elif character == quote:
            quote, is_odd = "", True
        elif not quote and character in _QUOTES:
            quote, fixed = character, len(word)
        else:
            word += character
            is_odd = is_odd or (character in "$`" and quote != "'")
            if not quote and character in breaks:
                fixed = len(word)
    if is_odd or not words:
        return None
    return Typed(tuple(words[1:]), word, fixed, quote)


def _lines(shell: str, typed: Typed, items: Sequence[CompletionItem[str]]) -> Iterator[str]:
    """Yield each completion in the form that the shell's script expects."""
    option, equals, _ = typed.current.partition("=")
    start = option + equals if equals and option.startswith("--") else ""
    for item in items:
        text = start + item.value
        if not text.isprintable() or text[: typed.fixed] != typed.current[: typed.fixed]:
            continue
        if shell != "bash":
            yield f"{text}\t{item.help}" if item.help else text
            continue
        quoted = quoted_for_bash(text[typed.fixed :], typed.quote)
        if quoted is not None:
            yield quoted


def quoted_for_bash(text: str, quote: str) -> str | None:
    """Return printable text quoted for bash, after the open quote ``quote`` or without one.

    ``None``: it cannot be quoted there. Between double quotes, ``!`` recalls an earlier command.
    """
    if quote == "'":
        return None if "'" in text else text
    if quote:
        escaped = "".join(f"\\{c}" if c in _ESCAPED_IN_QUOTES else c for c in text)
        return None if "!" in text else escaped
    return "".join(c if c in _PLAIN or not c.isascii() else f"\\{c}" for c in text)


# -- values ---------------------------------------------------------------------------------------


def complete_value(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the values that a parameter may have, for click."""
    # The script of an older version inserts names without quotes, so it gets none.
    if os.environ.get(VARIABLE) not in SHELLS:
        return []
    field = parameter.name or ""
    if field in _FILE_FIELDS:
        return [CompletionItem(incomplete, type="file")]
    kind = _PREFIXES.get(context.info_name or "") if field == "prefix" else _KINDS.get(field)
    if kind is None:
        return []
    params = context.params
    names = _names(
        {"kind": kind, "prefix": incomplete, "includePrivate": "ifAllowed"},
        params.get("vault"),
        params.get("socket") or params.get("socket_"),
    )
    exact = [name for name in names if name.casefold().startswith(incomplete.casefold())]
    return [CompletionItem(name) for name in exact or names if not name.startswith("-")]


def _names(params: dict[str, Any], vault: str | None, socket: str | None) -> list[str]:
    """Return names from the daemon; none if it does not run, or is too slow."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, WAIT_S)
    try:
        values: list[str] = _answer(params, vault, socket)["values"]
    except (NoDaemon, NoVault, Refused, OSError, ValueError):
        return []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return values


def _answer(params: dict[str, Any], vault: str | None, socket: str | None) -> Any:
    if socket:
        return call(socket, "complete", params)
    folder = find_vault(vault)
    try:
        return call(socket_path(folder), "complete", params)
    except NoDaemon:
        record = live_record(state_folder(folder))
        if record is None:
            raise
        return call(record.socket, "complete", params)
