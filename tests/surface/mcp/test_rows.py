"""Rows of the tool ``search`` for what only some vaults have."""

import pytest

from clew.surface.mcp.tools.checks import verify
from clew.surface.mcp.tools.finding import search
from clew.surface.mcp.tools.rows import fitted

ROW = {
    "uri": "memory://Old.md",
    "title": "Old",
    "heading": None,
    "lines": [1, 2],
    "snippet": "We use floats.",
    "supersededBy": [{"uri": "memory://New.md", "title": "New\none", "since": "2026-01-20"}],
}

PAGE = {"query": "floats", "fuzzyCorrection": None, "start": 0, "total": 1, "cursor": None}


def test_a_superseded_note_names_what_replaced_it() -> None:
    work = search({"query": "floats"})
    next(work)
    try:
        work.send({**PAGE, "results": [ROW]})
    except StopIteration as end:
        text = end.value
    assert text.split("\n")[-3:] == [
        "1. Old: memory://Old.md#L1-L2",
        "   superseded by New one (memory://New.md, 2026-01-20)",
        "   We use floats.",
    ]


def test_notes_say_their_days_if_a_period_is_asked_for() -> None:
    rows = [
        {**ROW, "supersededBy": [], "day": "2026-10-03", "ofPeriod": True},
        {**ROW, "supersededBy": [], "day": "2026-04-07", "ofPeriod": False},
    ]
    period = {"since": "2026-10-01", "until": "2026-11-01", "only": False, "matching": 1}
    work = search({"query": "floats"})
    next(work)
    try:
        work.send({**PAGE, "total": 2, "results": rows, "period": period})
    except StopIteration as end:
        text = end.value
    asked = "Time asked for: from 2026-10-01 to before 2026-11-01; 1 of the 2 notes are of it"
    assert asked in text
    assert "\n   2026-10-03\n" in text
    assert "\n   2026-04-07, not of the time asked for\n" in text


def test_notes_say_their_days_if_the_newest_are_asked_for() -> None:
    work = search({"query": "latest floats"})
    next(work)
    try:
        work.send({**PAGE, "results": [{**ROW, "supersededBy": [], "day": "2026-10-03"}]})
    except StopIteration as end:
        text = end.value
    assert "\n   2026-10-03\n" in text


def test_rows_that_a_reply_has_no_room_for_say_how_to_get_them() -> None:
    rows = [f"- row {number} {'of many words ' * 20}" for number in range(2_000)]
    assert fitted(["head"], rows).endswith("ask with a smaller limit)")
    row = {"ref": "memory://Note.md#L1-L2~1a2b3c4d", "state": "gone", "now": None}
    work = verify({"text": "memory://Note.md"})
    next(work)
    with pytest.raises(StopIteration) as told:
        work.send({"citations": [row] * 2_000, "unchecked": 0})
    assert told.value.value.endswith("give the text in parts)")
