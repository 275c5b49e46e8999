"""The click commands ``clew mcp`` and ``clew mcp install``."""

import difflib
import os
import sys

import click

from clew.surface.cli.agents.clients import CLIENTS, Client, block, entry
from clew.surface.cli.agents.editing import CannotEdit, edited
from clew.surface.cli.daemon.options import chosen_vault, socket_option, vault_option
from clew.surface.cli.output import complain, print_line, print_lines
from clew.surface.cli.run import REFUSED
from clew.surface.mcp.command import GROUPS, serve

_CONFIG_BYTES_MAX = 64 * 1024 * 1024
_autostart = click.option("--autostart", is_flag=True, help="Start a daemon if none answers.")

_tools = click.option(
    "--tools",
    type=click.Choice(GROUPS),
    multiple=True,
    help="Serve this group of tools too; may be repeated.",
)


@click.group(invoke_without_command=True)
@vault_option
@socket_option
@_autostart
@_tools
@click.pass_context
def mcp(
    context: click.Context,
    vault: str | None,
    socket_: str | None,
    tools: tuple[str, ...],
    *,
    autostart: bool,
) -> None:
    """Serve the notes to an agent: the Model Context Protocol over stdin and stdout.

    A client, such as an editor, runs this; "clew mcp install" says how to set it up.

    Example: clew mcp --vault ~/notes --autostart
    """
    if context.invoked_subcommand is None:
        serve(vault, socket_, tools, autostart=autostart)


@mcp.command()
@click.option("--client", required=True, type=click.Choice(list(CLIENTS)), help="Which client.")
@click.option("--write", is_flag=True, help="Write it into the client's config, and show the diff.")
@vault_option
@socket_option
def install(client: str, *, write: bool, vault: str | None, socket_: str | None) -> None:
    """Print the block that sets up a client, to paste into its config.

    Example: clew mcp install --client claude-code --vault ~/notes
    """
    options = ["--vault", chosen_vault(vault), "--autostart"]
    options += ["--socket", os.path.abspath(os.path.expanduser(socket_))] if socket_ else []
    chosen = CLIENTS[client]
    server = entry(chosen, options, os.environ)
    path = chosen.path(os.path.expanduser("~"))
    if not write:
        print_lines(block(chosen, server).splitlines())
        complain(f"paste this into {path}, or repeat the command with --write")
        return
    try:
        _write(chosen, path, edited(chosen, old_text := _read(path), server), old_text)
    except (CannotEdit, OSError, ValueError) as error:
        complain(f"{path} is unchanged: {error}")
        sys.exit(REFUSED)


def _read(path: str) -> str:
    """Return the text of a config file, ``""`` if there is none.

    Raises:
        CannotEdit: the file is far too large for a config.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read(_CONFIG_BYTES_MAX)
    except FileNotFoundError:
        return ""
    if len(text) == _CONFIG_BYTES_MAX:
        raise CannotEdit("the file is too large")
    return text


def _write(client: Client, path: str, text: str, old_text: str) -> None:
    """Print the diff, then replace the file, or the target of a symbolic link; keep its mode."""
    if text == old_text:
        print_line(f"{path} has it already")
        return
    lines = difflib.unified_diff(old_text.splitlines(), text.splitlines(), path, path, lineterm="")
    print_lines(lines)
    real = os.path.realpath(path)
    os.makedirs(os.path.dirname(real), exist_ok=True)
    new = f"{real}.clew-{os.getpid()}"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(real):
            os.chmod(new, os.stat(real).st_mode & 0o7777)
        os.replace(new, real)
    except OSError:
        os.unlink(new)
        raise
    complain(f"wrote {path}: start {client.name} again")
