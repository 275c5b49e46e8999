"""Find the vault that a command is for.

Every client command loads this module, so it imports nothing slow.
"""

import os

from clew.surface.paths import (
    RECORD_FILE,
    VAULT_FILE,
    config_value,
    default_state_folder,
    socket_path,
    state_folder,
    state_home,
)

_MARKERS = (".obsidian", ".clew")
_HINTED_MAX = 3
_PATH_BYTES_MAX = 4096
_HELLO_SECONDS_MAX = 5.0


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

    The folder may be missing, as on a disk that was unplugged, if a daemon serves or served it: the
    daemon still answers from its index.

    Raises:
        NoVault: none of these gives a vault, or the path is not a folder and no daemon knows it.
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
    if not os.path.isdir(vault) and not _is_known(vault):
        check_folder(vault)
    return vault


def check_folder(vault: str) -> None:
    """Check that the folder of a vault is there, as a daemon needs it to start.

    Raises:
        NoVault: it is not.
    """
    if not os.path.isdir(vault):
        hint = "if its disk is not mounted, mount it; else check the path"
        raise NoVault(f"no folder {vault}", hint)


def _is_known(vault: str) -> bool:
    """Return whether a daemon serves, or once served, a vault whose folder is missing."""
    if _vault_of(state_folder(vault)) == vault:
        return True
    # The socket of a daemon that has its state elsewhere (``--state``). If the config names the
    # socket, the daemon of another vault may answer there.
    from clew.surface.client import PROTOCOL, NoDaemon, Refused, call  # noqa: PLC0415 - rarely needed

    try:
        hello = call(socket_path(vault), "hello", {"protocol": PROTOCOL}, _HELLO_SECONDS_MAX)
    except (NoDaemon, Refused):
        return False
    return bool(hello["vault"] == vault)


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
