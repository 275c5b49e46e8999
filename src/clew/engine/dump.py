"""The canonical dump: what must be equal, byte for byte, however a state came about.

Holds no integer ids, no revision and no read dates: see "What is the same" in ARCHITECTURE.md.
"""

import json
from typing import Any

from msgspec.structs import asdict

from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph

# Rows say all there is to say of edges; beyond this many pairs only the rows are dumped.
PAIRS_MAX = 5_000_000


def dump(snapshot: Snapshot) -> bytes:
    """Return the canonical dump of a snapshot: sorted JSON in UTF-8, one trailing line end."""
    graph = snapshot.graph
    state = {
        "notes": {path: _note(snapshot, path) for path in snapshot.entries},
        "rows": {path: graph.row(path) for path in snapshot.entries},
        "names": {
            target.text: {
                "resolved": target.resolved,
                "concept": target.concept,
                "notes": target.notes,
                "mentions": target.mentions,
                "forms": dict(target.forms),
            }
            for target in snapshot.targets.by_text.values()
        },
        "concepts": {name: snapshot.display(name) for name in graph.concepts()},
        "edges": _edges(graph) if graph.pair_bound <= PAIRS_MAX else None,
        "problems": [[p.path, p.code, p.line, p.message] for p in snapshot.problems()],
    }
    text = json.dumps(state, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return text.encode() + b"\n"


def _note(snapshot: Snapshot, path: str) -> dict[str, Any]:
    note = snapshot.note(path)
    return {
        "contentHash": note.content_hash,
        "title": note.title,
        "fields": asdict(note.fields),
        "modified": snapshot.modified_at_s(path),
        "links": [asdict(link) for link in note.links],
        "tags": list(note.tags),
        "headings": [asdict(heading) for heading in note.headings],
        "nameOnly": note.name_only,
    }


def _edges(graph: ConceptGraph) -> list[list[Any]]:
    rows = []
    for first, second, count in graph.edges().tolist():
        pair = sorted((graph.name(first), graph.name(second)))
        rows.append([*pair, count])
    return sorted(rows)
