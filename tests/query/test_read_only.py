"""Queries change nothing in the snapshot that they are given, except for its caches.

A query that changed a cached array would give a different reply the second time.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields
from typing import Any

import numpy as np

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.citations.verify import verify
from clew.query.draw.drawing import draw, subgraph
from clew.query.graph.concept import concept
from clew.query.graph.paths import path
from clew.query.notes import links, lists, read
from clew.query.slices import finished
from clew.values import requests
from tests.tables import for_each_row
from tests.vaults import CLOCK, NOW_S, snapshot_of

CACHES = frozenset(("neighbour_cache", "member_ids", "siblings", "derived", "cache_counts"))
NOTES = {
    "Tide.md": "---\naliases: [Ebb]\ntags: [sea]\n---\n# Tide\n[[Moon]] moves [[Water]]. #coast\n",
    "Moon.md": "[[Tide]] and [[Sun]] and [[nowhere]]\n",
    "Sun.md": "[[Moon]] ![[sun.png]]\n",
    "Alone.md": "no link\n",
}
QUERIES: Mapping[str, Callable[[Snapshot], object]] = {
    "concept": lambda snapshot: finished(
        concept(
            snapshot,
            requests.ConceptRequest(concept_name="Tide", depth=3, include_content=True),
            NOW_S,
            SiblingConfig(),
        )
    ),
    "path": lambda snapshot: finished(
        path(snapshot, requests.PathRequest(from_="Tide", to="Sun"), NOW_S)
    ),
    "links": lambda snapshot: finished(links.links(snapshot, requests.Links(uri="Tide"))),
    "backlinks": lambda snapshot: finished(
        links.backlinks(snapshot, requests.Backlinks(uri="Tide"))
    ),
    "mentions": lambda snapshot: finished(
        links.backlinks(snapshot, requests.Backlinks(concept_name="Moon"))
    ),
    "unresolved": lambda snapshot: finished(links.unresolved(snapshot, requests.Unresolved())),
    "orphans": lambda snapshot: finished(links.orphans(snapshot, requests.Orphans())),
    "concepts": lambda snapshot: finished(
        lists.concepts(snapshot, requests.Concepts(sort="recent"))
    ),
    "communities": lambda snapshot: lists.communities(snapshot, requests.CommunitiesRequest()),
    "tags": lambda snapshot: finished(lists.tags(snapshot, requests.Tags())),
    "recent": lambda snapshot: finished(lists.recent(snapshot, requests.Recent(), CLOCK)),
    "read": lambda snapshot: read.read(snapshot, requests.Read(uri="Ebb")),
    "verify": lambda snapshot: finished(
        verify(snapshot, requests.Verify(text="memory://Tide.md#L6~1a2b3c4d memory://x/Moon.md"))
    ),
    "why": lambda snapshot: read.why(snapshot, "Tide.md", None, [], NOW_S),
    "graph": lambda snapshot: draw(
        finished(subgraph(snapshot, requests.GraphRequest(concept_name="Tide", depth=2), NOW_S)),
        "html",
        "vault",
    ),
}


def content(value: object, seen: frozenset[int] = frozenset()) -> object:
    """Return everything that ``value`` refers to, as values that can be compared by content."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if id(value) in seen:
        return "cycle"
    seen |= {id(value)}
    if isinstance(value, Mapping):
        return [(content(key, seen), content(part, seen)) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return [content(part, seen) for part in value]
    if isinstance(value, AbstractSet):
        return sorted(map(repr, value))
    attributes = _attributes(value)
    return [(name, content(part, seen)) for name, part in attributes] if attributes else repr(value)


def _attributes(value: Any) -> list[tuple[str, object]]:
    if type(value).__module__.partition(".")[0] != "clew":
        return []
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    names = [*getattr(value, "__dict__", ()), *slots]
    return [
        (name, getattr(value, name))
        for name in names
        if hasattr(value, name) and "cache" not in name
    ]


def content_by_field(snapshot: Snapshot) -> dict[str, object]:
    names = [field.name for field in fields(snapshot) if field.name not in CACHES]
    return {name: content(getattr(snapshot, name)) for name in names}


@for_each_row("method", QUERIES)
def test_a_query_does_not_change_the_snapshot(method: str) -> None:
    snapshot = snapshot_of(NOTES)
    before = content_by_field(snapshot)
    QUERIES[method](snapshot)
    assert content_by_field(snapshot) == before


@for_each_row("method", QUERIES)
def test_a_query_gives_the_same_reply_twice(method: str) -> None:
    snapshot = snapshot_of(NOTES)
    first = QUERIES[method](snapshot)
    assert QUERIES[method](snapshot) == first


def test_content_sees_a_change_deep_in_the_snapshot() -> None:
    """Tests the comparison above: it must not skip a value that it cannot compare."""
    snapshot = snapshot_of(NOTES)
    before = content_by_field(snapshot)
    mentioned = snapshot.graph.concept_id(snapshot.graph.concepts()[0])
    assert mentioned is not None
    snapshot.graph.mention_counts.flags.writeable = True
    snapshot.graph.mention_counts[mentioned] += 1
    after = content_by_field(snapshot)
    assert {name for name in after if after[name] != before[name]} == {"graph"}
