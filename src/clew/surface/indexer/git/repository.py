"""Find the git work tree that contains a vault, and notice cheaply that its HEAD moved.

Git itself is not run here. Only names, owners and a few small files are read.
"""

import os
import stat
from dataclasses import dataclass

from clew.text.filename import shown_name

HEAD_BYTES_MAX = 4_096
SHALLOW_BYTES_MAX = 1024 * 1024
FOLDERS_MAX = 256  # the vault and the folders above it that are searched for a repository

_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_REF = b"ref: "


class NotAsked(Exception):
    """There is a repository, but git must not read it; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The work tree that contains a vault, and its repository."""

    top: str  # the work tree's folder
    prefix: str  # the vault's path below it, "" or with a slash at its end
    git_folder: str  # contains HEAD
    common_folder: str  # contains the branches; differs from ``git_folder`` in a linked work tree


def find_repository(vault: str) -> Repository | None:
    """Return the repository whose work tree contains ``vault``, ``None`` if there is none.

    Raises:
        NotAsked: the repository is bare, broken or belongs to another user.
    """
    folder = vault = os.path.realpath(vault)
    for _ in range(FOLDERS_MAX):
        entry = os.path.join(folder, ".git")
        if os.path.lexists(entry):
            return _repository_at(vault, folder, entry)
        if _is_bare(folder):
            raise NotAsked(f"{shown_name(folder)} is a bare repository, without a work tree")
        parent = os.path.dirname(folder)
        if parent == folder or _device(parent) != _device(vault):
            return None  # git stops its search at the same place
        folder = parent
    return None


def head_state(repository: Repository) -> object:
    """Return a value that changes when HEAD moves to another commit; reads two files at most."""
    git, common = repository.git_folder, repository.common_folder
    head = read_small(os.path.join(git, "HEAD"), HEAD_BYTES_MAX)
    branch = None
    if head is not None and head.startswith(_REF):
        name = os.fsdecode(head[len(_REF) :].strip())
        if name.startswith("refs/") and ".." not in name and "\0" not in name:
            branch = read_small(os.path.join(common, name), HEAD_BYTES_MAX)
    tables = (os.path.join(folder, "reftable/tables.list") for folder in (git, common))
    others = (*tables, os.path.join(common, "packed-refs"), os.path.join(common, "shallow"))
    return (repository, head, branch, *map(_stamp, others))


def shallow_commits(repository: Repository) -> frozenset[bytes]:
    """Return the commits, in hexadecimal, whose parents a shallow repository does not have."""
    data = read_small(os.path.join(repository.common_folder, "shallow"), SHALLOW_BYTES_MAX)
    return frozenset((data or b"").split())


def read_small(path: str, bytes_max: int) -> bytes | None:
    """Return the first bytes of a file; ``None`` if it is no regular file or unreadable.

    Never blocks, even if the path leads to a FIFO or a device.
    """
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return os.read(descriptor, bytes_max)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _repository_at(vault: str, top: str, entry: str) -> Repository:
    git_folder = entry
    if not os.path.isdir(entry):
        pointer = read_small(entry, HEAD_BYTES_MAX) or b""
        if not pointer.startswith(b"gitdir: "):
            raise NotAsked(f"{shown_name(entry)} leads to no repository")
        target = os.fsdecode(pointer.removeprefix(b"gitdir: ").rstrip(b"\r\n"))
        git_folder = os.path.normpath(os.path.join(top, target.replace("\0", "")))
    common = read_small(os.path.join(git_folder, "commondir"), HEAD_BYTES_MAX)
    common_folder = git_folder
    if common is not None:
        target = os.fsdecode(common.rstrip(b"\r\n")).replace("\0", "")
        common_folder = os.path.normpath(os.path.join(git_folder, target))
    for path in (top, entry, git_folder, common_folder):
        _check_owner(path)
    below = os.path.relpath(vault, top)
    prefix = "" if below == "." else below + "/"
    return Repository(top, prefix, git_folder, common_folder)


def _check_owner(path: str) -> None:
    """Check that this user owns a path, since the git settings of others could run programs as us.

    Raises:
        NotAsked: another user owns it, or it does not exist.
    """
    try:
        owner = os.stat(path).st_uid
    except OSError as error:
        raise NotAsked(f"{shown_name(path)} cannot be read: {error.strerror or error}") from error
    if owner != os.geteuid():
        raise NotAsked(f"{shown_name(path)} belongs to another user")


def _is_bare(folder: str) -> bool:
    folders = (os.path.join(folder, name) for name in ("objects", "refs"))
    return os.path.isfile(os.path.join(folder, "HEAD")) and all(map(os.path.isdir, folders))


def _device(folder: str) -> int | None:
    try:
        return os.stat(folder).st_dev
    except OSError:
        return None


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
