"""The last result of reading git, saved in the index folder so that the next run reads less.

It is derived: a file that is missing, damaged or another user's is the same as none.
"""

import hashlib
import os

from clew.disk.durable import DISK, Disk, open_state_file, replace_file
from clew.surface.indexer.git.job import GitDates, unpack_git_dates
from clew.values.packing import pack

FILE = "git-dates"
BYTES_MAX = 1024 * 1024 * 1024
_CHECKSUM_BYTES = 32


def load_dates(folder: str) -> GitDates:
    """Return what was saved in ``folder``, empty if nothing was."""
    try:
        with open_state_file(os.path.abspath(folder), FILE) as file:
            data = file.read(BYTES_MAX)
        checksum, packed = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
        if hashlib.sha256(packed).digest() != checksum:
            return GitDates()
        return unpack_git_dates(packed)
    except (OSError, ValueError):
        return GitDates()


def save_dates(folder: str, dates: GitDates, disk: Disk = DISK) -> None:
    """Save ``dates`` in ``folder``, which must exist.

    Raises:
        OSError: they cannot be written; what was saved before is intact.
    """
    packed = pack(dates)
    checksum = hashlib.sha256(packed).digest()
    replace_file(disk, os.path.join(os.path.abspath(folder), FILE), (checksum, packed))
