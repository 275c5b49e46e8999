"""Load and save the latest communities, so that their ids outlast restarts and rebuilds.

One file, ``<folder>/communities``: the sha256 of what follows, then ``SavedCommunities``, packed.
A damaged file is ignored, and is renamed when the next one is saved.
"""

import errno
import os
from contextlib import suppress

from clew.disk.checked import checked, with_checksum
from clew.disk.durable import DISK, Disk, ensure_folder, open_state_file, replace_file
from clew.engine.communities.partition_job import SavedCommunities, unpack_saved_communities
from clew.values.packing import pack

_FILE = "communities"
# These errors mean that the file may be fine but cannot be read now, so it is kept.
_TEMPORARY_ERRORS = {
    *(errno.EACCES, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    *(errno.EINTR, errno.ESTALE),
}
_FILE_BYTES_MAX = 256 * 1024 * 1024


def load_communities(folder: str) -> SavedCommunities:
    """Return the communities saved last; none if there is no file, or if it is damaged.

    Raises:
        OSError: the file exists, but cannot be read now.
    """
    try:
        return _read(folder)
    except ValueError:
        return SavedCommunities()
    except OSError as error:
        if error.errno in _TEMPORARY_ERRORS:
            raise
        return SavedCommunities()


def save_communities(folder: str, communities: SavedCommunities, disk: Disk = DISK) -> None:
    """Replace the saved communities.

    Raises:
        OSError: the file cannot be written, or the old one cannot be read now and may be worth
            keeping. Afterwards either the old or the new file exists, complete.
    """
    folder = os.path.abspath(folder)
    ensure_folder(disk, folder)
    path = os.path.join(folder, _FILE)
    try:
        _read(folder)
    except ValueError:
        disk.rename(path, f"{path}.damaged")
    except OSError as error:
        if error.errno in _TEMPORARY_ERRORS:
            raise
    replace_file(disk, path, with_checksum(pack(communities)))
    with suppress(OSError):
        disk.sync_folder(os.path.dirname(folder))


def _read(folder: str) -> SavedCommunities:
    with open_state_file(folder, _FILE) as file:
        return unpack_saved_communities(checked(file.read(_FILE_BYTES_MAX)))
