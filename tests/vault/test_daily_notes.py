"""Obsidian's settings of daily notes."""

from clew.vault.settings.daily_notes import parse_daily_notes
from tests.tables import for_each_row


@for_each_row(
    ("data", "expected"),
    [
        (None, ""),
        (b"{}", ""),
        (b'{"folder": "journal"}', ""),
        (b'{"format": ""}', ""),
        (b'{"format": null}', ""),
        (b'{"format": "DD.MM.YYYY"}', "DD.MM.YYYY"),
    ],
)
def test_the_format_is_read(data: bytes | None, expected: str) -> None:
    daily = parse_daily_notes(data)
    assert (daily.format, daily.problems) == (expected, ())


@for_each_row(
    ("data", "shown"),
    [
        (b"{", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"\xff", "JSON"),
        (b'{"format": 5}', "'5'"),
        (b'{"format": ["YYYY"]}', "YYYY"),
        (b'{"format": "HH:mm"}', "'HH'"),
    ],
)
def test_a_format_that_cannot_be_read_is_a_problem(data: bytes, shown: str) -> None:
    daily = parse_daily_notes(data)
    assert daily.format == ""
    (problem,) = daily.problems
    assert (problem.path, problem.code) == (".obsidian/daily-notes.json", "dailyNotesInvalid")
    assert shown in problem.message
