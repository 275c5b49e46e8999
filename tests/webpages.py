"""Drawings for the tests of the web page: small ones, large ones and hostile ones."""

import random
from collections.abc import Mapping
from itertools import pairwise

from clew.query.draw.page_notes import PageNote
from clew.query.draw.webpage import Page, PageCommunity, Totals
from clew.values.replies import GraphEdge, GraphNode

HOSTILE = (
    'say "tide" | ]] [[',
    "</script><script>window.hacked = 1</script>",
    "<!-- <script>window.hacked = 2",
    "<img src=x onerror='window.hacked = 3'>",
    "two\nlines\r\nand\ttab",
    "\u202eright to left\u202c then left",
    "مد وجزر البحر",
    "pneumono" * 25,
    "👩🏽‍🔬 at sea 🌊",
    "\u0301",
    "a\u0300\u0301\u0302\u0303\u0304\u0305",
    "&lt;b&gt; &amp; {{data}} ${1} `x`",
    "'; window.hacked = 4; '",
    "\u2028\u2029\u2066\u2069",
    "javascript:window.hacked=5",
)


def node(name: str, shown: str, community: int | None, notes: int) -> GraphNode:
    return GraphNode(name=name, display_name=shown, community_id=community, note_count=notes)


def edge(a: str, b: str, count: int, score: float) -> GraphEdge:
    return GraphEdge(a=a, b=b, co_occurrence_count=count, weighted_score=score)


def drawing(
    *,
    nodes: tuple[GraphNode, ...] = (),
    edges: tuple[GraphEdge, ...] = (),
    communities: tuple[PageCommunity, ...] = (),
    note_paths: Mapping[str, str] | None = None,
    focus: str | None = None,
    title: str = "map",
    notes: tuple[PageNote, ...] = (),
    totals: Totals | None = None,
) -> Page:
    return Page(
        title=title,
        vault="notes",
        nodes=nodes,
        edges=edges,
        communities=communities,
        note_paths=note_paths or {},
        focus=focus,
        notes=notes,
        totals=totals or Totals(len(nodes), len(edges), len(notes)),
    )


def note(path: str, day: str, concepts: tuple[int, ...], *tags: str) -> PageNote:
    return PageNote(path, day, tags, concepts)


def small() -> Page:
    """Three concepts, two of them in one community, most mentioned first."""
    return drawing(
        nodes=(
            node("tide-gauge", "Tide gauge", 0, 12),
            node("clock-drift", "Clock drift", 0, 5),
            node("müros", "Múros", None, 1),
        ),
        edges=(
            edge("clock-drift", "tide-gauge", 4, 3.5),
            edge("müros", "tide-gauge", 1, 0.2),
        ),
        communities=(PageCommunity(0, "sea level, tides, gauges"),),
        note_paths={"tide-gauge": "concepts/Tide gauge & more #1.md"},
        notes=(
            note("journal/2026-03-02.md", "2026-03-02", (0, 1), "field"),
            note("journal/2026-01-05.md", "2026-01-05", (0, 2), "field", "harbour/muros"),
            note("concepts/Clocks.md", "2025-11-30", (1,)),
        ),
        totals=Totals(concepts=90, edges=2, notes=18),
    )


def hostile() -> Page:
    """A graph of all unusual names, each linked with the next."""
    nodes = tuple(node(name, name, at % 2, at + 1) for at, name in enumerate(HOSTILE))
    edges = tuple(edge(a, b, 1, 0.5) for a, b in pairwise(HOSTILE))
    return drawing(
        nodes=nodes,
        edges=edges,
        communities=(PageCommunity(0, HOSTILE[1]), PageCommunity(1, HOSTILE[3])),
        note_paths={name: f"{name}.md" for name in HOSTILE},
        title=HOSTILE[1],
        notes=tuple(
            note(f"{name}/{name}.md", "2026-01-02", (at, (at + 1) % len(HOSTILE)), name)
            for at, name in enumerate(HOSTILE)
        ),
    )


def large(node_count: int, edge_count: int) -> Page:
    """A graph with a few concepts that many notes mention, and many that few notes mention."""
    chance = random.Random(7)
    group_count = 24
    groups = [min(group_count - 1, int(chance.expovariate(0.16))) for _ in range(node_count)]
    nodes = tuple(
        node(f"concept-{at:04}", f"Concept {at}", group, 1 + min(200, int(chance.paretovariate(1))))
        for at, group in enumerate(groups)
    )
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < edge_count:
        a, b = (int(node_count * chance.random() ** 2) for _ in range(2))
        if a < b and (groups[a] == groups[b] or chance.random() < 0.1):
            pairs.add((a, b))
    edges = [
        edge(nodes[a].name, nodes[b].name, count, round(count * chance.random(), 6))
        for a, b in sorted(pairs)
        for count in (int(chance.paretovariate(1.4)),)
    ]
    edges.sort(key=lambda found: (-found.weighted_score, found.a, found.b))
    labels = tuple(PageCommunity(at, f"group {at}, tides, gauges") for at in range(group_count))
    notes = tuple(
        note(f"folder {at % 7}/note {at}.md", f"20{10 + at % 17}-05-06", ends, f"tag-{at % 30}")
        for at, ends in enumerate(sorted(pairs))
    )
    return drawing(nodes=nodes, edges=tuple(edges), communities=labels, notes=notes)
