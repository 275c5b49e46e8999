"""The names of the Python API, as ``clew`` has them."""

from clew.surface.client import NoDaemon, Refused
from clew.surface.python.vaults import AsyncVault, Vault, aconnect, connect
from clew.surface.vaults import NoVault
from clew.values.daemon_replies import Changed
from clew.values.requests import Since

__all__ = [
    "AsyncVault",
    "Changed",
    "NoDaemon",
    "NoVault",
    "Refused",
    "Since",
    "Vault",
    "aconnect",
    "connect",
]
