"""The fast path and click share one table and read every command line alike."""

import shlex
import subprocess
import sys

import click
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli import fast_path, render, render_search
from clew.surface.cli.commands import read_words
from clew.surface.cli.lists.options import options_of
from clew.surface.cli.memory.table import SCRATCH_COMMANDS, SESSION_COMMANDS
from clew.surface.cli.run import params_of
from clew.surface.cli.table import (
    BY_NAME,
    CHOICE,
    COMMANDS,
    DECIMAL,
    FINDING,
    FLAG,
    LINES,
    NUMBER,
    Command,
)
from clew.surface.server.answers.dispatch import METHODS
from clew.values import requests
from clew.values.memory import requests as memory_requests
from tests.examples import examples
from tests.tables import for_each_row

VALUES = {
    NUMBER: ["0", "7", "-1", "x", "1e3"],
    DECIMAL: ["0", "0.5", ".5", "1.", "-.5", ".", "nan", "1e3", "0.5.5", "٣"],
    LINES: ["1-5", "3", "a-b"],
    FLAG: [],
}


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Draw the words of a command line, some of them invalid."""
    command: Command = draw(st.sampled_from(COMMANDS))
    words = []
    for option in draw(st.lists(st.sampled_from(options_of(command)), max_size=5)):
        flag = draw(st.sampled_from(option.flags))
        if option.kind == FLAG:
            words.append([flag])
            continue
        choices = option.choices if option.kind == CHOICE else VALUES.get(option.kind, ["a b"])
        value = draw(st.sampled_from([*choices, "odd"]))
        together = flag.startswith("--") and draw(st.booleans())
        words.append([f"{flag}={value}"] if together else [flag, value])
    is_many = any(argument.many for argument in command.arguments)
    count = draw(st.integers(0, 3 if is_many else len(command.arguments) + 1))
    words += [[draw(st.sampled_from(["name", "two words", "潮汐", "1", ""]))] for _ in range(count)]
    shuffled = draw(st.permutations(words))
    return [command.name, *(word for group in shuffled for word in group)]


@examples(600)
@given(command_lines())
def test_the_fast_path_reads_what_click_reads(words: list[str]) -> None:
    short = fast_path.parse(words)
    if short is not None:
        command, fields = short
        assert (command.name, fields) == read_words(words)


@for_each_row(
    ("text", "read"),
    [("0.5", 0.5), ("1", 1.0), (".5", 0.5), ("1.", 1.0), ("-.5", -0.5)]
    + [(odd, None) for odd in ("", ".", "0.5.5", "1e3", "nan", "inf", "٣", "1_0", " 1", "9" * 99)],
)
def test_a_decimal_is_digits_with_at_most_one_point(text: str, read: float | None) -> None:
    option = next(option for option in BY_NAME["search"].options if option.kind == DECIMAL)
    assert fast_path.read_value(option, text) == read


@examples(300)
@given(command_lines())
def test_what_click_refuses_is_left_to_click(words: list[str]) -> None:
    try:
        read_words(words)
    except click.ClickException:
        assert fast_path.parse(words) is None


@for_each_row(
    ("line", "ordered"),
    [
        ("--vault a search x", "search x --vault a"),
        ("--vault=a --json search x -n 3", "search x --vault=a --json -n 3"),
        ("--socket s search -- -x", "search --socket s -- -x"),
        ("--vault a session list", "session list --vault a"),
        ("--vault a --state b start --wait", "start --vault a --state b --wait"),
        ("--vault -x search y -n", "search y --vault -x -n"),
        # These have no command, or another option before it, which click explains.
        *((line, line) for line in ("", "--vault", "--vault a", "--json", "--vault a --help")),
        *((line, line) for line in ("-n 3 search x", "--vault a -n 3 search x", "search --json")),
    ],
)
def test_options_of_every_request_may_precede_the_command(line: str, ordered: str) -> None:
    assert fast_path.command_first(line.split()) == ordered.split()


def test_clew_takes_options_before_the_command() -> None:
    words = ["--socket", "/nowhere/x.sock", "status"]
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "no daemon at /nowhere/x.sock" in done.stderr


@for_each_row("command", COMMANDS)
def test_the_fast_path_reads_the_example_of_every_command(command: Command) -> None:
    parsed = fast_path.parse(shlex.split(command.example)[1:])
    assert parsed is not None
    assert parsed[0] is command


@for_each_row("command", COMMANDS)
def test_every_command_fills_fields_of_its_method(command: Command) -> None:
    known = set(METHODS[command.name].request_type.__struct_encode_fields__)
    given_fields = {argument.field for argument in command.arguments}
    given_fields |= {option.field for option in command.options}
    if "filters" in known:
        known |= {f"filters.{name}" for name in requests.Filters.__struct_encode_fields__}
    assert given_fields <= known
    renderers = render_search.RENDERERS if command.name in FINDING else render.RENDERERS
    assert command.name in renderers or command.name == "expand"  # whose reply is a text


def request(line: str) -> requests.Request:
    """Return the request of a command line, read by the fast path."""
    parsed = fast_path.parse(shlex.split(line))
    assert parsed is not None, line
    command, fields = parsed
    return msgspec.convert(params_of(fields), METHODS[command.name].request_type)


@for_each_row(
    ("line", "asked"),
    [
        ("search high tide", requests.Search(query="high tide")),
        ("search -n 3 'high  tide' in -m graph Muros --explain", requests.Search(
            query="high  tide in Muros", limit=3, mode="graph", explain=True)),
        ("search tide --no-fuzzy --ranking additive --cursor 20", requests.Search(
            query="tide", fuzzy=False, ranking="additive", cursor="20")),
        ("search tide --type note --folder=a/b --min-importance 0.5 --since 2025 --until 2026",
            requests.Search(query="tide", filters=requests.Filters(
                type="note", folder="a/b", min_importance=0.5, since="2025", until="2026"))),
        ("search tide --tag a --concept x --tag=b --source s --concept 'y z' --source t",
            requests.Search(query="tide", filters=requests.Filters(
                tags=("a", "b"), entity=("x", "y z"), source=("s", "t")))),
        ("search -- -x --tag", requests.Search(query="-x --tag")),
        ("search ''", requests.Search(query="")),
    ],
)  # fmt: skip
def test_a_command_line_becomes_the_request(line: str, asked: requests.Request) -> None:
    assert request(line) == msgspec.structs.replace(asked, include_private="ifAllowed")


def test_every_method_but_a_few_has_a_command() -> None:
    commands = (*COMMANDS, *SESSION_COMMANDS, *SCRATCH_COMMANDS)
    assert set(METHODS) - {command.name for command in commands} == {
        "assemble",  # `clew assemble --file` sends it
        "complete",  # the shell sends it
        "describe",  # for programs
        "evaluateRules",  # `clew rules check` sends it
        "hello",
        "shutdown",
        "subscribe",  # `clew watch` sends it
        "trace",  # `clew trace` sends it
        "validate",
    }


def test_every_request_is_accepted_by_its_method() -> None:
    kinds = {
        kind
        for kind in (*vars(requests).values(), *vars(memory_requests).values())
        if isinstance(kind, type) and issubclass(kind, requests.Request)
    }
    taken = {method.request_type for method in METHODS.values()}
    assert kinds - taken == {requests.Request, requests.ListRequest, requests.TaskRequest}


def test_the_fast_path_loads_neither_click_nor_asyncio() -> None:
    words = ["-X", "importtime", "-m", "clew", "concept", "x", "--vault", "/", "--socket", "/none"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.split("\n")}
    assert "clew.surface.client" in loaded
    heavy = {"click", "asyncio", "msgspec", "numpy", "dataclasses", "tomllib", "typing", "socket"}
    assert not loaded & heavy
