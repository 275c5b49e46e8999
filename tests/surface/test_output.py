"""The command line prints through one module, which prevents text from controlling a terminal."""

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.surface import cli
from clew.surface.cli.commands import commands
from clew.surface.cli.lines import harmless
from clew.surface.cli.output import (
    Dim,
    Heading,
    escaped_json,
    has_colour,
    print_lines,
    styled,
)
from clew.surface.cli.run import DONE, REFUSED, guarded
from tests.hostile_names import HOSTILE
from tests.steering import STEERING
from tests.tables import for_each_row

SOURCE = Path(next(iter(cli.__path__)))
PRINTER = "output.py"

# Calls that print, or return something that does.
STREAMS = frozenset(("stdout", "stderr", "__stdout__", "__stderr__"))
PRINTERS = frozenset(
    (
        "echo",
        "echo_via_pager",
        "secho",
        "confirm",
        "prompt",
        "style",
        "print_exc",
        "print_exception",
    )
)
MODULES = frozenset(("logging", "pprint", "traceback", "warnings"))

texts = st.text(st.characters(exclude_categories=())) | st.sampled_from(HOSTILE)


def prints(tree: ast.Module) -> list[str]:
    """Return the positions in a module where it may print."""
    places = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "print":
            places.append(f"{node.lineno}: print")
        elif isinstance(node, ast.Attribute) and _prints(node):
            places.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom | ast.Import):
            places += [f"{node.lineno}: {name}" for name in _printing_imports(node)]
        elif isinstance(node, ast.Call) and _shows(node):
            places.append(f"{node.lineno}: {ast.unparse(node)}")
    return places


def _prints(node: ast.Attribute) -> bool:
    name = ast.unparse(node)
    return node.attr in PRINTERS or node.attr in STREAMS or name in ("os.write", "os.writev")


def _printing_imports(node: ast.ImportFrom | ast.Import) -> list[str]:
    modules = [name.name for name in node.names] if isinstance(node, ast.Import) else [node.module]
    names = [name.name for name in node.names] if isinstance(node, ast.ImportFrom) else []
    return [str(name) for name in modules if name in MODULES] + [
        name for name in names if name in PRINTERS | STREAMS
    ]


def _shows(call: ast.Call) -> bool:
    """Return whether a call makes click itself print an error to stderr."""
    is_show = isinstance(call.func, ast.Attribute) and call.func.attr == "show"
    return is_show and not any(word.arg == "file" for word in call.keywords)


@for_each_row("module", sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")))
def test_only_one_module_prints(module: str) -> None:
    places = prints(ast.parse((SOURCE / module).read_text()))
    assert bool(places) == (module == PRINTER), places


@for_each_row(
    "line",
    [
        "print('a')",
        "say = print",
        "sys.stdout.write('a')",
        "sys.stderr.buffer.write(b'a')",
        "from sys import stdout",
        "click.echo('a')",
        "from click import secho",
        "error.show()",
        "os.write(1, b'a')",
        "import traceback",
        "from logging import getLogger",
    ],
)
def test_calls_that_print_are_found(line: str) -> None:
    assert prints(ast.parse(line))


@pytest.mark.parametrize("line", ["print_line('a')", "error.show(file=buffer)", "file.write('a')"])
def test_other_calls_are_allowed(line: str) -> None:
    assert not prints(ast.parse(line))


@given(st.lists(texts))
@example(list(HOSTILE))
def test_a_line_for_people_has_no_control_character(parts: list[str]) -> None:
    line = styled([tuple(parts)], colour=False)
    assert line.endswith("\n")
    assert not STEERING.search(line[:-1].replace("\t", ""))
    assert "\n" not in line[:-1]
    assert line.encode().decode() == line


@given(texts)
def test_only_our_own_styles_reach_a_terminal(text: str) -> None:
    lines = styled([(Heading(text), Dim(text), text)], colour=True)
    for style in ("\x1b[1m", "\x1b[2m", "\x1b[0m"):
        lines = lines.replace(style, "")
    assert lines == harmless(text) * 3 + "\n"


def test_bytes_of_a_path_that_are_not_utf_8_are_escaped() -> None:
    assert harmless("caf\udce9\ud800") == "caf\\xe9\ufffd"
    assert harmless("Open\u00a0the\u3000door") == "Open the door"


def test_joiners_within_words_and_emoji_are_kept() -> None:
    text = "می\u200cخواهم 👩\u200d🚀 क्\u200dष"
    assert harmless(text) == text


values = st.recursive(
    texts | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
)


@given(values)
@example({name: [name] for name in HOSTILE})
def test_escaped_json_has_the_same_value_and_no_control_character(value: Any) -> None:
    body = json.dumps(value, ensure_ascii=False)
    escaped = escaped_json(body)
    assert not STEERING.search(escaped)
    assert json.loads(escaped) == json.loads(body)


def test_json_keeps_the_letters_of_all_scripts() -> None:
    body = '{"a":"潮汐　می\u200cخواهم 👩\u200d🚀 é"}'
    assert escaped_json(body) == body


def test_without_a_stdout_the_answer_cannot_be_written_and_other_faults_are_not_called_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(_: str) -> int:
        print_lines(["a line"], colour=has_colour())
        return DONE

    def fail(_: str) -> int:
        raise AttributeError("a fault of the program")

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        assert guarded(ask, {"socket": "any"}) == REFUSED
    assert capsys.readouterr().err == "clew: the answer cannot be written: there is no stdout\n"
    with pytest.raises(AttributeError):
        guarded(fail, {"socket": "any"})


@pytest.mark.parametrize("words", [["completion", "bash"], ["search", "--help"]])
def test_on_a_full_disk_a_command_without_a_daemon_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with open("/dev/full", "w") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        assert commands(words) == REFUSED
    message = "clew: cannot write the answer: No space left on device\n"
    assert capsys.readouterr().err == message


def test_without_a_stdout_a_command_without_a_daemon_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        assert commands(["completion", "bash"]) == REFUSED
    assert capsys.readouterr().err == "clew: cannot write the answer: there is no stdout\n"
