"""Find the vault that a command is for.

Every client command loads this module, so it imports nothing slow.
"""

import os

from clew.surface.paths import (
    RECORD_FILE,
    VAULT_FILE,
    config_value,
    default_state_folder,
    state_home,
)

_MARKERS = (".obsidian", ".clew")
_HINTED_MAX = 3
_PATH_BYTES_MAX = 4096


class NoVault(Exception):
    """No vault was given and none was found; ``hints`` are further lines for the user."""

    def __init__(self, message: str, *hints: str) -> None:
        super().__init__(message)
        self.hints = hints


def find_vault(named: str | None) -> str:
    """Return the real path of the vault that a command is for.

    The first of these is used: the path given, ``$CLEW_VAULT``, the nearest folder from the working
    folder upward that has ``.obsidian`` or ``.clew`` in it or that a daemon serves or served, the
    config's ``[vault] path``.

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
        raise NoVault("no vault here: give --vault DIR or set CLEW_VAULT", *_hints())
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
        if _was_served(folder):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _was_served(folder: str) -> bool:
    """Return whether a daemon serves, or once served, the folder with its default state folder.

    So a vault without ``.obsidian`` is still found after its daemon has stopped.
    """
    state = default_state_folder(folder)
    if os.path.exists(os.path.join(state, VAULT_FILE)):
        return True
    if not os.path.exists(os.path.join(state, RECORD_FILE)):
        return False
    from clew.surface.record import live_record  # noqa: PLC0415 - most folders have no record

    return live_record(state) is not None


def _hints() -> list[str]:
    """Return advice for when no vault is found, with the most recently used vaults."""
    advice = "to serve the notes in this folder: clew start --vault ."
    used = _used_vaults()
    return [advice, f"vaults used before: {', '.join(used)}"] if used else [advice]


def _used_vaults() -> list[str]:
    """Return the vaults served with default state folders, the most recently used first."""
    try:
        states = [entry.path for entry in os.scandir(state_home()) if entry.is_dir()]
    except OSError:
        return []
    states.sort(key=_changed_at, reverse=True)
    vaults = (_vault_of(state) for state in states)
    existing = [vault for vault in vaults if vault and os.path.isdir(vault)]
    return existing[:_HINTED_MAX]


def _changed_at(folder: str) -> float:
    try:
        return os.stat(folder).st_mtime
    except OSError:
        return 0.0


def _vault_of(state: str) -> str:
    try:
        with open(os.path.join(state, VAULT_FILE), "rb") as file:
            return os.fsdecode(file.read(_PATH_BYTES_MAX))
    except OSError:
        return ""
