"""Vectors of notes: each part of each note, and no text twice. Vectors of concepts' names."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from clew.index.vectors import CodeArray
from clew.text.passages import embedded_texts
from clew.values.note import Note
from clew.values.passages import Vectors

if TYPE_CHECKING:
    from clew.index.encoder import Encoder


def vectors_of(
    encoder: "Encoder",
    notes: Sequence[Note],
    known: Iterable[tuple[Note, CodeArray | None]] = (),
) -> Vectors:
    """Return the vectors of ``notes``; texts that ``known`` notes hold take theirs."""
    codes_of: dict[str, bytes] = {"": bytes(encoder.dimensions)}
    for note, codes in known:
        if codes is not None:
            codes_of.update(zip(embedded_texts(note), map(bytes, codes), strict=True))
    texts = {note.path: embedded_texts(note) for note in notes}
    new = sorted({text for each in texts.values() for text in each} - codes_of.keys())
    if new:
        codes_of.update(zip(new, map(bytes, encoder.encode(new).codes), strict=True))
    return Vectors(
        encoder.fingerprint,
        encoder.dimensions,
        {path: b"".join(codes_of[text] for text in each) for path, each in texts.items()},
    )


def name_vectors(encoder: "Encoder", concepts: Sequence[str]) -> Vectors:
    """Return the vectors of the names of ``concepts``, as people say them.

    How a name is mostly written, and what else it is called, changes with every note: that plays
    no part, so no vector is ever made twice.
    """
    codes = encoder.encode([name.replace("-", " ") for name in concepts]).codes
    return Vectors(
        encoder.fingerprint,
        encoder.dimensions,
        {},
        dict(zip(concepts, map(bytes, codes), strict=True)),
    )
