"""What is too large for the session store is refused, and what is there stays."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.engine.sessions import session_store
from clew.engine.sessions.session_store import SessionStore
from clew.values.errors import TooLarge
from tests.engine.sessions.stores import opened, state_of


@pytest.mark.parametrize(
    ("bound", "most", "step"),
    [
        ("TURNS_MAX", 2, lambda store, n: store.append("a", "user", "t", n)),
        ("SESSIONS_MAX", 2, lambda store, n: store.append(f"s{n}", "user", "t", n)),
        ("SESSIONS_MAX", 2, lambda store, n: store.set_scratch(f"s{n}", "k", "t", n)),
        ("CHARACTERS_MAX", 240, lambda store, n: store.append("a", "user", "t" * 10, n)),
        ("CHARACTERS_MAX", 22, lambda store, n: store.set_scratch("a", f"{n}", "t" * 10, n)),
        (
            "SCRATCH_CHARACTERS_MAX",
            22,
            lambda store, n: store.set_scratch("a", f"{n}", "t" * 10, n),
        ),
        ("SCRATCH_KEYS_MAX", 2, lambda store, n: store.set_scratch("a", f"{n}", "t", n)),
    ],
)
def test_bounds_are_refused_and_leave_what_is_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    most: int,
    step: Callable[[SessionStore, int], object],
) -> None:
    monkeypatch.setattr(session_store, bound, most)
    store = opened(tmp_path)
    step(store, 1)
    step(store, 2)
    before = state_of(store)
    with pytest.raises(TooLarge):
        step(store, 3)
    assert state_of(store) == state_of(opened(tmp_path)) == before


def test_a_large_scratch_value_is_refused(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with pytest.raises(TooLarge, match="at most 262144 characters, not 104857600"):
        store.set_scratch("a", "k", "x" * 100 * 1024 * 1024, 1.0)
    assert state_of(store) == {}


def test_a_value_that_replaces_another_takes_its_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_store, "CHARACTERS_MAX", 22)
    store = opened(tmp_path)
    store.set_scratch("a", "k", "t" * 20, 1.0)
    store.set_scratch("a", "k", "u" * 21, 2.0)
    with pytest.raises(TooLarge):
        store.set_scratch("a", "k", "v" * 22, 3.0)
    assert state_of(store) == {"a": ([], {"k": ("u" * 21, 2.0)})}


def test_a_cleared_session_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_store, "CHARACTERS_MAX", 22)
    store = opened(tmp_path)
    for _ in range(3):
        store.set_scratch("a", "k", "t" * 20, 1.0)
        assert store.clear_scratch("a", "k") == 1
    assert state_of(store) == {}
    assert list((tmp_path / "memory/sessions").iterdir()) == []
