"""State on disk is changed through one module, and nothing stored is ever run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tables import for_each_row

SOURCE = Path(__file__).parent.parent / "src" / "clew"
WRITER = "disk/durable.py"

# Modules that change files other than state, and the reason.
EXCEPTIONS = {
    "surface/private.py": "locks, and the private folders they are in",
    "surface/server/listening_socket.py": "the socket",
    "surface/cli/agents/commands.py": "the settings of other programs, if asked for",
    "surface/cli/daemon/launching.py": "the daemon's log",
    "surface/cli/daemon/service.py": "the units of the user's service manager",
    "surface/indexer/parallel/results.py": "files in memory, which have no name",
    "surface/cli/output.py": "puts /dev/null in the place of an output that is gone",
}

_MUTATING = """
    chmod chown fchmod fchown fdatasync fsync ftruncate lchown link makedirs mkdir mkfifo mknod
    posix_fallocate remove removedirs rename renames replace rmdir setxattr symlink truncate unlink
    utime O_APPEND O_CREAT O_EXCL O_RDWR O_TMPFILE O_TRUNC O_WRONLY
"""
_PATH_METHODS = """
    chmod hardlink_to mkdir rename replace rmdir symlink_to touch unlink write_bytes write_text
"""
# Modules that write files themselves, or run code that they read.
_MODULES = "dbm fileinput joblib marshal pickle shelve shutil sqlite3 tempfile"
MUTATING = frozenset(_MUTATING.split())
PATH_METHODS = frozenset(_PATH_METHODS.split())
MODULES = frozenset(_MODULES.split())


def modules() -> list[str]:
    return sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py"))


def tree_of(module: str) -> ast.Module:
    return ast.parse((SOURCE / module).read_text())


def mutations(tree: ast.Module) -> Iterator[str]:
    """Yield the names in a module that may change a file.

    Writing to an open file is not checked, because opening it is.
    """
    with_paths = "pathlib" in imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            names = {name.name for name in node.names} & (MUTATING | {"open", "fdopen"})
            yield from (f"from os import {name}" for name in names)
        elif isinstance(node, ast.Attribute):
            if node.attr in MUTATING and ast.unparse(node.value) == "os":
                yield f"os.{node.attr}"
            elif with_paths and node.attr in PATH_METHODS:
                yield f".{node.attr}"
        elif isinstance(node, ast.Call):
            if last_name(node.func) not in ("open", "fdopen"):
                continue
            name = ast.unparse(node.func)
            if name != "os.open" and not reads_only(node, name):
                yield f"{name}() for writing"


def last_name(function: ast.expr) -> str | None:
    """Return the name of a called function without what is before its last dot."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def reads_only(call: ast.Call, name: str) -> bool:
    """Return whether a call clearly opens a file for reading only."""
    place = 1 if name in ("open", "io.open", "os.fdopen") else 0
    modes = [word.value for word in call.keywords if word.arg == "mode"]
    modes += call.args[place : place + 1]
    return all(isinstance(mode, ast.Constant) and mode.value in ("r", "rb") for mode in modes)


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_only_one_module_changes_state_on_disk() -> None:
    found = {module: sorted(set(mutations(tree_of(module)))) for module in modules()}
    assert {module for module, names in found.items() if names} == {WRITER, *EXCEPTIONS}, found


@for_each_row("module", modules())
def test_no_module_runs_stored_code(module: str) -> None:
    tree = tree_of(module)
    assert MODULES.isdisjoint(imported(tree))
    names = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert names.isdisjoint(["eval", "exec"])


@pytest.mark.parametrize(
    "line",
    [
        "open('a', 'w')",
        "open('a', mode='ab')",
        "open('a', mode)",
        "open(d, 'r+b')",
        "os.fdopen(d, 'wb')",
        "io.open('a', 'x')",
        "path.open('w')",
        "os.open('a', os.O_WRONLY)",
        "os.open('a', os.O_RDONLY | os.O_CREAT)",
        "move = os.replace",
        "from os import rename",
        "import pathlib\npath.unlink()",
        "from pathlib import Path\nPath('a').write_text('')",
    ],
)
def test_writes_are_found(line: str) -> None:
    assert list(mutations(ast.parse(line)))


@pytest.mark.parametrize(
    "line",
    [
        "open('a')",
        "open(d, 'rb')",
        "os.fdopen(d, 'rb')",
        "path.open()",
        "os.open('a', os.O_RDONLY)",
        "text.replace('a', 'b')",
        "os.read(d, 1)",
    ],
)
def test_reads_are_allowed(line: str) -> None:
    assert not list(mutations(ast.parse(line)))
