"""The requests that ``replay.py`` sends: every method, in pages, with filters, and with faults."""

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any, Protocol

AS_OF = "2026-11-21"
METHODS_WITHOUT_AS_OF = {"sync", "hello", "shutdown"}

Request = dict[str, Any]


class Asker(Protocol):
    """A running daemon."""

    def ask(self, method: str, **params: Any) -> Any:
        """Return the result of one request."""


def line_of(method: str, params: Request) -> str:
    """Return a request as one line, with the fixed moment for ages if the method uses ages."""
    dated = {} if method in METHODS_WITHOUT_AS_OF else {"asOf": AS_OF}
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**dated, **params}}
    return json.dumps(call, ensure_ascii=False)


def request_lines(daemon: Asker) -> Iterator[str]:
    """Yield the lines to send, about 800; those that mark notes as read come last."""
    draw = random.Random(20_261_121)  # noqa: S311 - a fixed choice, not a secret
    concepts = [row["name"] for row in daemon.ask("concepts", limit=100_000)["concepts"]]
    notes = [row["uri"] for row in daemon.ask("recent", limit=100_000)["notes"]]
    drawn_concepts = draw.sample(concepts, min(60, len(concepts))) or ["nothing"]
    drawn_notes = draw.sample(notes, min(60, len(notes)))
    queries = list(search_queries(daemon, drawn_concepts, drawn_notes))
    requests = [
        *concept_requests(drawn_concepts),
        *list_requests(concepts),
        *note_requests(drawn_notes, drawn_concepts),
        *graph_requests(drawn_concepts),
        *search_requests(queries, drawn_concepts),
        *rank_requests(queries),
        *status_requests(),
    ]
    for method, params in requests:
        yield line_of(method, params)
    yield from faulty_lines()
    for number, uri in enumerate(drawn_notes):
        lines = {"lines": [number % 5 + 1, number % 7 + 3]} if number % 3 else {}
        yield line_of("read", {"uri": uri, **lines})
    yield line_of("read", {"title": drawn_concepts[0]})
    yield line_of("recent", {"by": "read"})


def search_queries(daemon: Asker, concepts: list[str], notes: list[str]) -> Iterator[str]:
    """Yield queries that a person might type: names, sentences, typing errors and periods."""
    yield from ("", "the of", "x", "nothing-speaks-of-this-zzz", "C++ and C#", '"a phrase" -not')
    yield from (
        "last month",
        "latest notes",
        "2026-03-01",
        "what changed last week",
        "in March 2026",
    )
    for name in concepts[:20]:
        words = name.replace("-", " ")
        yield words
        if len(words) > 5:
            yield words[:3] + words[4:]  # a letter left out
        yield f"{words} last year"
    for uri in notes[:25]:
        rows = [row for row in note_text(daemon, uri) if len(row) > 30]
        if rows:
            yield rows[len(rows) // 2][:120]


def note_text(daemon: Asker, uri: str) -> list[str]:
    """Return the lines around the best passage of a note, without marking it as read."""
    name = uri.removeprefix("memory://").rpartition("/")[2].removesuffix(".md")
    results = daemon.ask("search", query=name or "note", limit=1, asOf=AS_OF)["results"]
    return [result["snippet"] for result in results]


def concept_requests(concepts: list[str]) -> Iterator[tuple[str, Request]]:
    """Yield requests for concepts: deep and shallow, wide and narrow, known and unknown."""
    for number, name in enumerate(concepts):
        yield "concept", {"conceptName": name}
        yield "concept", {"conceptName": name.upper(), "depth": number % 4, "maxEntities": 5}
        yield "similar", {"conceptName": name, "limit": 1 + number % 20}
    for name in concepts[:15]:
        yield "concept", {"conceptName": name, "includeContent": True, "maxEntities": 3}
        yield "concept", {"conceptName": name, "depth": 6, "maxEntities": 200}
        yield "concept", {"conceptName": name[:-1] + "q"}
        yield "similar", {"conceptName": name[:-1] + "q"}
    for first, last in itertools.pairwise(concepts[:41]):
        yield "path", {"from": first, "to": last}
    for first, last in zip(concepts[:10], concepts[10:20], strict=False):
        yield "path", {"from": first, "to": last, "maxHops": 2}


def list_requests(concepts: list[str]) -> Iterator[tuple[str, Request]]:
    """Yield requests for lists, whole and their first pages."""
    for method in ("concepts", "communities", "unresolved", "orphans", "tags", "recent"):
        yield method, {}
        yield method, {"limit": 100_000}
        yield method, {"limit": 3}
        yield method, {"limit": 3, "cursor": "no cursor of any list"}
    for sort in ("mentions", "recent", "name"):
        yield "concepts", {"sort": sort, "limit": 30}
        yield "concepts", {"sort": sort, "communityId": 1}
    for name in concepts[:20]:
        yield "concepts", {"prefix": name[:2]}
        yield "tags", {"prefix": name[:1]}
    for by in ("modified", "created"):
        yield "recent", {"by": by, "limit": 20}
        yield "recent", {"by": by, "since": "2026-03-01"}


def note_requests(notes: list[str], concepts: list[str]) -> Iterator[tuple[str, Request]]:
    """Yield requests about single notes: links both ways, and why they are indexed."""
    for uri in notes:
        yield "links", {"uri": uri}
        yield "backlinks", {"uri": uri, "limit": 20}
    for uri in notes[:10]:
        stem = uri.rpartition("/")[2].removesuffix(".md")
        yield "links", {"uri": stem, "limit": 2}
        yield "backlinks", {"uri": stem}
        yield "why", {"uri": uri}
        yield "why", {"uri": uri + ".bak"}
        yield "links", {"uri": uri[:-4]}
    for name in concepts[:30]:
        yield "backlinks", {"conceptName": name}


def graph_requests(concepts: list[str]) -> Iterator[tuple[str, Request]]:
    """Yield requests for drawings in every format."""
    for form in ("json", "mermaid", "dot", "graphml", "html"):
        yield "graph", {"format": form}
        yield "graph", {"format": form, "maxNodes": 5}
        yield "graph", {"format": form, "maxNodes": 2_000}
        for number, name in enumerate(concepts[:6]):
            yield "graph", {"format": form, "conceptName": name, "depth": number % 3}
    yield "graph", {"conceptName": "no such concept at all"}


def search_requests(queries: list[str], concepts: list[str]) -> Iterator[tuple[str, Request]]:
    """Yield searches in every mode, with filters, limits and explanations."""
    for number, query in enumerate(queries):
        yield "search", {"query": query}
        mode = ("keyword", "semantic", "graph")[number % 3]
        yield "search", {"query": query, "mode": mode, "limit": 5, "explain": number % 2 == 0}
    for number, query in enumerate(queries[::2]):
        yield "search", {"query": query, "ranking": "additive", "fuzzy": number % 2 == 0}
        yield "search", {"query": query, "limit": 1 + number % 6}
        yield "search", {"query": query, "filters": a_filter(number, concepts)}


def a_filter(number: int, concepts: list[str]) -> Request:
    """Return one of some filters."""
    filters: list[Request] = [
        {"type": "note"},
        {"tags": ["a"]},
        {"folder": "concepts"},
        {"minImportance": 0.6},
        {"since": "2026-01-01"},
        {"until": "2026-01-01", "since": "2025-06-01"},
        {"source": ["journal"]},
        {"entity": [concepts[number % len(concepts)]]},
        {"folder": "./concepts//", "type": "none"},
    ]
    return filters[number % len(filters)]


def rank_requests(queries: list[str]) -> Iterator[tuple[str, Request]]:
    """Yield rankings in every strategy."""
    for number, query in enumerate(queries[:60]):
        strategy = ("combined", "dependency", "importance")[number % 3]
        mode = ("fts", "legacy")[number % 5 == 0]
        budget = (100, 1_000, 20_000)[number % 3]
        params = {"query": query, "strategy": strategy, "searchMode": mode, "tokenBudget": budget}
        yield "rank", params


def status_requests() -> Iterator[tuple[str, Request]]:
    """Yield requests about the daemon itself."""
    yield "hello", {"protocol": 1}
    yield "hello", {"protocol": 2}
    yield "sync", {}
    yield "status", {}
    yield "doctor", {}
    yield "doctor", {"deep": True}
    yield "concepts", {"waitFresh": True, "limit": 1}


def faulty_lines() -> Iterator[str]:
    """Yield lines that are refused, or answered in an unusual way."""
    minimal: dict[str, Request] = {
        "backlinks": {"uri": "x"}, "communities": {}, "concept": {"conceptName": "x"},
        "concepts": {}, "doctor": {}, "graph": {}, "hello": {"protocol": 1}, "links": {"uri": "x"},
        "orphans": {}, "path": {"from": "x", "to": "y"}, "rank": {"query": "x"},
        "read": {"uri": "x"}, "recent": {}, "search": {"query": "x"},
        "similar": {"conceptName": "x"}, "status": {}, "sync": {}, "tags": {}, "unresolved": {},
        "why": {"uri": "x"},
    }  # fmt: skip
    for method, params in minimal.items():
        yield line_of(method, {**params, "noSuchField": 1})
        yield line_of(method, {**params, "waitFreshMs": -1})
        yield line_of(method, {**params, "waitFresh": "yes"})
        yield line_of(method, {**params, "limit": 0})
        for field in params:
            yield line_of(method, {**params, field: None})
            yield line_of(method, {name: value for name, value in params.items() if name != field})
        yield line_of(method, params)
    for method, params in (
        ("concept", {"conceptName": "x", "depth": 101}),
        ("path", {"from": "x", "to": "y", "maxHops": 0}),
        ("path", {"from": "x", "to": "y", "asOf": "yesterday"}),
        ("recent", {"since": "not a date"}),
        ("recent", {"cursor": "-1"}),
        ("concepts", {"cursor": "x"}),
        ("search", {"query": "x" * 200_001}),
        ("search", {"query": "x", "filters": {"since": "soon"}}),
        ("search", {"query": "x", "filters": {"noSuch": 1}}),
        ("search", {"query": "x", "limit": 1.5}),
        ("rank", {"query": "x", "tokenBudget": 99}),
        ("read", {"uri": "../etc/passwd"}),
        ("read", {"uri": "x", "lines": [3, 1]}),
        ("graph", {"format": "gif"}),
    ):
        yield line_of(method, params)
    yield "not json"
    yield "[]"
    yield "{}"
    yield '{"jsonrpc":"1.0","id":7,"method":"tags"}'
    yield '{"jsonrpc":"2.0","id":7,"method":"noSuchMethod"}'
    yield '{"jsonrpc":"2.0","method":"tags"}'
    yield '[{"jsonrpc":"2.0","id":1,"method":"tags"},3,{"jsonrpc":"2.0","method":"orphans"}]'
