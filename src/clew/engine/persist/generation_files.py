"""Where the files of a generation are, and mapping them: all that a reader needs to know."""

import mmap
import os
from io import BufferedReader

from clew.disk.durable import open_state_file, size_of

FORMAT = 2


def generation_name(number: int) -> str:
    """Return the name of a generation's folder."""
    return f"gen-{number:08d}"


def open_generation_file(folder: str, number: int, name: str) -> BufferedReader:
    """Open a file of a generation in the index folder ``folder``.

    Raises:
        OSError: it does not exist, cannot be read, or belongs to another user.
    """
    return open_state_file(folder, f"v{FORMAT}/{generation_name(number)}/{name}")


def map_file(folder: str, number: int, name: str) -> memoryview:
    """Map a file of a generation that the caller knows to be verified, as its writer does.

    Raises:
        OSError: it cannot be opened.
    """
    with open_generation_file(os.path.abspath(folder), number, name) as file:
        return mapped(file)


def mapped(file: BufferedReader) -> memoryview:
    """Map a whole file for reading; it stays mapped until nobody uses the memory any more."""
    if not size_of(file.fileno()):
        return memoryview(b"")  # an empty file cannot be mapped
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
