"""Turns of notes: blocks below headings of a role and a time."""

from clew.query.sessions.episodes import episode
from clew.values.memory.turns import Turn
from tests.parsing import parse_note

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
