"""The communities there were last: what keeps their ids the same over restarts and rebuilds.

One file, ``<folder>/communities``: the sha256 of what follows, then ``Remembered`` as packed. One
that is damaged counts as none; it is put aside when the next is written.
"""

import errno
import hashlib
import os
from contextlib import suppress

from clew.disk.durable import DISK, Disk, ensure_folder, open_state_file, replace_file
from clew.engine.communities.partition import Remembered, unpack_remembered
from clew.values.packing import pack

_FILE = "communities"
# What is there and cannot be read now; other errors say that there is no such file of ours.
_NOT_NOW = {
    *(errno.EACCES, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    *(errno.EINTR, errno.ESTALE),
}
_FILE_BYTES_MAX = 256 * 1024 * 1024
_CHECKSUM_BYTES = hashlib.sha256().digest_size


def recall(folder: str) -> Remembered:
    """Return what was remembered last; nothing if there is nothing, or if it is damaged.

    Raises:
        OSError: it is there, and cannot be read now.
    """
    try:
        return _read(folder)
    except ValueError:
        return Remembered()
    except OSError as error:
        if error.errno in _NOT_NOW:
            raise
        return Remembered()


def remember(folder: str, remembered: Remembered, disk: Disk = DISK) -> None:
    """Keep ``remembered`` instead of what was there.

    Raises:
        OSError: that cannot be written, or what is there not read, which may be worth keeping; what
            is there is whole, be it the old or the new.
    """
    folder = os.path.abspath(folder)
    ensure_folder(disk, folder)
    path = os.path.join(folder, _FILE)
    try:
        _read(folder)
    except ValueError:
        disk.rename(path, f"{path}.damaged")
    except OSError as error:
        if error.errno in _NOT_NOW:
            raise
    data = pack(remembered)
    replace_file(disk, path, [hashlib.sha256(data).digest(), data])
    with suppress(OSError):
        disk.sync_folder(os.path.dirname(folder))


def _read(folder: str) -> Remembered:
    with open_state_file(folder, _FILE) as file:
        data = file.read(_FILE_BYTES_MAX)
    checksum, body = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
    if hashlib.sha256(body).digest() != checksum:
        raise ValueError("not what was written")
    return unpack_remembered(body)
