"""Paths of notes relative to the current folder.

``path_in_vault`` is the inverse of ``path_from_here``, so in any folder every command accepts the
paths that lists print there. A path that begins with ``./``, ``../`` or ``/`` starts at the current
folder; any other one starts at the vault's folder.
"""

from __future__ import annotations

import os

from clew.surface.cli.lines import bytes_of_path


def path_from_here(vault: str, uri: str) -> str:
    """Return the path by which a program opens a note from the current folder.

    In the vault's folder this is the note's path in the vault. In a subfolder it begins with ``./``
    or ``../``, and elsewhere it is absolute. It begins with neither ``-`` nor ``+``, so no program
    takes it for an option.
    """
    path = os.fsdecode(bytes_of_path(uri))
    absolute = os.path.join(vault, path)
    try:
        folder = os.getcwd()
    except OSError:
        return absolute  # the current folder was deleted
    if folder == vault:
        return f"./{path}" if path.startswith(("-", "+")) else path
    if os.path.commonpath([folder, vault]) != vault:
        return absolute
    relative = os.path.relpath(absolute, folder)
    return relative if relative.startswith("../") else f"./{relative}"


def path_in_vault(vault: str, name: str) -> str:
    """Return a path from the current folder as one from the vault's folder.

    It may lead into the vault through symbolic links. A link in the vault is not followed, as its
    note has the path of the link. A path that leads out of the vault is returned as it is, and no
    note has it.

    ``vault``: its real path.
    """
    try:
        path = os.path.normpath(os.path.join(os.getcwd(), name))
    except OSError:
        return name  # the current folder was deleted
    inside = os.path.join(vault, "")
    if path.startswith(inside):
        return path.removeprefix(inside)
    parts = path.split("/")
    for count in range(2, len(parts) + 1):
        real = os.path.join(os.path.realpath("/".join(parts[:count])), *parts[count:])
        if real.startswith(inside):
            return real.removeprefix(inside)
    return name


def folder_in_vault(vault: str, name: str) -> str | None:
    """Return a folder's path from the current folder as one from the vault's folder.

    The vault's folder itself is ``.``. Return ``None`` for a path that leads out of the vault.
    """
    try:
        path = os.path.abspath(name)
    except OSError:
        return None  # the current folder was deleted
    if os.path.realpath(path) == vault:
        return "."
    inside = path_in_vault(vault, path)
    return None if inside == path else inside
