"""Random small changes of a small vault, with words, links, aliases and vectors."""

import random
from collections.abc import Iterable

from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.embedding import name_vectors, vectors_of
from clew.values.note_words import Vectors
from clew.values.vault import Batch, ReadNote
from tests.encoders import FakeEncoder
from tests.vaults import NOW_S, read_note

ENCODER = FakeEncoder("one", 8)
_NAMES = [f"Note {number}" for number in range(30)]
_WORDS = ["tide", "moon", "gauge", "harbour", "spring", "neap", "ebb", "flood", "chart"]


def random_batch(chance: random.Random, engine: Engine) -> Batch:
    """Return a change of a few notes, with their vectors and those of concept names."""
    known = sorted(engine.indexes.entries)
    if known and chance.random() < 0.2:
        return Batch(dropped=tuple(chance.sample(known, 1)))
    if known and chance.random() < 0.2:
        return Batch(reads_s={chance.choice(known): NOW_S + chance.random()})
    put = tuple(read_note(f"{name}.md", _random_text(chance)) for name in chance.sample(_NAMES, 2))
    return Batch(put=put, vectors=vectors_for(put))


def vectors_for(notes: Iterable[ReadNote]) -> Vectors:
    """Return the vectors of notes, and of the names of some concepts."""
    vectors = vectors_of(ENCODER, [read.note for read in notes])
    named = name_vectors(ENCODER, [name.lower().replace(" ", "-") for name in _NAMES[:9]])
    return replace(vectors, names=named.names)


def _random_text(chance: random.Random) -> str:
    mentioned = " ".join(f"[[{name}]]" for name in chance.sample(_NAMES, 4))
    alias = f"---\naliases: [{chance.choice(_WORDS)} {chance.randrange(3)}]\n---\n"
    return (
        f"{alias}# {chance.choice(_WORDS)}\n{mentioned}\n{' '.join(chance.choices(_WORDS, k=20))}"
    )
