"""The paths of a vault, its state folder, its socket and the config.

Every client command loads this module, so it imports nothing slow, and parses the config file only
if it may contain a path.
"""

import os
import sys
import zlib

# sun_path of macOS and of Linux, without the null byte at its end.
SOCKET_PATH_BYTES_MAX = 103 if sys.platform == "darwin" else 107
LOCK_FILE = "lock"  # in a state folder
RECORD_FILE = "daemon.json"  # in a state folder: the daemon's process and socket
VAULT_FILE = "vault"  # in a state folder: the path of the vault that it belongs to
LOG_FILE = "daemon.log"  # in a state folder: written by a daemon in the background


def vault_id(vault: str) -> str:
    """Return a short name for a vault, which depends only on the real path and the folder's name.

    The folder's name makes it readable; two checksums of the real path make it unique.
    """
    path = os.fsencode(os.path.realpath(vault))
    name = os.path.basename(vault.rstrip("/")).lower()
    slug = "".join(character for character in name if character.isascii() and character.isalnum())
    return f"{slug[:16] or 'vault'}-{zlib.crc32(path):08x}{zlib.crc32(path[::-1]):08x}"


def state_folder(vault: str, named: str | None = None) -> str:
    """Return the state folder of a vault: the named one, the config's, or the default."""
    named = named or config_value("server", "state")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    return default_state_folder(vault)


def default_state_folder(vault: str) -> str:
    """Return the state folder of a vault for which the config names none."""
    return os.path.join(state_home(), vault_id(vault))


def state_home() -> str:
    """Return the folder that contains the default state folders of all vaults."""
    home = base_folder("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(home, "clew")


def base_folder(variable: str) -> str | None:
    """Return the folder that a variable of the XDG base directories names, if it is absolute.

    A relative one is to be ignored, by their specification: it would be another folder for each
    working folder.
    """
    folder = os.environ.get(variable)
    return folder if folder and os.path.isabs(folder) else None


def log_path(state: str) -> str:
    """Return the path of the log of a daemon in the background."""
    return os.path.join(state, LOG_FILE)


def socket_path(vault: str, named: str | None = None) -> str:
    """Return the path of the socket of a vault's daemon, in the runtime folder if there is one.

    It does not depend on ``--state``, so every command computes the same path.
    """
    named = named or config_value("server", "socket")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    runtime = base_folder("XDG_RUNTIME_DIR")
    if runtime and os.path.isdir(runtime) and os.access(runtime, os.W_OK | os.X_OK):
        path = os.path.join(runtime, "clew", f"{vault_id(vault)}.sock")
        if fits_socket(path):
            return path
    return fallback_socket(vault)


def fallback_socket(vault: str) -> str:
    """Return the socket path without a runtime folder: in the state folder, or a shorter path.

    Another user can create the folder of the shorter path first. Then the daemon refuses to use it,
    and a client does not connect to a process of another user.
    """
    path = os.path.join(state_folder(vault), "run", "clew.sock")
    if fits_socket(path):
        return path
    user = os.getuid()
    # A client that runs as root connects to any user's daemon, so root's socket must be in a place
    # where only root can create folders.
    return f"{'/tmp' if user else '/run'}/clew-{user}/{vault_id(vault)}.sock"  # noqa: S108


def fits_socket(path: str) -> bool:
    """Return whether the system can bind a socket to a path of this length."""
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES_MAX


def config_path() -> str:
    """Return the path of the user's config file, which need not exist."""
    named = os.environ.get("CLEW_CONFIG")
    if named:
        return os.path.expanduser(named)
    home = base_folder("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(home, "clew", "config.toml")


def config_value(table: str, key: str) -> str | None:
    """Return one text value of the user's config, ``None`` if it has none."""
    value = _config_value(table, key)
    return value if isinstance(value, str) else None


def config_flag(table: str, key: str) -> bool:
    """Return whether the user's config sets a key to ``true``."""
    return _config_value(table, key) is True


def _config_value(table: str, key: str) -> object:
    """Return one value of the user's config, ``None`` if it has none.

    A config that cannot be read is treated as empty here; the daemon reports the error.
    """
    try:
        with open(config_path(), "rb") as file:
            data = file.read(1024 * 1024)
    except OSError:
        return None
    if key.encode() not in data:
        return None
    import tomllib  # noqa: PLC0415 - takes as long as the whole command

    try:
        return tomllib.loads(data.decode()).get(table, {}).get(key)
    except (ValueError, AttributeError):
        return None
