"""The command ``clew map``."""

import os
import sys

import click

from clew.surface.cli.daemon.options import socket_option, vault_option
from clew.surface.cli.output import complain, is_terminal, print_address, print_document
from clew.surface.cli.run import DONE, REFUSED, guarded, params_of
from clew.surface.client import call

NODES_MAX = 5_000


@click.command("map")
@vault_option
@socket_option
@click.option("-o", "--output", help="The file to write; - for standard output.")
@click.option(
    "-n",
    "--max-nodes",
    type=click.IntRange(1, NODES_MAX),
    default=2_000,
    show_default=True,
    help="Draw at most this many concepts, the most mentioned ones.",
)
@click.option(
    "--open/--no-open",
    "opens",
    default=None,
    help="Open the page in a browser. Default: if stdout is a terminal.",
)
@click.option(
    "--live", is_flag=True, help="Serve a page that follows the vault, until Ctrl-C is pressed."
)
def draw_map(
    *,
    vault: str | None,
    socket_: str | None,
    output: str | None,
    max_nodes: int,
    opens: bool | None,
    live: bool,
) -> None:
    """Draw the concepts of the vault by communities, as an HTML page that needs no network.

    The page shows the most mentioned concepts and their strongest connections. Without --output it
    is written to the daemon's state folder, where some browsers cannot open it.

    With --live nothing is written: the page is at an address of this machine that only the first
    browser can open, and shows what changes in the vault while the command runs.

    Example: clew map --output tides.html --no-open
    """
    if live and output is not None:
        raise click.UsageError("--live writes no file: leave out --output")

    def ask(path: str) -> int:
        if live:
            return _serve_live(path, max_nodes, opens=opens)
        params = params_of({"maxNodes": max_nodes, "format": "html"})
        page = call(path, "graph", params)["text"]
        target = output or os.path.join(call(path, "status", {})["state"], "map.html")
        os.umask(0o077)  # the page is as private as the notes
        if target == "-":
            print_document(page)
            return DONE
        try:
            with click.open_file(target, "w", encoding="utf-8", atomic=True) as file:
                file.write(page)
        except OSError as error:  # the error itself would name the temporary file
            complain(f"cannot write {target}: {error.strerror}")
            return REFUSED
        print_address(target)
        _launch(target, opens=opens)
        return DONE

    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


def _serve_live(path: str, max_nodes: int, *, opens: bool | None) -> int:
    from clew.surface.cli.map.live import Drawing, PageServer  # noqa: PLC0415 - 20 ms

    params = params_of({"maxNodes": max_nodes, "format": "html", "live": True})

    def state() -> tuple[int, int]:
        status = call(path, "status", {})
        return status["revision"], status["stages"]["communities"]["revision"]

    drawing = Drawing(state, draw=lambda: call(path, "graph", params)["text"])
    drawing.newest()  # raises the daemon's refusal before the page is served
    with PageServer(drawing) as server:
        print_address(server.address)
        complain("the page is live until Ctrl-C is pressed here")
        _launch(server.address, opens=opens)
        server.serve_forever()
    return DONE


def _launch(target: str, *, opens: bool | None) -> None:
    if opens or (opens is None and is_terminal() and _has_screen()):
        click.launch(target)


def _has_screen() -> bool:
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
