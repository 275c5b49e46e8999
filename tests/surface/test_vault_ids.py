"""The paths that clients in other languages compute too: tests/data/vault_ids.json has the cases.

The plugin in integrations/obsidian checks the same file.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.surface import paths
from tests.tables import for_each_row

CASES = json.loads((Path(__file__).parent.parent / "data/vault_ids.json").read_text("utf-8"))


def _about(case: dict[str, Any]) -> str:
    return str(case["about"])


@for_each_row("case", CASES["vaults"])
def test_the_id_of_a_vault_follows_from_its_real_path(case: dict[str, Any]) -> None:
    assert paths.vault_id(case["vault"]) == case["id"]


@pytest.mark.parametrize("case", CASES["sockets"], ids=_about)
def test_a_socket_follows_from_the_vault_and_the_environment(
    monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]
) -> None:
    variables = {
        "CLEW_CONFIG": "/none.toml",
        "HOME": case["home"],
        "XDG_RUNTIME_DIR": case["runtime"],
        "XDG_STATE_HOME": case["state"],
    }
    for name, value in variables.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "getuid", lambda: case["uid"])
    monkeypatch.setattr(os, "access", lambda *_: True)
    monkeypatch.setattr(os.path, "isdir", lambda _: True)
    monkeypatch.setattr(paths, "SOCKET_PATH_BYTES_MAX", 107)
    assert paths.socket_path(case["vault"]) == case["socket"]
