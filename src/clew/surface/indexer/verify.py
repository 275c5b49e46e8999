"""Entry point of the verify process, which compares an index with a rebuild, or dumps it.

It reads the server's index from standard input, as chunks. It builds another index from the vault,
and prints in one line whether the canonical dumps of both are equal. If its command line names a
file, it writes the dump of the server's index to that file instead.
"""

import sys
from collections.abc import Iterator
from typing import BinaryIO

from clew.disk.durable import RealDisk, replace_file
from clew.embed.encoder import Encoder
from clew.embed.models import open_model
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.persist.index_file import read_indexes
from clew.engine.rebuild import read_anew
from clew.engine.snapshot import Snapshot
from clew.surface.indexer.briefing import unpack_briefing
from clew.surface.indexer.limits import give_way, restrict
from clew.values import ipc
from clew.values.errors import ModelUnavailable
from clew.values.replies import QUARANTINED

_READ_BYTES = 256 * 1024


def main() -> int:
    """Compare or dump the index on standard input; print the outcome."""
    messages = _messages(sys.stdin.buffer)
    start = next(messages)
    assert isinstance(start, ipc.Start)
    briefing = unpack_briefing(start.settings)
    restrict(briefing.server_pid)
    give_way()
    engine = Engine(briefing.indexer.engine)
    file = b"".join(chunk for chunk in messages if isinstance(chunk, bytes))
    engine.adopt(read_indexes(memoryview(file), engine.settings))
    encoder = encoder_of(engine.snapshot, briefing.model)
    canonical_dump = dump(engine.snapshot, has_vectors=encoder is not None)
    if sys.argv[1:]:
        replace_file(RealDisk(), sys.argv[1], (canonical_dump,))
        outcome = ipc.INDEX_DUMPED
    else:
        quarantined = _quarantined(engine.snapshot)
        rebuilt = read_anew(briefing.indexer, quarantined, encoder)
        is_same = canonical_dump == dump(rebuilt, has_vectors=encoder is not None)
        outcome = ipc.INDEX_SAME if is_same else ipc.INDEX_DIFFERS
    sys.stdout.write(outcome.decode())
    return 0


def encoder_of(snapshot: Snapshot, model: str) -> Encoder | None:
    """Return the encoder that made the vectors; ``None`` if any vectors are missing."""
    try:
        encoder = open_model(model)
    except (ModelUnavailable, OSError):
        return None
    has_all = not (
        snapshot.passages.unembedded(encoder.fingerprint)
        or snapshot.name_vectors.unembedded(snapshot.graph.concepts(), encoder.fingerprint)
    )
    return encoder if has_all else None


def _messages(stream: BinaryIO) -> Iterator[ipc.ToIndexer | bytes]:
    reader = ipc.FrameReader(ipc.unpack_to_indexer)
    while data := stream.read1(_READ_BYTES):  # type: ignore[attr-defined]
        yield from reader.feed(data)


def _quarantined(snapshot: Snapshot) -> set[str]:
    """Return the content hashes of quarantined notes, which would crash this process too."""
    return {
        facts.content_hash
        for _, facts in snapshot.all_facts()
        if any(problem.code == QUARANTINED for problem in facts.problems)
    }


if __name__ == "__main__":
    sys.exit(main())
