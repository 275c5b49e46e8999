"""The file ``vault`` in a state folder: the path of the vault that the folder belongs to.

Two vaults that were given one state folder would mix what is remembered of their notes, so the
daemon tells when the folder was last used for another vault that still exists.
"""

import logging
import os

from clew.disk.durable import Disk, open_state_file, replace_file
from clew.surface.places import VAULT_FILE

logger = logging.getLogger(__name__)

_BYTES_MAX = 65_536


def enter_vault(disk: Disk, state: str, vault: str) -> str | None:
    """Write which vault the state folder belongs to; return the other one it was used for before.

    A vault that was moved is no other one: nothing is at its old path.
    """
    try:
        before = _read(state)
        if before == vault:
            return None
        replace_file(disk, os.path.join(state, VAULT_FILE), (os.fsencode(vault),))
    except OSError as error:
        logger.warning("cannot tell whose state this is reason=%s", error)
        return None
    if not before or not os.path.isdir(before) or _is_same(before, vault):
        return None
    logger.warning("state was used for another vault path=%s", before)
    return before


def _read(state: str) -> str:
    try:
        with open_state_file(state, VAULT_FILE) as file:
            return os.fsdecode(file.read(_BYTES_MAX))
    except FileNotFoundError:
        return ""


def _is_same(first: str, second: str) -> bool:
    try:
        return os.path.samefile(first, second)
    except OSError:
        return False
