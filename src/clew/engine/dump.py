"""The canonical dump of a snapshot: equal bytes for equal vaults, whatever the order of edits.

Holds no integer ids, no revision and no read dates (docs/design/storage.md).
"""

import json
from collections import Counter
from hashlib import sha256
from typing import Any

import numpy as np
from msgspec import to_builtins
from msgspec.structs import asdict

from clew.engine.note_dates import known_dates
from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import NoteDates, note_dates
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import all_edges, pair_bound
from clew.values.note import Wikilink

# Edges can be computed from rows. Above this many pairs only the rows are dumped.
PAIRS_MAX = 5_000_000
WORDS_BYTES_MAX = 2_000  # of one part's words; longer tables are replaced by their hash


def dump(snapshot: Snapshot, *, has_vectors: bool = True) -> bytes:
    """Return the canonical dump of a snapshot: sorted JSON in UTF-8, one trailing line end.

    Without vectors, dumps are comparable while vectors are still being made.
    """
    graph = snapshot.graph
    state = {
        "notes": {path: _note(snapshot, path) for path in snapshot.entries},
        "passages": _passages(snapshot, has_vectors=has_vectors),
        "near": {name: codes.tobytes().hex() for name, codes in snapshot.name_vectors.items()}
        if has_vectors
        else None,
        "rows": {path: graph.row(path) for path in snapshot.entries},
        "mentions": {path: _mentions(snapshot, path) for path in snapshot.mentions.held},
        "names": {
            target.text: {
                "resolved": target.resolved,
                "concept": target.concept,
                **_uses(snapshot, target.text),
            }
            for target in snapshot.targets.by_text.values()
        },
        "superseded": {
            path: sorted(snapshot.successors.successors(path))
            for path in snapshot.successors.replaced
        },
        "concepts": {name: snapshot.display(name) for name in graph.concepts()},
        "edges": _edges(graph) if pair_bound(graph) <= PAIRS_MAX else None,
        "code": {path: to_builtins(file) for path, file in snapshot.code.files.items()},
        "rules": [[rule.path, rule.line, rule.name] for rule in snapshot.rule_files.rules],
        "problems": [[p.path, p.code, p.line, p.message] for p in snapshot.problems()],
    }
    text = json.dumps(state, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return text.encode() + b"\n"


def _uses(snapshot: Snapshot, text: str) -> dict[str, Any]:
    """Return the links to a target, with notes by path."""
    uses, path = snapshot.targets.uses(text), snapshot.graph.path
    return {
        "notes": {path(note_id): count for note_id, count in uses.notes.items()},
        "mentions": {path(note_id): count for note_id, count in uses.mentions.items()},
        "forms": dict(uses.forms),
    }


def _mentions(snapshot: Snapshot, path: str) -> dict[str, list[str]]:
    """Return the rare names that a note holds, and the notes that it mentions by them."""
    note_id = snapshot.graph.note_ids[path]
    mentioned = map(snapshot.graph.path, snapshot.mentions.mentioned_by(note_id))
    return {"names": list(snapshot.mentions.held[path]), "notes": sorted(mentioned)}


def _passages(snapshot: Snapshot, *, has_vectors: bool) -> dict[str, Any]:
    """Return the words and vectors of each note, by part; large tables are replaced by a hash."""
    passages = snapshot.passages
    word_ids, slots, counts = passages.keyword.all_postings()
    order = np.argsort(slots, kind="stable")
    starts = np.searchsorted(slots[order], np.arange(len(passages.slots) + 1))
    names = passages.keyword.words
    frequency: Counter[str] = Counter()
    parts_by_path = {}
    for note_id, span in passages.slots.items():
        path = snapshot.graph.path(note_id)
        parts = []
        words_of_note: set[str] = set()
        for slot in range(span.start, span.stop):
            cells = order[starts[slot] : starts[slot + 1]]
            row = zip(word_ids[cells].tolist(), counts[cells].tolist(), strict=True)
            words = {names[word]: count for word, count in row}
            words_of_note.update(words)
            vector = _vector(snapshot, slot) if has_vectors else None
            parts.append({**_part(snapshot, path, slot - span.start, words), "vector": vector})
        frequency.update(words_of_note)
        parts_by_path[path] = parts
    model = passages.vectors.model if has_vectors and passages.vectors.count else None
    return {"parts": parts_by_path, "frequency": frequency, "model": model}


def _vector(snapshot: Snapshot, slot: int) -> str | None:
    vectors = snapshot.passages.vectors
    if not vectors.is_embedded[slot]:
        return None
    return vectors.rows(slice(slot, slot + 1)).tobytes().hex()


def _part(snapshot: Snapshot, path: str, part: int, words: dict[str, int]) -> dict[str, Any]:
    note = snapshot.note(path)
    chunk = note.chunks[part - 1] if part else None
    text = note.text[chunk.start : chunk.end] if chunk else ""
    table = json.dumps(words, sort_keys=True).encode()
    return {
        "chunk": asdict(chunk) if chunk else None,
        "hash": sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "words": words if len(table) <= WORDS_BYTES_MAX else sha256(table).hexdigest(),
    }


def _note(snapshot: Snapshot, path: str) -> dict[str, Any]:
    note = snapshot.note(path)
    return {
        "contentHash": note.content_hash,
        "language": snapshot.passages.languages.of_note(snapshot.graph.note_ids[path]),
        "title": note.title,
        "fields": asdict(note.fields),
        "dates": to_builtins(_stated_dates(snapshot, path)),
        "links": [_link(link) for link in note.links],
        "tags": list(note.tags),
        "headings": [asdict(heading) for heading in note.headings],
        "nameOnly": note.name_only,
        "mayHaveSecrets": note.may_have_secrets,
        "isPrivate": path in snapshot.lists.private,
        "filed": snapshot.fields.row(snapshot.graph.note_ids[path]),
    }


def _stated_dates(snapshot: Snapshot, path: str) -> NoteDates:
    """Return the dates of a note without seen edits, which a rebuild cannot know."""
    return note_dates(known_dates(path, snapshot.facts[path], snapshot.daily_notes))


def _link(link: Wikilink) -> dict[str, Any]:
    """Return a link as it is written; ``names`` has the file it leads to."""
    return {
        "target": link.target,
        "fragment": link.fragment,
        "alias": link.alias,
        "kind": link.kind,
        "line": link.line,
    }


def _edges(graph: ConceptGraph) -> list[list[Any]]:
    rows = []
    for first, second, count in all_edges(graph).tolist():
        pair = sorted((graph.name(first), graph.name(second)))
        rows.append([*pair, count])
    return sorted(rows)
