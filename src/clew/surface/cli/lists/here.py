"""Paths of notes as seen from the current folder.

What ``path_from_here`` returns, ``path_in_vault`` turns back: so every command takes the paths that
lists print, wherever it is run. A path that begins with ``./``, ``../`` or ``/`` starts here; any
other one starts in the vault's folder.
"""

from __future__ import annotations

import os

from clew.surface.cli.lines import bytes_of_path


def path_from_here(vault: str, uri: str) -> str:
    """Return the path with which a program opens a note from the current folder.

    In the vault's folder it is the note's path there, below it a path that begins with ``./`` or
    ``../``, and elsewhere an absolute path. It begins with neither ``-`` nor ``+``, so no program
    takes it for an option.
    """
    path = os.fsdecode(bytes_of_path(uri))
    whole = os.path.join(vault, path)
    try:
        folder = os.getcwd()
    except OSError:
        return whole  # the current folder was deleted
    if folder == vault:
        return f"./{path}" if path.startswith(("-", "+")) else path
    if os.path.commonpath([folder, vault]) != vault:
        return whole
    relative = os.path.relpath(whole, folder)
    return relative if relative.startswith("../") else f"./{relative}"


def path_in_vault(vault: str, name: str) -> str:
    """Return a path from the current folder as one from the vault's folder.

    A path that leads out of the vault is returned as it is, and no note has it.
    """
    try:
        path = os.path.normpath(os.path.join(os.getcwd(), name))
    except OSError:
        return name  # the current folder was deleted
    inside = os.path.join(vault, "")
    return path.removeprefix(inside) if path.startswith(inside) else name
