"""Rows of the tool ``search`` for what only some vaults have."""

from clew.surface.mcp.tools.finding import search

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
