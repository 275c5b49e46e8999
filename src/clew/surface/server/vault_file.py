"""The file ``vault`` in a state folder: the path of the vault that the folder belongs to.

Two vaults with one state folder would mix the data about their notes, so the daemon warns if the
folder was last used for another vault that still exists.
"""

import logging
import os

from clew.disk.durable import Disk, open_state_file, replace_file
from clew.surface.paths import VAULT_FILE

logger = logging.getLogger(__name__)

_BYTES_MAX = 65_536


def enter_vault(disk: Disk, state: str, vault: str) -> str | None:
    """Write the vault's path to the state folder; return another vault that used it before.

    A vault that was moved does not count as another one, since nothing is at its old path.
    """
    try:
        earlier_vault = _read(state)
        if earlier_vault == vault:
            return None
        replace_file(disk, os.path.join(state, VAULT_FILE), (os.fsencode(vault),))
    except OSError as error:
        logger.warning("cannot tell whose state this is reason=%s", error)
        return None
    if not earlier_vault or not os.path.isdir(earlier_vault) or _is_same(earlier_vault, vault):
        return None
    logger.warning("state was used for another vault path=%s", earlier_vault)
    return earlier_vault


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
