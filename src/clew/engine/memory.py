"""What must outlive the index: when notes were last read. Written whole, by one rename."""

import hashlib
import json
import os
from collections.abc import Mapping

_READS = "reads.json"
_BYTES_MAX = 64 * 1024 * 1024


def save_reads(folder: str, reads_s: Mapping[str, float]) -> None:
    """Write the read dates, by note path, so that a crash leaves the old file or the new one.

    Raises:
        OSError: the folder cannot be written; the old file is untouched.
    """
    body = json.dumps(dict(sorted(reads_s.items())))
    text = json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest(), "reads": body})
    path = os.path.join(folder, _READS)
    temporary = f"{path}.{os.getpid()}.new"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def load_reads(folder: str) -> dict[str, float]:
    """Return the read dates that were saved; a damaged or missing file gives none."""
    try:
        with open(os.path.join(folder, _READS), encoding="utf-8") as file:
            outer = json.loads(file.read(_BYTES_MAX))
        body = outer["reads"]
        if hashlib.sha256(body.encode()).hexdigest() != outer["sha256"]:
            return {}
        return {str(path): float(read_s) for path, read_s in json.loads(body).items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
