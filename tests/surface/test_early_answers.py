"""In a long round of reading, a request for some notes is answered once queries see them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.engine.dump import dump
from clew.engine.persist.store import Store
from clew.engine.reading import file_slices, portions
from clew.engine.reading.indexer import Indexer
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.watching import walker as walker_module
from clew.surface.indexer.watching.walker import Walker
from clew.values import ipc
from tests.surface.test_publishing import Server
from tests.vaults import LATER, at

NAMES = [f"{name}.md" for name in "abcdef"]
AFTER_SECOND = 2  # notes applied, each a slice of its own


@dataclass
class Round:
    """A round of reading over changed notes, and what the server has when it gets each reply."""

    folder: Path
    on_slice: Callable[[int], None] = lambda _: None  # the notes applied so far
    replies: dict[int, dict[str, str]] = field(default_factory=dict)
    hinted: set[str] = field(default_factory=set)
    applied: int = 0
    written_ns: int = 0  # the stamp of the last write

    def __post_init__(self) -> None:
        self.root = self.folder / "vault"
        self.root.mkdir()
        index = str(self.folder / "index")
        self.server = Server(index)
        saving = Saving(Store(index, "print"))
        saving.load()
        link = Server(index)
        link.send = self._send  # type: ignore[method-assign]
        hints = SimpleNamespace(take=self._take, watch=lambda _: None, rearm=lambda: None)
        self.walker = Walker(
            link=link,
            indexer=Indexer(IndexerSettings(str(self.root))),
            publisher=Publisher(link, saving),
            saving=saving,
            hints=cast("Any", hints),
            walk_seconds=None,
            receive=self._receive,
            on_vault_lost=lambda: None,
            on_change=lambda _: None,
        )

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.write_text(text)
        self.written_ns = path.stat().st_mtime_ns

    def run(self, on_slice: Callable[[int], None], *added: str) -> None:
        """Index all notes, change them, and read them again with ``on_slice`` between slices.

        So are the notes that are ``added`` with the changes.
        """
        for name in NAMES:
            self.write(name, f"old {name}")
        self.walker.walk()
        for name in (*NAMES, *added):
            self.write(name, f"new {name}")
        self.on_slice = on_slice
        self.walker.walk()
        self.on_slice = lambda _: None
        self.walker.publisher.save(self.walker.indexer.engine)  # as the indexer's loop does
        assert dump(self.server.engine.snapshot) == dump(self.walker.indexer.snapshot)

    def ask(self, ticket: int, *paths: str) -> None:
        self.walker.requests.add(ipc.WalkRequest(ticket, full=False, paths=paths))

    def _send(self, *messages: object) -> None:
        for message in messages:
            self.server.send(message)
            if isinstance(message, ipc.WalkReply):
                entries = self.server.engine.indexes.entries
                self.replies[message.ticket] = {path: entries[path].note.text for path in entries}

    def _receive(self) -> None:
        entries = self.walker.indexer.engine.indexes.entries
        texts = [entries[path].note.text for path in entries]
        self.on_slice(sum(text.startswith("new") for text in texts))

    def _take(self) -> tuple[frozenset[str], bool]:
        taken, self.hinted = frozenset(self.hinted), set()
        return taken, False


@pytest.fixture(params=["long ago", "just now"])
def reading(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Round:
    """A round in which each note is a slice that is applied at once.

    Notes were saved long ago, or so recently that a later write might leave the same stamp.
    """
    reading = Round(tmp_path)
    is_long_ago = request.param == "long ago"
    monkeypatch.setattr(portions, "SLICEWISE_NOTES_MIN", 1)
    monkeypatch.setattr(file_slices, "SLICE_NOTES", 1)
    monkeypatch.setattr(walker_module, "MANY_NOTES", 0)
    now = lambda: LATER if is_long_ago else at(reading.written_ns + 1_500_000_000)  # noqa: E731
    monkeypatch.setattr(walker_module, "present_moment", now)
    return reading


@pytest.mark.parametrize("name", ["a.md", "f.md", "added.md"])
@pytest.mark.parametrize("is_hinted", [True, False])
def test_a_note_saved_in_the_middle_is_seen_before_the_round_ends(
    reading: Round, name: str, is_hinted: bool
) -> None:
    """Whether its slice was applied, is still to be read, or there is none."""

    def save(applied: int) -> None:
        if applied == AFTER_SECOND and name not in saved:
            reading.write(name, "saved in the middle")
            reading.ask(1, name)
            if is_hinted:
                reading.hinted.add(name)
            saved.append(name)

    saved = list[str]()
    reading.run(save)
    assert reading.replies[1][name] == "saved in the middle"
    assert reading.replies[1]["e.md"] == "old e.md"


def test_a_note_that_was_sent_before_the_request_is_not_waited_for(reading: Round) -> None:
    def save_and_ask(applied: int) -> None:
        if applied == AFTER_SECOND and not done:
            reading.write("f.md", "saved in the middle")
            reading.hinted.add("f.md")
            done.append(applied)
        elif done and len(done) == 1:
            reading.ask(1, "f.md")
            done.append(applied)

    done = list[int]()
    reading.run(save_and_ask)
    assert reading.replies[1]["f.md"] == "saved in the middle"
    assert reading.replies[1]["e.md"] == "old e.md"


@pytest.mark.parametrize("names", [["a.md"], ["f.md"], ["a.md", "f.md", "none.md"]])
def test_notes_that_the_round_changes_are_seen_before_it_ends(
    reading: Round, names: list[str]
) -> None:
    """Also those that the indexer has applied, while the server has not been sent them."""

    def ask(applied: int) -> None:
        if applied == AFTER_SECOND:
            reading.ask(1, *names)

    reading.run(ask)
    seen = reading.replies[1]
    assert [seen.get(name) for name in ["a.md", "f.md"] if name in names] == [
        f"new {name}" for name in ["a.md", "f.md"] if name in names
    ]
    assert seen["e.md"] == "old e.md"


def test_a_note_that_is_gone_is_waited_for_until_the_round_has_ended(reading: Round) -> None:
    def delete(applied: int) -> None:
        if applied == AFTER_SECOND and (reading.root / "f.md").exists():
            (reading.root / "f.md").unlink()
            reading.ask(1, "f.md")

    reading.run(delete)
    assert 1 not in reading.replies
    assert reading.walker.requests.pending_paths == {"f.md"}


@pytest.mark.parametrize("slicewise_min", [1, 1_000])
def test_a_note_that_was_read_and_is_gone_is_waited_for_until_the_round_has_ended(
    reading: Round, monkeypatch: pytest.MonkeyPatch, slicewise_min: int
) -> None:
    """Queries do not see it when the request comes, but would after the reply."""

    def delete(_: int) -> None:
        steps.append(len(steps))
        if len(steps) == 5:  # the second note was read, and is not applied
            (reading.root / "added.md").unlink()
            reading.ask(1, "added.md")

    steps = list[int]()
    monkeypatch.setattr(portions, "SLICEWISE_NOTES_MIN", slicewise_min)
    reading.run(delete, "added.md")
    assert 1 not in reading.replies
    assert "added.md" in reading.server.engine.indexes.entries


def test_no_note_counts_as_gone_while_the_vault_is_away(reading: Round) -> None:
    def unmount(applied: int) -> None:
        if applied == AFTER_SECOND and reading.root.exists():
            reading.write("added.md", "saved in the middle")
            reading.ask(1, "added.md")
            reading.root.rename(reading.root.with_name("away"))

    reading.run(unmount)
    assert 1 not in reading.replies
