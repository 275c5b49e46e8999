"""Vectors of notes: one for each part, made once for unchanged text, all of one model."""

from pathlib import Path

import pytest

from clew.engine import embedding as embedding_module
from clew.engine.dump import dump
from clew.engine.embedding import READ_CHUNKS_MAX, vectors_of
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed, drained
from clew.engine.settings import IndexerSettings
from clew.values.note import Note
from clew.values.vault import Batch
from tests.encoders import FakeEncoder, embedded_texts
from tests.stored import stored
from tests.vaults import LATER, engine_of, read_note


def paragraph(number: int, word: str = "word") -> str:
    return f"{word}{number} " * 120


def long_text(count: int = 8, **changed: str) -> str:
    """Return paragraphs, each of which is a chunk; ``p3="x"`` replaces the third one."""
    return "\n\n".join(changed.get(f"p{n}", paragraph(n)) for n in range(count))


class Vault:
    """A folder with an indexer that has a small encoder."""

    def __init__(self, root: Path) -> None:
        self.root = root / "vault"
        self.root.mkdir()
        self.settings = IndexerSettings(str(self.root))
        self.encoder = FakeEncoder()
        self.indexer = Indexer(self.settings)
        self.indexer.embedder.encoder = self.encoder

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def look(self) -> Absorbed:
        return drained(self.indexer.absorb(self.indexer.look(LATER), LATER))

    def known(self, path: str) -> bytes | None:
        indexes = self.indexer.engine.indexes
        codes = indexes.passages.vectors_of(indexes.graph.note_ids[path])
        return None if codes is None else codes.tobytes()

    def assert_all_right(self) -> None:
        """Check that every note has the vectors that it would get in a new index."""
        for path, entry in self.indexer.snapshot.entries.items():
            assert self.known(path) == vectors_of(FakeEncoder(), [entry.note]).codes[path]
        assert self.indexer.embedder.due == []


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


# -- some notes ---------------------------------------------------------------------------------


def note(path: str, text: str) -> Note:
    return read_note(path, text).note


def test_every_part_has_the_vector_of_its_text() -> None:
    notes = [note("a.md", long_text(4)), note("b.md", ""), note("c.md", "x")]
    made = vectors_of(FakeEncoder(), notes)
    assert (made.model, made.dimensions) == ("fake", 8)
    for each in notes:
        codes = FakeEncoder().encode(embedded_texts(each)).rows
        assert made.codes[each.path] == codes.tobytes()
        assert len(codes) == 1 + len(each.chunks)


def test_a_text_that_occurs_twice_is_embedded_once() -> None:
    encoder = FakeEncoder()
    texts = {"x/same.md": "# Same\ntext", "y/same.md": "# Same\ntext", "z.md": "# Same\ntext"}
    vectors_of(encoder, [note(path, text) for path, text in texts.items()])
    assert encoder.take_encoded() == ["Same\n# Same\ntext"]


def test_text_with_a_vector_is_not_embedded_again() -> None:
    encoder = FakeEncoder()
    old = note("a.md", long_text())
    codes = encoder.encode(embedded_texts(old)).rows
    encoder.take_encoded()
    new = note("a.md", long_text(p3=paragraph(3, "other")))
    made = vectors_of(encoder, [new], [(old, codes)])
    assert [text.split()[1] for text in encoder.take_encoded()] == ["other3"]
    assert made == vectors_of(FakeEncoder(), [new])
    vectors_of(encoder, [new], [(old, None)])
    assert len(encoder.take_encoded()) == len(new.chunks)


# -- a folder -----------------------------------------------------------------------------------


def test_an_edit_of_one_paragraph_embeds_one_chunk(vault: Vault) -> None:
    vault.write("a.md", long_text())
    vault.look()
    assert len(vault.encoder.take_encoded()) == 8
    for number in range(8):
        vault.write("a.md", long_text(8, **{f"p{number}": paragraph(number, "edited")}))
        batch = vault.look().batch
        assert batch.vectors is not None
        (embedded,) = vault.encoder.take_encoded()
        assert f"edited{number}" in embedded
        vault.assert_all_right()
        vault.write("a.md", long_text())
        vault.look()
        vault.encoder.take_encoded()


def test_a_note_that_moves_to_another_folder_embeds_nothing(vault: Vault) -> None:
    vault.write("a.md", long_text())
    vault.write("b.md", "stays")
    vault.write("c.md", "stays")
    vault.look()
    vault.encoder.take_encoded()
    (vault.root / "deep").mkdir()
    (vault.root / "a.md").rename(vault.root / "deep/a.md")
    absorbed = vault.look()
    assert absorbed.batch.dropped == ("a.md",)
    assert vault.encoder.take_encoded() == []
    vault.assert_all_right()


def test_a_note_that_is_only_touched_embeds_nothing(vault: Vault) -> None:
    vault.write("a.md", long_text())
    vault.look()
    vault.encoder.take_encoded()
    vault.write("a.md", long_text())
    vault.look()
    assert vault.encoder.take_encoded() == []
    vault.assert_all_right()


def test_another_title_embeds_the_note_again(vault: Vault) -> None:
    vault.write("a.md", f"---\ntitle: one\n---\n{long_text()}")
    vault.look()
    vault.encoder.take_encoded()
    vault.write("a.md", f"---\ntitle: two\n---\n{long_text()}")
    vault.look()
    assert len(vault.encoder.take_encoded()) == 8
    vault.assert_all_right()


def test_many_notes_at_once_wait_for_their_vectors(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_module, "READ_CHUNKS_MAX", 10)
    for number in range(3):
        vault.write(f"{number}.md", long_text())
    assert vault.look().batch.vectors is None
    assert vault.encoder.take_encoded() == []
    assert vault.indexer.embedder.due == ["0.md", "1.md", "2.md"]
    batch = vault.indexer.embedder.embed(["1.md"])
    assert batch.vectors is not None
    assert list(batch.vectors.codes) == ["1.md"]
    assert vault.indexer.embedder.due == ["0.md", "2.md"]
    vault.indexer.embedder.embed(vault.indexer.embedder.due)
    vault.assert_all_right()


def test_many_notes_without_text_wait_for_their_vectors_too(vault: Vault) -> None:
    for number in range(READ_CHUNKS_MAX + 1):
        vault.write(f"{number}.md", "")
    assert vault.look().batch.vectors is None


def test_without_an_encoder_nothing_is_missing(vault: Vault) -> None:
    vault.indexer.embedder.encoder = None
    vault.write("a.md", "text")
    assert vault.look().batch.vectors is None
    assert vault.indexer.embedder.due == []


def test_another_model_embeds_everything_again(vault: Vault) -> None:
    vault.write("a.md", long_text())
    vault.write("b.md", "text")
    vault.look()
    for encoder in (FakeEncoder("other", 8), FakeEncoder("wide", 20), FakeEncoder("narrow", 3)):
        vault.indexer.embedder.encoder = encoder
        assert vault.indexer.embedder.due == ["a.md", "b.md"]
        vault.write("b.md", f"edited for {encoder.fingerprint}")
        vault.look()
        assert vault.indexer.embedder.due == ["a.md"]
        assert len(encoder.take_encoded()) == 1
        vault.indexer.embedder.embed(["a.md"])
        assert len(encoder.take_encoded()) == 8
        vectors = vault.indexer.engine.indexes.passages.vectors
        assert (vectors.model, vectors.dimensions) == (encoder.fingerprint, encoder.dimensions)
        assert vault.indexer.embedder.due == []


def test_vectors_are_restored_and_missing_ones_are_due(vault: Vault) -> None:
    for path in ("a.md", "b.md", "c.md"):
        vault.write(path, long_text(3))
    vault.indexer.embedder.encoder = None
    vault.look()
    vault.indexer.embedder.encoder = vault.encoder
    vault.indexer.embedder.embed(["b.md"])
    file = stored(vault.indexer.engine.indexes)
    log = [vault.indexer.embedder.embed(["c.md"])]
    back = Indexer(vault.settings)
    back.load(file)
    back.restore(log)
    back.embedder.encoder = vault.encoder
    assert back.embedder.due == ["a.md"]
    assert dump(back.snapshot) == dump(vault.indexer.snapshot)


@pytest.mark.parametrize("parts", [0, 1, 2, 4])
def test_vectors_of_too_few_or_many_parts_are_refused(parts: int) -> None:
    engine = engine_of({"a.md": long_text(2)})
    made = vectors_of(FakeEncoder(), [note("a.md", long_text(2))])
    wrong = type(made)(made.model, made.dimensions, {"a.md": made.codes["a.md"][:8] * parts})
    with pytest.raises(ValueError, match="shape"):
        engine.apply(Batch(vectors=wrong))
