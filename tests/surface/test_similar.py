"""Similar in a daemon: vectors of names are made in the background, saved, and not made again."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from clew.engine.reading.indexer import Indexer
from clew.engine.settings import IndexerSettings
from clew.index.graph import ConceptGraph
from clew.surface.indexer.background import vector_backlog
from clew.surface.indexer.background.vector_backlog import VectorBacklog
from clew.surface.indexer.publishing import Publisher
from clew.values.vault import Batch
from tests.daemons import copy_sample, daemon
from tests.fakes import LetterEncoder
from tests.stored import stored
from tests.timed import check_within
from tests.vaults import read_note


@pytest.mark.slow
def test_similar_concepts_are_listed_also_after_a_restart(tmp_path: Path) -> None:
    with daemon(tmp_path / "h", copy_sample(tmp_path / "vault")) as running:
        before = running.ask("similar", conceptName="storm surge", limit=5)
        assert before["degraded"] == []
        assert "inverse-barometer-effect" in [row["name"] for row in before["similar"]]
        (running.vault / "new.md").write_text("[[Storm surges]] and [[Storm surge]]")
        running.ask("sync")
        running.until("status", lambda status: status["ready"])
        after = running.ask("similar", conceptName="storm surge", limit=1)
        assert after["similar"][0]["name"] == "storm-surges"
        assert after["similar"][0]["connected"]
        assert running.log.count("embedded names=") == 2
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
        running.stop()
        running.start()
        again = running.ask("similar", conceptName="storm surge", limit=1)
        assert again["similar"] == after["similar"]
        assert running.log.count("embedded names=") == 2


@pytest.mark.slow
def test_without_a_model_the_list_is_empty_and_the_reply_says_why(tmp_path: Path) -> None:
    vault = copy_sample(tmp_path / "vault")
    config = tmp_path / "h" / "xc" / "clew" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[embedding]\nmodel = "/nowhere"\n')
    with daemon(tmp_path / "h", vault) as running:
        reply = running.ask("similar", conceptName="storm surge")
    assert reply["similar"] == []
    assert "/nowhere" in reply["degraded"][0]


@pytest.mark.slow
def test_in_a_vault_without_concepts_nothing_is_degraded(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    with daemon(tmp_path / "h", vault) as running:
        for text in ("", "no link"):
            reply = running.ask("similar", conceptName="storm surge", waitFresh=True)
            assert (reply["similar"], reply["degraded"]) == ([], [])
            (vault / "note.md").write_text(f"a note, {text}")
            running.ask("sync")
            running.until("status", lambda status: status["ready"])


# -- making them --------------------------------------------------------------------------------


class Heard:
    """A publisher that records the batches it gets."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def publish_vectors(self, batch: Batch) -> None:
        self.said.append(self._described("sent", batch))

    def publish_logged(self, batch: Batch) -> None:
        self.said.append(self._described("logged", batch))

    def save_whole(self) -> None:
        self.said.append("save")

    @staticmethod
    def _described(how: str, batch: Batch) -> str:
        assert batch.vectors is not None
        return f"{how} notes={len(batch.vectors.codes)} names={len(batch.vectors.names)}"


def settled(backlog: VectorBacklog, indexer: Indexer, *, is_one_batch: bool = False) -> list[str]:
    """Run the backlog until nothing is due; return what it published and saved."""
    heard: Any = Heard()
    backlog.look_again(indexer, is_one_batch=is_one_batch)
    for _ in range(100):
        backlog.settle(indexer, heard)
        if backlog.due_in_s() is None:
            return list(heard.said)
    raise AssertionError(heard.said)


def test_many_names_are_embedded_in_slices_after_all_notes_and_few_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_backlog, "SLICE_NAMES", 4)
    indexer, encoder = Indexer(IndexerSettings(root=str(tmp_path))), LetterEncoder()
    backlog = VectorBacklog(lambda: encoder)
    names = " ".join(f"[[{letter}]]" for letter in "abcdefghij")
    indexer.engine.apply(Batch(put=(read_note("n.md", names),)))
    assert settled(backlog, indexer) == [
        *("sent notes=1 names=0", "save"),
        *("sent notes=0 names=4", "sent notes=0 names=4", "sent notes=0 names=2", "save"),
    ]
    assert settled(backlog, indexer) == []
    batch = Batch(put=(read_note("n.md", f"{names} [[x]]"),))
    indexer.engine.apply(batch)
    indexer.embedder.embed(["n.md"])
    assert settled(backlog, indexer) == ["logged notes=0 names=1"]
    assert not backlog.are_names_due


def test_slices_are_saved_though_the_vault_changes_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last slice is small, but the earlier ones have to be saved too."""
    monkeypatch.setattr(vector_backlog, "SLICE_NAMES", 4)
    indexer, heard = Indexer(IndexerSettings(root=str(tmp_path))), Heard()
    publisher: Any = heard
    backlog = VectorBacklog(LetterEncoder)
    indexer.engine.apply(Batch(put=(read_note("n.md", "[[a]] [[b]] [[c]] [[d]] [[e]]"),)))
    while not any("names=4" in said for said in heard.said):
        backlog.settle(indexer, publisher)
    backlog.look_again(indexer)
    while backlog.due_in_s() is not None:
        backlog.settle(indexer, publisher)
    assert heard.said[-2:] == ["sent notes=0 names=1", "save"]


def test_after_a_change_names_are_due_only_if_some_are_missing(tmp_path: Path) -> None:
    indexer, backlog = Indexer(IndexerSettings(root=str(tmp_path))), VectorBacklog(LetterEncoder)
    indexer.engine.apply(Batch(put=(read_note("n.md", "[[a]]"),)))
    settled(backlog, indexer)
    backlog.look_again(indexer)
    assert not backlog.are_names_due
    indexer.engine.apply(Batch(put=(read_note("n.md", "[[a]] [[b]]"),)))
    backlog.look_again(indexer)
    assert backlog.are_names_due


def test_after_one_batch_only_its_names_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer, backlog = Indexer(IndexerSettings(root=str(tmp_path))), VectorBacklog(LetterEncoder)
    indexer.engine.apply(Batch(put=(read_note("n.md", "[[a]]"),)))
    settled(backlog, indexer)
    monkeypatch.setattr(ConceptGraph, "concepts", None)  # so that to list all would fail
    for text, named in (("[[a]] [[b]]", 1), ("[[b]]", 0), ("[[a]] [[c]]", 2), ("none", 0)):
        indexer.engine.apply(Batch(put=(read_note("n.md", text),)))
        said = settled(backlog, indexer, is_one_batch=True)
        names = [line for line in said if line.startswith("logged")]
        assert names == ([f"logged notes=0 names={named}"] if named else [])


def test_one_batch_is_cheap_while_many_names_wait(tmp_path: Path) -> None:
    indexer, backlog = Indexer(IndexerSettings(root=str(tmp_path))), VectorBacklog(LetterEncoder)
    publisher: Any = Heard()
    backlog.settle(indexer, publisher)
    links = " ".join(f"[[new {number}]]" for number in range(1_000))
    indexer.engine.apply(Batch(put=(read_note("n.md", links),)))
    backlog._names = [f"name {number}" for number in range(40_000)]  # noqa: SLF001 - quickly made
    check_within(0.1, lambda: backlog.look_again(indexer, is_one_batch=True))


def test_few_vectors_are_logged(tmp_path: Path) -> None:
    link: Any = SentMessages()
    saving: Any = Kept()
    indexer, encoder = Indexer(IndexerSettings(root=str(tmp_path))), LetterEncoder()
    indexer.embedder.encoder = encoder
    indexer.engine.apply(Batch(put=(read_note("n.md", "[[a]]"),)))
    engine = indexer.engine
    publisher = Publisher(link, saving)
    publisher.publish_first(indexer.engine)
    batch = indexer.embedder.embed_names(["a"])
    publisher.publish_logged(batch)
    for _ in range(3):
        publisher.save(engine)
    assert (len(saving.revisions), saving.logged) == (1, [batch])
    publisher.save_whole()
    for _ in range(3):
        publisher.save(engine)
    assert saving.revisions[-1] == bytes(stored(engine.indexes)) != saving.revisions[0]
    assert (len(saving.revisions), saving.logged) == (2, [batch])


class SentMessages:
    """A channel without a server."""

    def send(self, *messages: object) -> None:
        pass

    def wait_until_mapped(self, generation: int) -> None:
        pass


class Kept:
    """A disk that records what is saved."""

    def __init__(self) -> None:
        self.logged: list[Batch] = []
        self.revisions: list[bytes] = []

    def log(self, batch: Batch) -> None:
        self.logged.append(batch)

    def save(self, pieces: Iterable[bytes]) -> int:
        self.revisions.append(b"".join(pieces))
        return len(self.revisions)

    def open_saved(self) -> memoryview:
        return memoryview(self.revisions[-1])

    def release_pages(self) -> None:
        pass

    def remove_older(self) -> None:
        pass

    def wants_whole_in_s(self) -> None:
        return None
