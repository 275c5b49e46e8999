"""The last result of reading git, saved in the index folder so that the next run reads less.

It is derived: a file that is missing, damaged or another user's is the same as none.
"""

import os

from clew.disk.checked import checked, with_checksum
from clew.disk.durable import DISK, open_state_file, replace_file
from clew.surface.indexer.git.job import GitDates, unpack_git_dates
from clew.values.packing import pack

FILE = "git-dates"
BYTES_MAX = 1024 * 1024 * 1024


def load_dates(folder: str) -> GitDates:
    """Return what was saved in ``folder``, empty if nothing was."""
    try:
        with open_state_file(os.path.abspath(folder), FILE) as file:
            return unpack_git_dates(checked(file.read(BYTES_MAX)))
    except (OSError, ValueError):
        return GitDates()


def save_dates(folder: str, dates: GitDates) -> None:
    """Save ``dates`` in ``folder``, which must exist.

    Raises:
        OSError: they cannot be written; what was saved before is intact.
    """
    path = os.path.join(os.path.abspath(folder), FILE)
    replace_file(DISK, path, with_checksum(pack(dates)))
