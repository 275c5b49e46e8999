"""Command lines of every command, and what they print in a terminal of a given width."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.surface.cli import fast_path
from clew.surface.cli.commands import cli, commands
from clew.surface.cli.lines import width_of
from clew.surface.cli.run import run
from tests.daemons import Daemon

WIDTHS = (40, 60, 80, 200)
Said = tuple[list[str], list[str]]  # the lines of stdout and of stderr
# What prints text of notes, packs, scripts or formats of other programs, which are never folded.
UNFOLDED = {
    *("read", "context", "assemble", "logs", "completion"),
    *("mcp install", "rules schema", "service install", "doctor --dump"),
}
# What needs a terminal or a service manager of its own, or runs until it is interrupted.
ELSEWHERE = {"serve", "watch", "service uninstall", "stop", "mcp"}


def table_commands(concept: str, other: str, note: str) -> list[list[str]]:
    """Return command lines of the table, about two concepts and a note."""
    return [
        *(["search", concept], ["search", concept, "--explain"], ["search", "zqqx"]),
        *(["search", "a", "--folder=no"], ["rank", concept], ["rank", "zqqx"]),
        *(["similar", concept], ["similar", "Clok drift"], ["concept", concept]),
        *(["concept", concept, "--content"], ["concept", "Clok drift"], ["concept", other]),
        *(["concepts"], ["concepts", "--prefix", "zzq"], ["concepts", "--limit", "2"]),
        *(["communities"], ["path", concept, other], ["path", "Clok drift", "tide gage"]),
        *(["graph", other], ["graph", "Clok drift"], ["links", note], ["backlinks", note]),
        *(["backlinks", "--concept", other], ["backlinks", "--concept", "Clok drift"]),
        *(["unresolved"], ["orphans"], ["tags"], ["tags", "jurnal"], ["tags", "--prefix", "zz"]),
        *(["recent"], ["recent", "--since", "2100-01-01"], ["expand", "/dev/null"]),
        *(["verify", "/dev/null"], ["why", note], ["why", "no such note"], ["status"], ["sync"]),
        *(["doctor"], ["doctor", "--code", "unlinkedMention"]),
        *(["code", "despike"], ["code", "despiek"], ["code", other], ["code", note]),
    ]


def click_commands(folder: Path, vault: Path) -> list[list[str]]:
    """Return command lines of click; ``folder`` has their files."""
    request = folder / "request.json"
    request.write_text('{"task": {"text": "What is said here of the things in these notes?"}}')
    (folder / "wrong.json").write_text("[")
    there = ["--vault", str(vault)]
    return [
        ["assemble", "--file", str(request)],
        ["assemble", "--file", str(folder / "wrong.json")],
        *(["trace"], ["trace", "3"], ["rules", "check"]),
        *(["session", "list"], ["session", "show", "a long name of a session"]),
        ["session", "recall", "a", "narrow", "terminal"],
        ["session", "append", "a long name of a session, for a narrow terminal", "user", "x"],
        ["session", "scratch", "set", "a long name of a value, for a narrow terminal", "v"],
        *(["session", "scratch", "list"], ["session", "scratch", "get", "nothing of this name"]),
        ["session", "scratch", "clear", "nothing of this name"],
        ["session", "delete", "nothing of this name"],
        *(["where", *there], ["service", "status", *there]),
        *(["mcp", "install", "--client", name, *there] for name in ("claude-code", "codex")),
        *(["map", "--output", str(folder / "map.html"), "--no-open"], ["open", "no such note"]),
        *(["start", *there], ["logs", "--vault", "/nowhere"], ["completion", "tcsh"]),
        *(["logs", *there], ["read", "no such note of any name that could be in the vault"]),
    ]


def help_pages() -> list[list[str]]:
    """Return the command lines for the help of every command."""
    pages: list[list[str]] = [[]]
    for name, command in cli.commands.items():
        pages.append([name])
        for inner, below in getattr(command, "commands", {}).items():
            pages.append([name, inner])
            pages += [[name, inner, last] for last in getattr(below, "commands", {})]
    return [[*words, "--help"] for words in pages]


def names_of(words: list[str]) -> str:
    """Return the name of the command that a command line is of."""
    command, name = cli, []
    for word in words:
        inner = getattr(command, "commands", {}).get(word)
        if inner is None:
            break
        command = inner
        name.append(word)
    return " ".join(name)


def every_name() -> set[str]:
    """Return the names of all commands that do something."""
    pages = [names_of(words[:-1]) for words in help_pages()]
    groups = {name.rpartition(" ")[0] for name in pages if " " in name}
    return {name for name in pages if name} - (groups - {"mcp"})


@contextmanager
def terminal(daemon: Daemon, columns: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let commands run as in a terminal of this width, in the environment of a daemon."""
    with monkeypatch.context() as patched:
        for name, value in daemon.environment.items():
            patched.setenv(name, value)
        patched.setenv("CLEW_VAULT", str(daemon.vault))
        patched.setenv("COLUMNS", str(columns))
        patched.setenv("EDITOR", "false")
        yield


def check_widths(printed: Said, words: list[str], columns: int) -> None:
    """Check that no line is wider than the terminal, and that stdout holds data alone."""
    data, messages = printed
    name = names_of(words)
    folded = [*([] if name in UNFOLDED else data), *messages]
    # A path or address that is printed for others stands alone in its line.
    wide = [line for line in folded if width_of(line) > columns and " " in line.strip()]
    assert wide == [], words
    assert not re.search(r"continue with|clew: ", "\n".join(data)), words
    assert not any("\x1b" in line for line in (*data, *messages)), words


def said(
    daemon: Daemon | None, words: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> Said:
    """Return the lines that a command prints to stdout and to stderr, asking this daemon."""
    if daemon is not None:
        words = [*words, "--socket", str(daemon.socket)] if _takes_socket(words) else words
    parsed = fast_path.parse(words)
    if parsed is None:
        commands(words)
    else:
        run(*parsed)
    printed = capfdbinary.readouterr()
    lines = [text.decode().splitlines() for text in (printed.out, printed.err)]
    return lines[0], lines[1]


def _takes_socket(words: list[str]) -> bool:
    command = cli
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return any("--socket" in parameter.opts for parameter in command.params)
