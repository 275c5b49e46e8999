"""Indexes as the file in which they are stored."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clew.disk.mapped_pages import mapped
from clew.engine.apply import Engine
from clew.engine.indexes import Indexes
from clew.engine.persist.index_file import read_indexes, serialize
from clew.engine.settings import EngineSettings
from clew.index.structures.columns import Column, Columns, file_pieces, split_file
from clew.index.structures.stored_map import pairs


def stored(indexes: Indexes) -> memoryview:
    """Return the bytes of the file of ``indexes``."""
    return memoryview(b"".join(serialize(indexes)))


def read_back(file: memoryview, settings: EngineSettings | None = None) -> Engine:
    """Return an engine with the indexes of a file."""
    engine = Engine(settings or EngineSettings())
    engine.adopt(read_indexes(file, engine.settings))
    return engine


def store_and_map(engine: Engine, file: Path) -> None:
    """Store the indexes in a file, map it in their place, and remove the file."""
    file.write_bytes(stored(engine.indexes))
    with file.open("rb") as opened:
        engine.adopt(read_indexes(mapped(opened), engine.settings))
    file.unlink()


def written(columns: Iterable[Column]) -> Columns:
    """Return columns as they are read from the file that they were written to."""
    return split_file(memoryview(b"".join(file_pieces(columns))))


def lists_of(engine: Engine) -> list[dict[str, Any]]:
    """Return the lists and counts of all notes."""
    lists = engine.indexes.lists
    return [
        dict(pairs(lists.note_counts_by_tag)),
        dict(pairs(lists.kind_counts)),
        dict(pairs(lists.paths_by_title)),
        dict(pairs(lists.problem_counts)),
        dict(pairs(lists.without_links)),
        dict(pairs(lists.private)),
        dict(engine.indexes.names.contested_aliases()),
        dict(pairs(engine.indexes.targets.unresolved)),
    ]
