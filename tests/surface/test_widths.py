"""Every command at several widths: no line is wider than the terminal, and stdout holds data."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.surface.cli.lines import width_of
from clew.surface.cli.run import run
from clew.surface.cli.table import COMMANDS, Command
from tests.daemons import Daemon, copy_sample, daemon
from tests.every_command import (
    ELSEWHERE,
    UNFOLDED,
    WIDTHS,
    check_widths,
    click_commands,
    every_name,
    help_pages,
    names_of,
    said,
    table_commands,
    terminal,
)
from tests.hostile_names import HOSTILE

pytestmark = pytest.mark.slow  # starts daemons of its own

LONG = "A name that is much longer than a narrow terminal could ever show in one of its lines"
MISTAKES = [
    ["concept", "x", "--depth", "-1"],
    ["search", "x", "--since", "never"],
    ["search", "x", "--folder", "../a"],
    ["read"],
    ["links", "gauge"],
    ["concepts", "--cursor", "later"],
]
EMPTY = [
    ["concept", "Clok drift"],
    ["concepts", "--prefix", "zzq"],
    ["path", "Clok drift", "tide gage"],
    ["backlinks", "--concept", "Clok drift"],
    ["tags", "jurnal"],
    ["tags", "--prefix", "zz"],
    ["recent", "--since", "2100-01-01"],
    ["graph", "Clok drift"],
    ["similar", "Clok drift"],
    ["verify", "/dev/null"],
    ["links", "Empty of links"],
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("widths")
    vault = copy_sample(home / "tides")
    names = "\n".join(f"- [[{name.replace(chr(10), ' ')}]] and [[Residual]]" for name in HOSTILE)
    text = f"# Hostile\n{names}\n[[{LONG}]]\n"
    (vault / "Hostile.md").write_bytes(text.encode("utf-8", "replace"))
    (vault / f"{LONG}.md").write_text(f"# 潮汐{LONG}\n[[Residual]] [[Clock drift]]\n")
    (vault / "Empty of links.md").write_text("nothing here\n")
    with daemon(home, vault) as started:
        started.until_partitioned()
        yield started


def test_lists_of_sessions_fit(
    running: Daemon, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for content in (LONG, f"潮汐{LONG}\n\x1b[31m{LONG}"):
        running.ask("session.append", sessionId=LONG, role=LONG, content=content)
        running.ask("session.scratch.set", key=content[:200], value=content)
    for method, params in (
        ("session.list", {}),
        ("session.recall", {"query": "narrow terminal"}),
        ("session.show", {"sessionId": LONG}),
        ("session.show", {"sessionId": "none"}),
        ("session.scratch.list", {}),
        ("session.scratch.get", {"key": LONG}),
        ("session.scratch.get", {"key": "none"}),
        ("session.append", {"sessionId": "s", "role": "user", "content": ""}),
    ):
        run(Command(method, "", ""), {**params, "socket": str(running.socket)})
        printed = capfdbinary.readouterr()
        lines = (printed.out + printed.err).decode().splitlines()
        assert lines
        assert [line for line in lines if width_of(line) > 40] == [], method
        assert not any("\x1b" in line for line in lines)


def test_every_command_is_tried(tmp_path: Path) -> None:
    tried = [*table_commands("", "", ""), *click_commands(tmp_path, tmp_path)]
    assert {names_of(words) for words in tried} | UNFOLDED | ELSEWHERE >= every_name()


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_is_wider_than_the_terminal(
    running: Daemon,
    columns: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    commands = [
        *table_commands("Residual", "Clock drift", "Index"),
        *table_commands(LONG, "潮汐", "Hostile"),
        *click_commands(tmp_path, running.vault),
        *MISTAKES,
    ]
    with terminal(running, columns, monkeypatch):
        for words in commands:
            check_widths(said(running, words, capfdbinary), words, columns)


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_of_help_is_wider_than_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for words in help_pages():
        data, messages = said(None, words, capfdbinary)
        assert data
        assert not messages
        assert [line for line in data if width_of(line) > columns] == [], words


@pytest.mark.parametrize("words", EMPTY, ids=" ".join)
def test_an_empty_answer_is_explained_on_stderr(
    running: Daemon, words: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data, messages = said(running, words, capfdbinary)
    assert data == []
    assert messages
    assert not re.search(r"\bclock-drift\b|\btide-gauge\b", "\n".join(messages))


def test_lists_show_display_names(
    running: Daemon, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for words in (["communities"], ["links", "Index"], ["concept", "Residual"]):
        data, _ = said(running, words, capfdbinary)
        assert not re.search(r"\bclock-drift\b|\bstorm-surge\b|\btide-gauge\b", "\n".join(data))


def test_remarks_on_pages_say_what_to_type(
    running: Daemon, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data, messages = said(running, ["tags", "--limit", "2"], capfdbinary)
    assert len(data) == 2
    assert re.fullmatch(r"clew: 2 of (\d+), all with -n \1", messages[0])


def test_no_parameter_of_the_wire_is_named(
    running: Daemon, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = tmp_path / "text"
    text.write_text("x" * 1_048_577)
    wrong = {"number": "999999999", "decimal": "7.5", "lines": "9-0", "text": "x" * 300_000}
    for command in COMMANDS:
        given = [str(text) if a.name == "file" else "x" for a in command.arguments if a.required]
        for option in command.options:
            for value in (["-1"] if option.kind == "number" else []) + [wrong.get(option.kind, "")]:
                if option.kind in wrong:
                    _check(running, [command.name, *given, f"{option.flags[-1]}={value}"],
                           option.flags[-1], capfdbinary)  # fmt: skip
        for flag, value in (("--as-of", "never"), ("--wait-for", ".."), ("--wait-for", "")):
            _check(running, [command.name, *given, f"{flag}={value}"], flag, capfdbinary)
        for number, argument in enumerate(command.arguments):
            words = ["x"] * len(command.arguments)
            words[number] = str(text) if argument.name == "file" else "x" * 300_000
            _check(running, [command.name, *words], "", capfdbinary)


def _check(
    running: Daemon, words: list[str], flag: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Check that a refusal begins with the flag and has no name of the wire."""
    _, messages = said(running, words, capfdbinary)
    text = re.sub("x{9,}", "x", "\n".join(messages))
    shown = (words[0], flag, text[:300])
    assert "Expected" not in text, shown
    assert not re.search(r"\b(?!concepts?\b)[a-z]+[A-Z]\w*\b|filters\.|\buri\b", text), shown
    if "must" in text or "may " in text:
        assert flag in text, shown
