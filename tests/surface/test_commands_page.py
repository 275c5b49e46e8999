"""docs/commands.md is generated from the commands: every one, with its options and defaults.

Set CLEW_UPDATE=1 to write it.
"""

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import NODEFAULT, UNSET
from msgspec.structs import fields

from clew.surface.cli.commands import cli
from clew.surface.cli.lists.listings import shown_options
from clew.surface.cli.lists.options import LIST_OPTIONS
from clew.surface.cli.memory.table import SCRATCH_COMMANDS, SESSION_COMMANDS
from clew.surface.cli.table import COMMANDS, COMMON, Option
from clew.surface.server.answers.dispatch import METHODS
from tests.tables import for_each_row

PAGE = Path(__file__).parent.parent.parent / "docs" / "commands.md"
BY_NAME = {command.name: command for command in (*COMMANDS, *SESSION_COMMANDS, *SCRATCH_COMMANDS)}
HEAD = """# Commands

Every command with its options and their defaults. This page is made from the code. What the replies
hold is in [protocol.md](protocol.md), and `clew COMMAND --json` prints them.
"""
COMMON_HEAD = """## Options of all commands that ask the daemon

They stand before the command or after it: `clew --vault ~/notes search tide`.
"""
STATUS_HEAD = """## Exit statuses

| status | means |
|---|---|
| 0 | done |
| 0 | done, and the answer is empty: nothing was found, or no note links to such a concept |
| 1 | refused: no note has the name, or several have it, or the first index has not got it yet |
| 1 | a file cannot be written; the daemon does not start, or does not end |
| 1 | `verify`: a reference does not stand. `rules check`: there is a mistake |
| 1 | `-l`, `--names`, `--grep`: rows are left out, whose names have a line break |
| 2 | wrong usage: a command, an option or its value that cannot be used, such as `-n 0` |
| 2 | a file that cannot be read, or a folder that is no vault |
| 3 | no daemon answers; stderr says how to start one |
| 130 | interrupted by Ctrl-C |

An unknown concept is an empty answer, since any name can be a concept; a note is there or not.
"""
LISTS_HEAD = """## Options that print rows for other programs

The commands that list rows take some of these. [recipes.md](recipes.md) shows their use.
"""


def page() -> str:
    context = click.Context(cli, info_name="clew")
    sections = [
        HEAD,
        COMMON_HEAD,
        _list([_option(option, "") for option in COMMON]),
        LISTS_HEAD,
        _list([_option(option, "") for option in LIST_OPTIONS]),
        STATUS_HEAD,
        *_sections(cli, context),
    ]
    return "\n".join(sections)


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in sorted(group.commands):
        command = group.commands[name]
        inner = click.Context(command, info_name=name, parent=context)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield from _section(command, inner)
        if isinstance(command, click.Group):
            yield from _sections(command, inner)


def _section(command: click.Command, context: click.Context) -> Iterator[str]:
    title = context.command_path.removeprefix("clew ")
    usage = " ".join(command.collect_usage_pieces(context))
    text = (command.help or "").replace("\b\n", "")
    about, _, example = text.partition("Example: ")
    yield f"## {title}\n"
    yield f"`{context.command_path} {usage}`\n"
    paragraphs = (
        " ".join(map(str.strip, paragraph.splitlines())).strip()
        for paragraph in about.split("\n\n")
    )
    yield from (f"{textwrap.fill(each, 108)}\n" for each in paragraphs if each)
    if example:
        yield f"```\n{example.strip()}\n```\n"
    options = list(_options(command, title))
    if options:
        yield _list(options)


def _options(command: click.Command, title: str) -> Iterator[str]:
    method = title.replace(" ", ".")
    if method in BY_NAME:
        for option in BY_NAME[method].options:
            yield _option(option, _default(method, option))
        if for_programs := shown_options(title):
            flags = ", ".join(f"`{option.flags[0]}`" for option in for_programs)
            yield f"{flags}: Print the rows for another program."
        return
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            metavar = parameter.make_metavar(click.Context(command))
            kind = "" if parameter.is_flag else f" {metavar}"
            flags = ", ".join(parameter.opts)
            yield f"`{flags}{kind}`: {parameter.help}{_shown_default(parameter)}"


def _shown_default(parameter: click.Option) -> str:
    is_shown = isinstance(parameter.default, str | int) and not parameter.is_flag
    return f" Default: {parameter.default}." if is_shown else ""


def _option(option: Option, default: str) -> str:
    kinds = {"flag": "", "choice": " " + "|".join(option.choices), "lines": " FIRST-LAST"}
    kind = kinds.get(option.kind, f" {option.kind.upper()}")
    told = f" Default: {default}." if default else ""
    return f"`{', '.join(option.flags)}{kind}`: {option.help}{told}"


def _default(method: str, option: Option) -> str:
    """Return the default of the request's field that an option fills; "" if it says nothing."""
    by_name = {field.encode_name: field for field in fields(METHODS[method].request_type)}
    field = by_name.get(option.field)
    if (method, option.field) == ("graph", "format"):
        return ""  # without the option, the command prints a table
    if field is None or option.kind == "flag" or field.default in (None, NODEFAULT, UNSET, ()):
        return ""
    return str(field.default)


def _list(options: list[str]) -> str:
    wrapped = (textwrap.fill(text, 108, subsequent_indent="  ") for text in options)
    return "\n".join(f"- {text}" for text in wrapped) + "\n"


def test_the_page_of_commands_is_up_to_date() -> None:
    text = page()
    if os.environ.get("CLEW_UPDATE"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text


@for_each_row(
    "name",
    sorted(
        {*METHODS}
        - {"assemble", "complete", "describe", "evaluateRules", "hello", "shutdown"}
        - {"subscribe", "trace", "validate"}
    ),
)
def test_every_method_has_a_command(name: str) -> None:
    assert name in BY_NAME
