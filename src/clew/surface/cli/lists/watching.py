"""The command ``clew watch``: print a line for each note as soon as it changes."""

import sys

import click

from clew.surface.cli.daemon.options import socket_option, vault_option
from clew.surface.cli.lines import path_of, table
from clew.surface.cli.note_names import vault_at
from clew.surface.cli.output import columns, complain, print_json, print_lines
from clew.surface.cli.run import DONE, guarded
from clew.surface.client import NoDaemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.values.daemon_replies import Changed


@click.command("watch")
@vault_option
@socket_option
@click.option("--json", "is_json", is_flag=True, help="Print each notification as a line of JSON.")
def watch(*, vault: str | None, socket_: str | None, is_json: bool) -> None:
    """Print a line for each note that is added, modified or removed, until Ctrl-C is pressed.

    A renamed note is removed and added. It goes on when the daemon is started again, and tells what
    changed meanwhile if that is known.

    Example: clew watch
    """

    def ask(path: str) -> int:
        from clew.surface.python.address import Address  # noqa: PLC0415 - not for other commands
        from clew.surface.python.vaults import Vault  # noqa: PLC0415

        try:
            with Vault(Address(None, path)).subscribe(include_private="ifAllowed") as changes:
                if not is_json:
                    complain(f"watching {vault_at(path)} until Ctrl-C is pressed here")
                for changed in changes:
                    _print(changed, is_json=is_json)
        except TimeoutError as error:
            raise NoDaemon(str(error)) from error
        return DONE

    sys.exit(guarded(ask, {"vault": vault, "socket": socket_}))


def _print(changed: "Changed", *, is_json: bool) -> None:
    if is_json:
        import msgspec  # noqa: PLC0415 - not for other commands

        print_json(msgspec.json.encode(changed))
    elif changed.overflow:
        complain("many notes changed: see clew recent")
    else:
        kinds = {"added": changed.added, "modified": changed.modified, "removed": changed.removed}
        rows = [(kind, path_of(uri)) for kind, uris in kinds.items() for uri in uris]
        print_lines(table(rows, columns()))
