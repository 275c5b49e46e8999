"""Vaults in memory: notes from text and snapshots from notes, without files or a clock."""

from collections.abc import Mapping
from datetime import UTC
from hashlib import sha256
from pathlib import Path

from clew.engine.apply import Engine
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.settling import MASS_WAIT_NS
from clew.engine.reading.steps import drained
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.text.markdown.parse import parse_notes
from clew.values.note import Note
from clew.values.vault import MAX_NOTE_BYTES, Batch, Moment, ReadNote, Stamp
from clew.vault.read import Unparsed, decode_note, load_file, parse_files
from clew.vault.settings.concept_rules import parse_concept_rules

DAY_S = 86_400.0
NOW_S = 1_770_000_000.0
CLOCK = Clock(NOW_S, UTC)
LATER_NS = 2**62


def at(now_ns: int) -> Moment:
    """Return a moment at which both clocks show the same time."""
    return Moment(now_ns, now_ns)


LATER = at(LATER_NS)  # a time so late that no file is young


def note_from_bytes(path: str, data: bytes) -> Note:
    """Decode and parse the bytes of the note at ``path``."""
    source = decode_note(path, data, sha256(data).hexdigest())
    return source if isinstance(source, Note) else parse_notes([source])[0].note


def read_file(root: str, path: str, max_bytes: int = MAX_NOTE_BYTES) -> ReadNote | None:
    """Read and parse the note at ``path``; ``None`` if there is no regular file."""
    file = load_file(root, path, max_bytes, "")
    assert not isinstance(file, Stamp)
    return parse_files([file])[0] if isinstance(file, Unparsed) else file


def read_note(path: str, text: str, modified_at_s: float = NOW_S) -> ReadNote:
    """Return the note parsed from ``text``, from a file written at ``modified_at_s``."""
    modified_at_ns = int(modified_at_s * 1e9)
    stamp = Stamp(modified_at_ns, modified_at_ns, len(text), 1)
    data = text.encode()
    source = decode_note(path, data, sha256(data).hexdigest())
    if isinstance(source, Note):
        return ReadNote(source, stamp)
    return parse_files([Unparsed(source, stamp)])[0]


def engine_of(
    notes: Mapping[str, str],
    *,
    settings: EngineSettings | None = None,
    rules: str | None = None,
    others: tuple[str, ...] = (),
) -> Engine:
    """Return an engine that has applied all ``notes`` in one batch."""
    engine = Engine(settings or EngineSettings())
    engine.apply(
        Batch(
            put=tuple(read_note(path, text) for path, text in notes.items()),
            others_put=others,
            rules=parse_concept_rules(rules.encode()) if rules is not None else None,
        )
    )
    return engine


def snapshot_of(notes: Mapping[str, str], rules: str | None = None) -> Snapshot:
    """Return the snapshot of a vault with these notes."""
    return engine_of(notes, rules=rules).snapshot


def catch_up(indexer: Indexer) -> None:
    """Walk and read until all changes are settled, at a time when no file is young."""
    now_ns = LATER_NS
    while True:
        drained(indexer.absorb(indexer.look(at(now_ns)), at(now_ns)))
        if not indexer.settling.unsettled:
            return
        now_ns += MASS_WAIT_NS


SMALL_VAULT = {
    "Index.md": "# Index\n[[Topic]] [[Other]]\n",
    "Topic.md": "# Topic\n[[Index]]\n",
    "sub/Deep.md": "[[Topic]] [[Deep thing]]\n",
}


def small_vault(folder: Path) -> Path:
    """Write a vault of three notes into ``folder``, and return the folder."""
    for path, text in SMALL_VAULT.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder
