"""Indexes as the file in which they are stored."""

from collections.abc import Iterable

from clew.engine.apply import Engine
from clew.engine.indexes import Indexes
from clew.engine.persist.index_file import read_indexes, serialize
from clew.engine.settings import EngineSettings
from clew.index.structures.columns import Column, Columns, file_pieces, split_file


def stored(indexes: Indexes) -> memoryview:
    """Return the bytes of the file of ``indexes``."""
    return memoryview(b"".join(serialize(indexes)))


def read_back(file: memoryview, settings: EngineSettings | None = None) -> Engine:
    """Return an engine with the indexes of a file."""
    engine = Engine(settings or EngineSettings())
    engine.adopt(read_indexes(file, engine.settings))
    return engine


def written(columns: Iterable[Column]) -> Columns:
    """Return columns as they are read from the file that they were written to."""
    return split_file(memoryview(b"".join(file_pieces(columns))))
