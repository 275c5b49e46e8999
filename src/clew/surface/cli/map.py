"""``clew map``: the whole vault as a page to walk around in."""

import os
import sys

import click

from clew.surface.cli.lifecycle import socket_option, vault_option
from clew.surface.cli.output import is_terminal, print_document, print_line
from clew.surface.cli.run import DONE, guarded
from clew.surface.client import call

NODES_MAX = 5_000


@click.command("map")
@vault_option
@socket_option
@click.option("-o", "--output", help="The file to write, - for standard output.")
@click.option(
    "-n",
    "--max-nodes",
    type=click.IntRange(1, NODES_MAX),
    default=2_000,
    show_default=True,
    help="At most this many concepts, the most mentioned.",
)
@click.option(
    "--open/--no-open", "opens", default=None, help="Show it in a browser; so does a terminal."
)
def draw_map(
    *,
    vault: str | None,
    socket_: str | None,
    output: str | None,
    max_nodes: int,
    opens: bool | None,
) -> None:
    """Draw the concepts of the vault by communities, as a page that needs no network.

    The most mentioned concepts are drawn, with their strongest connections. The page is written
    beside the daemon's state unless --output says where; some browsers may not look there.

    Example: clew map --output tides.html --no-open
    """

    def ask(path: str) -> int:
        page = call(path, "graph", {"maxNodes": max_nodes, "format": "html"})["text"]
        place = output or os.path.join(call(path, "status", {})["state"], "map.html")
        os.umask(0o077)  # it tells as much as the notes do
        if place == "-":
            print_document(page)
            return DONE
        with click.open_file(place, "w", encoding="utf-8", atomic=True) as file:
            file.write(page)
        print_line(place)
        if opens or (opens is None and is_terminal() and _has_screen()):
            click.launch(place)
        return DONE

    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


def _has_screen() -> bool:
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
