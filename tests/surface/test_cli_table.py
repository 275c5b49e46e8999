"""The short way and click read one table, and must read every command line the same."""

import subprocess
import sys

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.surface.cli import hot
from clew.surface.cli.commands import read_words
from clew.surface.cli.render import _RENDERERS
from clew.surface.cli.table import CHOICE, COMMANDS, COMMON, FLAG, LINES, NUMBER, Command
from clew.surface.server.dispatch import METHODS
from clew.values import requests

VALUES = {NUMBER: ["0", "7", "-1", "x", "1e3"], LINES: ["1-5", "3", "a-b"], FLAG: []}


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Return words that are a command line, or nearly one."""
    command: Command = draw(st.sampled_from(COMMANDS))
    words = []
    for option in draw(st.lists(st.sampled_from((*command.options, *COMMON)), max_size=4)):
        flag = draw(st.sampled_from(option.flags))
        if option.kind == FLAG:
            words.append([flag])
            continue
        choices = option.choices if option.kind == CHOICE else VALUES.get(option.kind, ["a b"])
        value = draw(st.sampled_from([*choices, "odd"]))
        together = flag.startswith("--") and draw(st.booleans())
        words.append([f"{flag}={value}"] if together else [flag, value])
    count = draw(st.integers(0, len(command.arguments) + 1))
    words += [[draw(st.sampled_from(["name", "two words", "潮汐", "1"]))] for _ in range(count)]
    shuffled = draw(st.permutations(words))
    return [command.name, *(word for group in shuffled for word in group)]


@settings(max_examples=600, deadline=None)
@given(command_lines())
def test_the_short_way_reads_what_click_reads(words: list[str]) -> None:
    short = hot.parse(words)
    if short is not None:
        command, fields = short
        assert (command.name, fields) == read_words(words)


@settings(max_examples=300, deadline=None)
@given(command_lines())
def test_what_click_refuses_is_left_to_click(words: list[str]) -> None:
    try:
        read_words(words)
    except click.ClickException:
        assert hot.parse(words) is None


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_example_of_every_command_takes_the_short_way(command: Command) -> None:
    import shlex  # noqa: PLC0415

    parsed = hot.parse(shlex.split(command.example)[1:])
    assert parsed is not None
    assert parsed[0] is command


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_a_method_with_those_fields(command: Command) -> None:
    known = set(METHODS[command.name].takes.__struct_encode_fields__)
    given_fields = {argument.field for argument in command.arguments}
    given_fields |= {option.field for option in command.options}
    assert given_fields <= known
    assert command.name in _RENDERERS


def test_every_method_for_people_is_a_command() -> None:
    assert set(METHODS) - {command.name for command in COMMANDS} == {"hello", "shutdown"}


def test_every_request_is_taken_by_a_method() -> None:
    kinds = {
        kind
        for kind in vars(requests).values()
        if isinstance(kind, type) and issubclass(kind, requests.Request)
    }
    taken = {method.takes for method in METHODS.values()}
    assert kinds - taken == {requests.Request, requests.ListRequest}


def test_the_short_way_loads_neither_click_nor_asyncio() -> None:
    words = ["-X", "importtime", "-m", "clew", "concept", "x", "--vault", "/", "--socket", "/none"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.split("\n")}
    assert "clew.surface.client" in loaded
    heavy = {"click", "asyncio", "msgspec", "numpy", "dataclasses", "tomllib", "typing", "socket"}
    assert not loaded & heavy
