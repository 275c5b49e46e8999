"""Open and map the files of a generation, for readers that do not need the whole store."""

import os
from io import BufferedReader

from clew.disk.durable import open_state_file
from clew.disk.mapped_pages import mapped

FORMAT = 2
INDEX_FILE = "index"  # the name of the index in a generation


def generation_name(number: int) -> str:
    """Return the name of a generation's folder."""
    return f"gen-{number:08d}"


def open_generation_file(folder: str, number: int, name: str) -> BufferedReader:
    """Open a file of a generation in the index folder ``folder``.

    Raises:
        OSError: it does not exist, cannot be read, or belongs to another user.
    """
    return open_state_file(folder, f"v{FORMAT}/{generation_name(number)}/{name}")


def map_index_file(folder: str, number: int) -> memoryview:
    """Map the index of a generation without checking it: the caller has verified or written it.

    Raises:
        OSError: it cannot be opened.
    """
    with open_generation_file(os.path.abspath(folder), number, INDEX_FILE) as file:
        return mapped(file)
