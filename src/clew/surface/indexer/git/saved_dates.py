"""The last result of reading git, saved in the index folder so that the next run reads less.

The file is a cache: if it is missing, damaged or another user's, the next run reads everything.
"""

import os

from clew.disk.checked import checked, with_checksum
from clew.disk.durable import DISK, open_state_file, replace_file
from clew.surface.indexer.git.job import GitDates, unpack_git_dates
from clew.values.packing import pack

FILE = "git-dates"
BYTES_MAX = 1024 * 1024 * 1024


def load_dates(folder: str) -> GitDates:
    """Return the dates saved in ``folder``, empty dates without a valid file."""
    try:
        with open_state_file(os.path.abspath(folder), FILE) as file:
            return unpack_git_dates(checked(file.read(BYTES_MAX)))
    except (OSError, ValueError):
        return GitDates()


def save_dates(folder: str, dates: GitDates) -> None:
    """Save ``dates`` in ``folder``, which must exist.

    Raises:
        OSError: they cannot be written; the earlier file is intact.
    """
    path = os.path.join(os.path.abspath(folder), FILE)
    replace_file(DISK, path, with_checksum(pack(dates)))
