"""Passages that may enter a pack, from the hits of the legs of search.

A leg scores up to three passages of each note. The relevance of a passage is fused from the legs
like that of a note (``query.search.fusion``), with the ranks of passages instead of notes. A leg
that scores notes alone (links, time) adds to all passages of a note that other legs found; if there
are none, to the first passage of the note.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np

from clew.engine.derived.layout import NO_SLOT
from clew.engine.snapshot import Snapshot
from clew.query.context.quoting import one_line
from clew.query.dates import iso
from clew.query.search.fusion import RANK_CONSTANT
from clew.query.search.passage_hits import PassageHits
from clew.query.slices import PAUSE, Slices
from clew.text.filename import extension_of
from clew.text.passages import heading_path
from clew.text.secrets import masked
from clew.text.uri import to_uri
from clew.values.note import Note

PASSAGES_MIN, PASSAGES_MAX = 40, 600  # that are looked at
RELATED_MAX = 20  # related files of one note
CODE_EXTENSIONS = frozenset(
    (
        "py",
        "js",
        "ts",
        "tsx",
        "go",
        "rs",
        "java",
        "c",
        "h",
        "cpp",
        "cs",
        "rb",
        "php",
        "kt",
        "sh",
        "sql",
    )
)
_NOTES_A_STEP = 8  # notes decoded without a pause


@dataclass(frozen=True, slots=True, eq=False)
class NoteCard:
    """What a pack shows of a note; refers to no snapshot."""

    path: str
    uri: str
    title: str
    text: str
    type: str
    tags: tuple[str, ...]
    importance: float  # 0..1
    created: str  # ISO 8601
    changed: str  # ISO 8601
    related_files: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A chunk of a note that a query matched."""

    note: NoteCard
    part: int  # 1 for the first chunk of its note
    headings: tuple[str, ...]  # above the passage, outermost first
    start: int  # in characters of the note's text
    end: int
    first_line: int  # 1-based
    last_line: int
    tokens: int  # of its text
    relevance: float  # comparable within one query


Slot = int


def fused_passages(
    hits_by_leg: Mapping[str, PassageHits],
    weights: Mapping[str, float],
    first_slots: Mapping[int, Slot],
) -> dict[Slot, float]:
    """Return the relevance of each passage that a leg found, by slot.

    ``first_slots`` has the first passage of each note, by note id, for notes without another.
    """
    scores: defaultdict[Slot, float] = defaultdict(float)
    slots_by_note: defaultdict[int, set[Slot]] = defaultdict(set)
    for leg in sorted(hits_by_leg):
        hits = hits_by_leg[leg]
        rows, columns = np.nonzero((hits.slots != NO_SLOT) & (hits.scores > 0))
        if not len(rows):
            continue
        raw = hits.scores[rows, columns]
        order = np.argsort(-raw, kind="stable")
        shares = hits.shares_of(raw[order])
        gains = weights[leg] * shares / (RANK_CONSTANT + np.arange(1, len(order) + 1))
        slots = hits.slots[rows, columns][order].tolist()
        notes = hits.note_ids[rows][order].tolist()
        for slot, note_id, gain in zip(slots, notes, gains.tolist(), strict=True):
            scores[slot] += gain
            slots_by_note[note_id].add(slot)
    for leg in sorted(hits_by_leg):
        hits = hits_by_leg[leg]
        is_bare = hits.slots[:, 0] == NO_SLOT
        ranks = np.flatnonzero(is_bare)
        if not len(ranks):
            continue
        shares = hits.shares_of(hits.note_scores[ranks])
        gains = weights[leg] * shares / (RANK_CONSTANT + 1 + ranks)
        for note_id, gain in zip(hits.note_ids[ranks].tolist(), gains.tolist(), strict=True):
            found = slots_by_note.get(note_id) or {first_slots[note_id]}
            for slot in sorted(found):
                scores[slot] += gain
    return dict(scores)


def passages_of(
    snapshot: Snapshot, relevance: Mapping[Slot, float], tokens_min: int
) -> Slices[list[Passage]]:
    """Return the passages with the highest relevance, best first; ties by place.

    There are as many as have ``tokens_min`` tokens together, and ``PASSAGES_MIN`` at least.
    """
    slots = snapshot.passages.slots
    paths = snapshot.graph.path
    ranked = sorted(
        (-round(score, 9), paths(int(slots.note_ids[slot])), slot)
        for slot, score in relevance.items()
    )
    found: dict[tuple[str, int], Passage] = {}
    cards: dict[str, NoteCard] = {}
    tokens = 0
    for minus_score, path, slot in ranked[:PASSAGES_MAX]:
        if len(found) >= PASSAGES_MIN and tokens >= tokens_min:
            break
        note = snapshot.note(path)
        if path not in cards:
            cards[path] = _card(snapshot, note)
            if len(cards) % _NOTES_A_STEP == 0:
                yield PAUSE
        first = slots.slots_of(int(slots.note_ids[slot])).start
        part = max(1, slot - first)  # a head stands for the first chunk
        if part <= len(note.chunks) and (path, part) not in found:
            found[path, part] = _passage(note, cards[path], part, -minus_score)
            tokens += note.chunks[part - 1].tokens
    return list(found.values())


def newest_passages(
    snapshot: Snapshot, note_ids: Iterable[int], tokens_min: int
) -> Slices[list[Passage]]:
    """Return the first passage of each of these notes, in their order; all equally relevant.

    There are as many as have ``tokens_min`` tokens together, if the notes have so many.
    """
    found: list[Passage] = []
    tokens = 0
    for note_id in note_ids:
        if tokens >= tokens_min:
            break
        note = snapshot.note(snapshot.graph.path(note_id))
        if note.chunks:
            found.append(_passage(note, _card(snapshot, note), 1, 1.0))
            tokens += note.chunks[0].tokens
        yield PAUSE
    return found


def _passage(note: Note, card: NoteCard, part: int, relevance: float) -> Passage:
    chunk = note.chunks[part - 1]
    return Passage(
        note=card,
        part=part,
        headings=heading_path(note, chunk.heading),
        start=chunk.start,
        end=chunk.end,
        first_line=chunk.first_line,
        last_line=chunk.last_line,
        tokens=chunk.tokens,
        relevance=relevance,
    )


def _card(snapshot: Snapshot, note: Note) -> NoteCard:
    dates, facts = snapshot.dates(note.path), snapshot.facts[note.path]
    return NoteCard(
        path=note.path,
        uri=to_uri(note.path),
        title=one_line(masked(note.title)[0]),
        text=note.text,
        type=one_line(masked(facts.type)[0]),
        tags=note.tags,
        importance=facts.importance,
        created=iso(dates.created_s),
        changed=iso(dates.changed_s),
        related_files=_related_files(note),
    )


def _related_files(note: Note) -> tuple[str, ...]:
    """Return the files of code that a note links to, in the order of its text, each once."""
    targets = dict.fromkeys(link.target for link in note.links)
    files = (target for target in targets if extension_of(target) in CODE_EXTENSIONS)
    return tuple(islice(files, RELATED_MAX))
