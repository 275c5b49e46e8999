"""Check the folders of code that the config names, and make their paths absolute."""

import os
from collections.abc import Sequence

from clew.values.errors import ConfigError


def usable_roots(roots: Sequence[str], vault: str, state: str) -> tuple[str, ...]:
    """Return the real paths of the folders to read, without folders inside another.

    Relative paths are below the vault; symbolic links are followed.

    Raises:
        ConfigError: a folder is the whole disk, or is inside the state folder.
    """
    paths: list[str] = []
    for root in roots:
        path = os.path.realpath(os.path.join(vault, os.path.expanduser(root)))
        if path == "/":
            raise ConfigError(f"[code] roots: {root!r} is the whole disk; name folders of it")
        if is_inside(path, os.path.realpath(state)):
            raise ConfigError(f"[code] roots: {root!r} is inside the state folder {state}")
        paths.append(path)
    distinct = dict.fromkeys(paths)
    return tuple(
        path
        for path in distinct
        if not any(path != other and is_inside(path, other) for other in distinct)
    )


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or inside of it; both are real paths."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
