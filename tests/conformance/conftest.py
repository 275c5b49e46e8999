"""Fixtures that find and read the data."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

DATA = Path(os.environ.get("CLEW_DATA") or "/nonexistent")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests whose data is missing."""
    if not DATA.is_dir():
        skip = pytest.mark.skip(reason="CLEW_DATA names no folder of conformance data")
        for item in items:
            if "conformance" in item.nodeid.partition("::")[0].split("/"):
                item.add_marker(skip)


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a JSON Lines file in the data folder; none if it is missing."""
    path = DATA / name
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
