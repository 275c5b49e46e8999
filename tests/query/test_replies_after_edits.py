"""Replies depend on the notes alone: not on removed or private notes, or the order of edits.

``engine.test_incremental`` holds this for the index and for search. Here it is held for replies
that are made of passages: slots are in the order of edits, and dead ones stay for a while.
"""

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.query.code.code import code
from clew.query.slices import finished
from clew.values.requests import Code
from clew.values.vault import Batch
from tests.examples import examples
from tests.query.context.packs import pack
from tests.rankings import ranked
from tests.vaults import engine_of, read_note
from tests.windows import window

FENCE = """```python
def straighten(stamps):
    \"\"\"Shift the quartz ledger by the harbour offset. See `Ledger rules`.\"\"\"
    return smooth(stamps)

def smooth(stamps): ...
```
"""
LINES = st.sampled_from(
    [
        "The harbour offset shifts the ledger.\n\n",
        "Quartz drifts in the cold harbour.\n\n",
        "`straighten()` is called each night.\n\n",
        "`smooth` is slow.\n\n",
        "# Ledger rules\n\nThe ledger has one rule.\n\n",
        "See [[a]] and [[Quartz]].\n\n",
        "Cheese and bread, and an offset.\n\n",
        "Shift the quartz ledger by the harbour offset.\n\n",
        FENCE,
    ]
)
PATHS = st.sampled_from([f"{name}.md" for name in ("a", "b", "c/d", "Quartz", "e", "f", "g", "h")])
# So that the words above are rare.
OTHERS = {f"other/{number}.md": f"Fog on day {number}, and wind.\n" for number in range(40)}
PRIVATE = "---\nprivate: true\n---\n"
TEXTS = st.tuples(st.sampled_from(["", "", PRIVATE]), *[LINES] * 2, st.just("") | LINES)
EDITS = st.lists(st.tuples(PATHS, st.none() | TEXTS.map("".join)), min_size=1, max_size=25)
TEMPLATES = ("default", "compact")
TOLD = {"context", "evidence", "more", "text", "results", "entities", "total", "answered"}
QUERIES = ("straighten()", "why does straighten shift the ledger?", "quartz harbour")


def edited(edits: Iterable[tuple[str, str | None]]) -> tuple[TwoViews, dict[str, str]]:
    """Return the views after edits, and the notes at their end; ``None`` removes a note."""
    views, notes = TwoViews(EngineSettings()), dict(OTHERS)
    views.apply(Batch(put=tuple(read_note(*each) for each in OTHERS.items())))
    for path, text in edits:
        if text is not None:
            notes[path] = text
            views.apply(Batch(put=(read_note(path, text),)))
        elif notes.pop(path, None) is not None:
            views.apply(Batch(dropped=(path,)))
    return views, notes


def replies(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return replies without what tells of the revision and of the time they took."""
    made: list[Any] = [
        finished(code(snapshot, Code(name=name))) for name in ("straighten", "smooth")
    ]
    for query in QUERIES:
        packs = [pack(snapshot, query, template=each, include_evidence=True) for each in TEMPLATES]
        made += [*packs, window(snapshot, query), ranked(snapshot, query)]
    return [
        {field: value for field, value in json.decode(json.encode(each)).items() if field in TOLD}
        for each in made
    ]


@given(EDITS)
@examples(60, long=500)
def test_replies_after_edits_are_those_of_a_vault_indexed_anew(
    edits: list[tuple[str, str | None]],
) -> None:
    views, notes = edited([("code.md", FENCE), *edits])
    public = {path: text for path, text in notes.items() if not text.startswith(PRIVATE)}
    for view, shown in ((views.whole, notes), (views.public, public)):
        rebuilt = engine_of(dict(sorted(shown.items())))
        assert replies(view.snapshot) == replies(rebuilt.snapshot)
