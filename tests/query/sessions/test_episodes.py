"""Turns of notes: blocks below headings of a role and a time."""

import pytest

from clew.query.sessions import episodes as episodes_module
from clew.query.sessions.episodes import EpisodeCache, episode, episodes, new_episode_cache
from clew.query.slices import finished
from clew.text.uri import from_uri
from clew.values.memory.turns import Turn
from clew.values.vault import Batch
from tests.parsing import parse_note
from tests.vaults import NOW_S, engine_of, read_note

NOTE = """---
type: session
---
# A talk

Before any turn.

## user · 2026-11-24T09:00:00Z

Why do the clocks drift?

## assistant · 2026-11-24T09:01

They are cold.

### Details
## A heading of its own
more

```
## user · 2026-11-24T09:02:00Z
```

## Jane Doe · 2026-11-25

Thanks
## user · soon
## empty · 2026-11-26
"""


def turns_of(text: str) -> tuple[Turn, ...]:
    return episode(parse_note("talks/a b.md", "hash", text)).turns


def test_turns_of_a_note() -> None:
    found = [(turn.number, turn.role, turn.text, turn.uri) for turn in turns_of(NOTE)]
    fenced = "```\n## user · 2026-11-24T09:02:00Z\n```"
    uri = "memory://talks/a%20b.md"
    assert found == [
        (1, "user", "Why do the clocks drift?", f"{uri}#L8-L10"),
        (
            2,
            "assistant",
            f"They are cold.\n\n### Details\n## A heading of its own\nmore\n\n{fenced}",
            f"{uri}#L12-L22",
        ),
        (3, "Jane Doe", "Thanks\n## user · soon", f"{uri}#L24-L27"),
        (4, "empty", "", f"{uri}#L28-L28"),
    ]
    assert [turn.time_s for turn in turns_of(NOTE)] == [
        1795510800.0,
        1795510860.0,
        1795564800.0,
        1795651200.0,
    ]
    assert {turn.session_id for turn in turns_of(NOTE)} == {uri}


def test_a_note_without_turns_is_an_empty_session() -> None:
    assert turns_of("# A talk\n\n## user\n\ntext") == ()
    assert turns_of("") == ()


def sessions_of(
    *notes: tuple[str, str, float], cache: EpisodeCache | None = None
) -> list[tuple[str, str]]:
    """Return the path and the first turn of each episode; ``notes``: a path, a turn and an age."""
    engine = engine_of({})
    head = "---\ntype: session\n---\n## user · 2026-11-24\n"
    engine.apply(
        Batch(put=tuple(read_note(path, head + said, NOW_S - age) for path, said, age in notes))
    )
    snapshot = engine.snapshot
    cache = new_episode_cache() if cache is None else cache
    found = finished(episodes(snapshot, {path for path, *_ in notes}, cache))
    return [(from_uri(session.id), session.turns[0].text) for session in found]


def test_the_newest_notes_of_type_session_come_first_and_ties_by_path() -> None:
    notes = [(f"{name}.md", "x", age) for name, age in zip("edcba", (0, 9, 9, 9, 9), strict=True)]
    assert [path for path, _ in sessions_of(*notes)] == ["e.md", "a.md", "b.md", "c.md", "d.md"]


def test_of_many_notes_of_type_session_the_newest_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(episodes_module, "EPISODES_MAX", 2)
    notes = [(f"{age}.md", "x", age) for age in (2, 0, 1)]
    assert [path for path, _ in sessions_of(*notes)] == ["0.md", "1.md"]


def test_an_episode_is_read_again_when_its_note_changes_or_another_has_its_text() -> None:
    cache = new_episode_cache()
    for notes in ([("a.md", "x", 0)], [("a.md", "y", 0)], [("a.md", "y", 0), ("b.md", "y", 0)]):
        assert sessions_of(*notes, cache=cache) == [(path, said) for path, said, _ in notes]
