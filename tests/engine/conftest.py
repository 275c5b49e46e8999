"""A real folder with an indexer."""

from pathlib import Path

import pytest

from tests.indexed import Vault


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    return Vault(tmp_path, monkeypatch)
