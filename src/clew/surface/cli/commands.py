"""All click commands: the commands of the table, and the ones that run or start a daemon."""

import errno
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from clew import __version__
from clew.surface.cli.agents.commands import mcp
from clew.surface.cli.agents.rules import rules
from clew.surface.cli.agents.windows import assemble, trace
from clew.surface.cli.daemon.logs import logs
from clew.surface.cli.daemon.service import service
from clew.surface.cli.daemon.serving import serve
from clew.surface.cli.daemon.starting import start
from clew.surface.cli.daemon.stopping import stop
from clew.surface.cli.daemon.where import where
from clew.surface.cli.fast_path import read_value
from clew.surface.cli.lists.listings import shown_options
from clew.surface.cli.lists.options import LIST_OPTIONS, options_of
from clew.surface.cli.lists.watching import watch
from clew.surface.cli.map.command import draw_map
from clew.surface.cli.memory.table import SCRATCH_COMMANDS, SESSION_COMMANDS
from clew.surface.cli.output import (
    columns,
    complain,
    discard_output,
    print_document,
    print_errors,
)
from clew.surface.cli.run import INTERRUPTED, REFUSED, run
from clew.surface.cli.shell.completing import complete_value
from clew.surface.cli.shell.opening import open_note
from clew.surface.cli.shell.scripts import SCRIPTS
from clew.surface.cli.table import (
    CHOICE,
    COMMANDS,
    DECIMAL,
    FLAG,
    LINES,
    NUMBER,
    Argument,
    Command,
    Option,
)
from clew.surface.cli.words.groups import FoldedHelp, GroupedHelp, ShortHelp
from clew.surface.cli.words.mistakes import usage_lines
from clew.surface.server.child.spawning import EarlyStart

HELP_COLUMNS_MAX = 80
click.Context.formatter_class = FoldedHelp


@click.group(cls=GroupedHelp, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clew")
def cli() -> None:
    """Search and explore a folder of Markdown notes.

    A daemon watches the notes, turns [[wikilinks]] into concepts and answers over a local socket.
    These commands start it and send it requests. Begin with: clew start --vault DIR
    """


class _Read(click.ParamType[Any]):
    """A parameter type that click lacks; values are parsed as on the fast path."""

    def __init__(self, kind: str, name: str, example: str) -> None:
        self.name = name
        self._option = Option((), "", kind, "")
        self._example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        parsed = read_value(self._option, str(value))
        if parsed is None:
            self.fail(f"{value!r} is not {self.name}, such as {self._example}", param, ctx)
        return parsed


_KINDS: dict[str, click.ParamType[Any]] = {
    NUMBER: click.INT,
    DECIMAL: _Read(DECIMAL, "decimal", "0.5"),
    LINES: _Read(LINES, "first-last", "10-20"),
}


def _argument(argument: Argument) -> click.Argument:
    label = argument.name.upper() + ("..." if argument.many else "")
    parameter = click.Argument(
        [argument.field],
        required=argument.required,
        metavar=label if argument.required else f"[{label}]",
        nargs=-1 if argument.many else 1,
        callback=_joined if argument.many else None,
        shell_complete=complete_value,
    )
    parameter.name = argument.field  # click would convert it to lower case
    return parameter


def _joined(_: click.Context, __: click.Parameter, words: Sequence[str]) -> str | None:
    return " ".join(words) if words else None


def _parameter(option: Option) -> click.Option:
    if option.kind == FLAG:

        def set_to(_: click.Context, __: click.Parameter, is_set: bool | None) -> bool | str | None:
            return option.sets if is_set else None

        parameter = click.Option(
            option.flags, is_flag=True, default=None, help=option.help, callback=set_to
        )
    else:
        parameter = click.Option(
            option.flags,
            type=click.Choice(option.choices)
            if option.kind == CHOICE
            else _KINDS.get(option.kind, click.STRING),
            help=option.help,
            multiple=option.many,
            callback=_listed if option.many else None,
            shell_complete=None if option.choices else complete_value,
        )
    parameter.name = option.field  # click would derive a name from the flags
    return parameter


def _listed(_: click.Context, __: click.Parameter, values: Sequence[Any]) -> list[Any] | None:
    return list(values) or None


def _command(command: Command) -> click.Command:
    """Return the click command for a command of the table."""

    def call_back(**values: Any) -> None:
        fields = {name: value for name, value in values.items() if value is not None}
        sys.exit(run(command, fields))

    parameters: list[click.Parameter] = [_argument(argument) for argument in command.arguments]
    listed_options = shown_options(command.name)
    for option in options_of(command):
        parameter = _parameter(option)
        parameter.hidden = option in LIST_OPTIONS and option not in listed_options
        parameters.append(parameter)
    about = [f"{a.name.upper()}  {a.help}" for a in command.arguments]
    text = "\n\n".join(part for part in (command.help, *about, f"Example: {command.example}"))
    name = command.name.rpartition(".")[2]
    return ShortHelp(
        name, callback=call_back, params=parameters, help=text, short_help=command.help
    )


@cli.command()
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def completion(shell: str) -> None:
    """Print the completion script for a shell; it completes the names in your notes too.

    Example: clew completion bash >> ~/.bashrc
    """
    print_document(SCRIPTS[shell])


@cli.group()
def session() -> None:
    """Keep what was said in sessions of an agent, and recall it."""


@session.group()
def scratch() -> None:
    """Keep values that a session, or all of them, need for a while."""


for _group, _rows in (
    (cli, COMMANDS),
    (session, SESSION_COMMANDS),
    (scratch, SCRATCH_COMMANDS),
):
    for _row in _rows:
        _group.add_command(_command(_row))
_DAEMON_COMMANDS = (serve, start, stop, where, logs, service)
_AGENT_COMMANDS = (mcp, rules, assemble, trace)
for _click_command in (*_DAEMON_COMMANDS, *_AGENT_COMMANDS, draw_map, open_note, watch):
    cli.add_command(_click_command)


def read_words(words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return the command and the fields that click parses from ``words``, without running it.

    Raises:
        click.ClickException: the command line is wrong.
    """
    context = cli.make_context("clew", list(words), resilient_parsing=False)
    name, command, remaining = cli.resolve_command(context, list(words))
    assert name is not None
    assert command is not None
    command_context = command.make_context(name, remaining, parent=context)
    return name, {
        field: value for field, value in command_context.params.items() if value is not None
    }


def commands(words: Sequence[str], early: EarlyStart | None = None) -> int:
    """Run a command line through click; return the exit status.

    ``early``: the indexer and signal handlers that ``main`` has started for ``serve``.
    """
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    try:
        cli.main(
            args=list(words),
            prog_name="clew",
            standalone_mode=False,
            obj=early,
            terminal_width=min(columns(), HELP_COLUMNS_MAX) or None,
        )
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        print_errors(usage_lines(error, words))
        return error.exit_code
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(bool(done.code))
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        if early is not None or error.errno not in (None, errno.ENOSPC):
            raise
        # The disk is full, or there is no stdout.
        complain(f"cannot write {error.filename or 'the answer'}: {error.strerror or error}")
        discard_output()
        return REFUSED
    return os.EX_OK
