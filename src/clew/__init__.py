"""clew: a thread through your notes; their concepts, the graph of them, and answers.

``clew.connect`` and ``clew.aconnect`` ask the daemon of a vault; docs/python.md describes them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.surface.client import NoDaemon, Refused
    from clew.surface.python.vaults import AsyncVault, Vault, aconnect, connect
    from clew.surface.vaults import NoVault
    from clew.values.daemon_replies import Changed
    from clew.values.requests import Filters, Item, Named, Session, Since, Task

__version__ = "0.1.0"
__all__ = [
    "AsyncVault",
    "Changed",
    "Filters",
    "Item",
    "Named",
    "NoDaemon",
    "NoVault",
    "Refused",
    "Session",
    "Since",
    "Task",
    "Vault",
    "aconnect",
    "connect",
]
_MODULES = {
    "AsyncVault": "clew.surface.python.vaults",
    "Changed": "clew.values.daemon_replies",
    "Filters": "clew.values.requests",
    "Item": "clew.values.requests",
    "Named": "clew.values.requests",
    "NoDaemon": "clew.surface.client",
    "NoVault": "clew.surface.vaults",
    "Refused": "clew.surface.client",
    "Session": "clew.values.requests",
    "Since": "clew.values.requests",
    "Task": "clew.values.requests",
    "Vault": "clew.surface.python.vaults",
    "aconnect": "clew.surface.python.vaults",
    "connect": "clew.surface.python.vaults",
}


def __getattr__(name: str) -> "Any":
    """Load a name of the Python API when it is first used: commands do without them."""
    if name not in _MODULES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - commands start faster without it

    return getattr(import_module(_MODULES[name]), name)
