"""The files by which a service manager runs a daemon: systemd user units, and a launchd agent.

Pure text: nothing here reads or writes a file.

Source: systemd.service(5), systemd.socket(5) and systemd.syntax(7); launchd.plist(5).
"""

import os
import plistlib
from collections.abc import Sequence

# Only seccomp: sandboxing by namespaces fails in a user unit where the kernel denies them to users.
_SANDBOX = """\
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
UMask=0077"""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@ ")


class NoUnit(Exception):
    """A path cannot be written into a unit."""


def service_unit(command: Sequence[str], vault: str) -> str:
    """Return the unit of the service that runs the command ``command``."""
    return f"""\
[Unit]
Description=clew: the notes in {_shown(vault)}

[Service]
Type=exec
ExecStart={" ".join(map(quoted, command))}
Restart=on-failure
RestartSec=5
{_SANDBOX}

[Install]
WantedBy=default.target
"""


def socket_unit(path: str, vault: str) -> str:
    """Return the unit of the socket at ``path``: a request there starts the service.

    Raises:
        NoUnit: the path is not text in one line.
    """
    if not path.isprintable():
        raise NoUnit(f"the path of the socket has a character that no unit can hold: {path!r}")
    return f"""\
[Unit]
Description=clew: the socket for {_shown(vault)}

[Socket]
ListenStream={path.replace("%", "%%")}
SocketMode=0600
DirectoryMode=0700
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
"""


def quoted(word: str) -> str:
    """Return a word of ``ExecStart``, quoted so that systemd reads the same bytes.

    ``%`` begins a specifier, ``$`` a variable and a backslash an escape.
    """
    doubled = {ord("%"): "%%", ord("$"): "$$"}
    parts = (
        doubled.get(byte) or (chr(byte) if byte in _PLAIN else f"\\x{byte:02x}")
        for byte in os.fsencode(word)
    )
    return f'"{"".join(parts)}"'


def launch_agent(command: Sequence[str], label: str, log: str) -> bytes:
    """Return the property list of a launchd agent that runs the command ``command``.

    Raises:
        NoUnit: a word is not text, or has a character that no property list can hold.
    """
    values = {
        "Label": label,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "Umask": 0o077,
    }
    try:
        return plistlib.dumps(values)
    except ValueError as error:
        raise NoUnit(f"a path has a character that no property list can hold: {error}") from error


def _shown(vault: str) -> str:
    """Return a path for a description: one line, without specifiers."""
    text = os.fsencode(vault).decode("utf-8", "replace").replace("%", "%%")
    return "".join(c if c.isprintable() and c != "\\" else "?" for c in text)
