"""Fixtures: real folders, and a vault that an unprivileged user reads."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

NOBODY = 65_534

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file below ``tmp_path`` and its folders."""

    def _write(path: str, content: bytes = b"text") -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    return _write


@pytest.fixture
def open_vault() -> Iterator[Path]:
    """Return an empty folder that other users can enter, unlike ``tmp_path``."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    yield root
    shutil.rmtree(root)


@pytest.fixture
def ordinary_user() -> Callable[[], AbstractContextManager[None]]:
    """Return a context in which file permissions apply even when the tests run as root."""

    @contextmanager
    def _as_ordinary_user() -> Iterator[None]:
        user = os.geteuid()
        if user == 0:
            os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(user)

    return _as_ordinary_user


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of an empty vault, in an empty folder."""
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"
