"""Compare a file of the vault with a blob of git, by hashing its bytes without git.

Git itself would run the filters that the settings of the repository name.
"""

import hashlib
import os
import stat

from clew.disk.beneath import open_beneath

_HASHES = {40: "sha1", 64: "sha256"}  # by the digits of an id


def hash_if_same(root: str, path: str, blob: str, bytes_max: int) -> str:
    """Return the SHA-256 of the file at ``path``, in hexadecimal, if it is the blob ``blob``.

    Returns "" if it differs, is longer than ``bytes_max``, or cannot be read as a regular file.
    """
    try:
        descriptor = open_beneath(root, path)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > bytes_max:
                return ""
            data = file.read(bytes_max + 1)
        except OSError:
            return ""
    is_same = len(data) <= bytes_max and blob_id(data, len(blob)) == blob
    return hashlib.sha256(data).hexdigest() if is_same else ""


def blob_id(data: bytes, digits: int = 40) -> str:
    """Return git's id of a blob with these bytes; "" for an id of an unknown kind.

    Source: Pro Git, 2nd ed., chapter 10.2, "Object Storage".
    """
    name = _HASHES.get(digits)
    if name is None:
        return ""
    digest = hashlib.new(name, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
