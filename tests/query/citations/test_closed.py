"""Whatever a pack names can be handed back to ``read``, ``context`` and ``verify``."""

from collections.abc import Iterator

from clew.query.citations.verify import verify
from clew.query.notes.read import read
from clew.query.slices import finished
from clew.values import requests
from clew.values.search_replies import ContextReply
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

NOTES = {
    "C#.md": "---\ntitle: 'C# #1: [notes]'\n---\ntides of sharp\n",
    "a/Tide gauge (old).md": "# Tide gauge | old\n\ntides [[C#]] [[Moon]]\n\ntides of the past\n",
    "Ünï ✓ 笔记.md": "tides of 笔记\n\n## Part `x`\n\ntides again [[Moon]]\n",
    "Moon.md": "moon and tides " + "and more " * 300,
    "100%.md": "tides rise\n",
}
SNAPSHOT = snapshot_of(NOTES)


def names(reply: ContextReply) -> Iterator[str]:
    """Yield all references and titles that a reply has beside its text."""
    for passage in reply.more:
        yield from (passage.ref, passage.title)
    for row in reply.evidence or ():
        if row.memory:
            yield from (row.id, row.title, row.memory.uri)
        if row.graph:
            yield from row.graph.source_memory_ids
    yield from reply.suggestions


@for_each_row("budget", [120, 4_000])
@for_each_row("query", ["tides", "moon past", "tide gage", "笔记"])
def test_all_that_a_pack_names_is_understood(query: str, budget: int) -> None:
    reply = pack(SNAPSHOT, query, token_budget=budget, include_evidence=True)
    named = tuple(dict.fromkeys(names(reply)))
    assert named
    for name in named:
        assert read(SNAPSHOT, requests.Read(uri=name)).uri
        (citation,) = finished(verify(SNAPSHOT, requests.Verify(text=name))).citations
        assert (citation.ref, citation.state) == (name, "stands")
    left = pack(SNAPSHOT, query, exclude=named)
    assert left.metadata.unknown_excluded == ()
