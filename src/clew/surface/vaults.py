"""Find the vault that a command is for.

Every client command loads this module, so it imports nothing slow.
"""

import os

from clew.surface.places import RECORD_FILE, config_value, default_state_folder

_MARKERS = (".obsidian", ".clew")


class NoVault(Exception):
    """No vault was given and none was found."""


def find_vault(named: str | None) -> str:
    """Return the real path of the vault that a command is for.

    The first of these is used: the path given, ``$CLEW_VAULT``, the nearest folder from the working
    folder upward that has ``.obsidian`` or ``.clew`` in it or that a daemon serves, the config's
    ``[vault] path``.

    Raises:
        NoVault: none of these gives a vault, or the path is not a folder.
    """
    vault = (
        named
        or os.environ.get("CLEW_VAULT")
        or _vault_around_working_folder()
        or config_value("vault", "path")
    )
    if not vault:
        raise NoVault("no vault here: give --vault DIR or set CLEW_VAULT")
    vault = os.path.realpath(os.path.expanduser(vault))
    if not os.path.isdir(vault):
        raise NoVault(f"no folder {vault}")
    return vault


def _vault_around_working_folder() -> str | None:
    try:
        folder = os.getcwd()
    except OSError:
        return None  # the working folder was deleted
    while True:
        if any(os.path.isdir(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        if _is_served(folder):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _is_served(folder: str) -> bool:
    """Return whether a daemon of this user serves the folder with its default state folder."""
    state = default_state_folder(folder)
    if not os.path.exists(os.path.join(state, RECORD_FILE)):
        return False
    from clew.surface.record import live_record  # noqa: PLC0415 - most folders have no record

    return live_record(state) is not None
