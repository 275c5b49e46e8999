"""State on disk is changed through one module, and nothing stored is ever run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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
            if ast.unparse(node.value) == "os" and node.attr in MUTATING:
                yield f"os.{node.attr}"
            elif with_paths and node.attr in PATH_METHODS:
                yield f".{node.attr}"
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.split(".")[-1] in ("open", "fdopen") and name != "os.open":
                yield from () if reads_only(node, name) else (f"{name}() for writing",)


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


@pytest.mark.parametrize("module", [name for name in modules() if name != WRITER])
def test_only_one_module_changes_state_on_disk(module: str) -> None:
    found = sorted(set(mutations(tree_of(module))))
    assert found == [] or module in EXCEPTIONS


@pytest.mark.parametrize("module", modules())
def test_no_module_runs_stored_code(module: str) -> None:
    tree = tree_of(module)
    assert MODULES.isdisjoint(imported(tree))
    names = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert names.isdisjoint(["eval", "exec"])


@pytest.mark.parametrize("module", EXCEPTIONS)
def test_each_exception_is_still_needed(module: str) -> None:
    assert any(mutations(tree_of(module)))


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
