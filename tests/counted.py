"""Count the calls of a function, where what a request costs is that it calls it once."""

from typing import Any

import pytest


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """Return a list that will have the arguments of each call of a function."""
    calls: list[tuple[Any, ...]] = []
    call = getattr(owner, name)

    def noted(*given: Any) -> Any:
        calls.append(given)
        return call(*given)

    monkeypatch.setattr(owner, name, noted)
    return calls
