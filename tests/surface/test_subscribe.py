"""A client that subscribes is told which notes change, and never of private ones."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from clew.surface.server import feed as feed_module
from clew.surface.server.feed import Feed
from clew.values import requests
from tests.daemons import Daemon, daemon
from tests.fakes import ChangingService
from tests.faults.vaults import vault_of, write_at_once

NOTES = {"a.md": "[[b]]\n", "b.md": "words\n", "secret.md": "---\nprivate: true\n---\n[[a]]\n"}


class Subscriber:
    """A connection with a subscription, whose lines are read one by one."""

    def __init__(self, running: Daemon, **params: Any) -> None:
        self.peer = running.connect()
        self._lines = self.peer.makefile("rb")
        self.reply = self.ask("subscribe", **params)["result"]

    def ask(self, method: str, **params: Any) -> Any:
        call = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self.peer.sendall(json.dumps(call).encode() + b"\n")
        return self.next()

    def next(self) -> Any:
        return json.loads(self._lines.readline())

    def changed(self) -> dict[str, Any]:
        """Return the next notification."""
        line = self.next()
        assert line["method"] == "changed"
        assert "id" not in line
        return dict(line["params"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        self.peer.close()


def uris(changed: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    return changed["added"], changed["modified"], changed["removed"]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    config = tmp_path / "config.toml"
    config.write_text("[context]\nallow_private = true\n")
    with daemon(tmp_path / "h", vault_of(tmp_path / "v", NOTES), "--config", str(config)) as one:
        yield one


@pytest.mark.slow
def test_each_change_is_told_once_with_its_kind(running: Daemon) -> None:
    with Subscriber(running) as client:
        write_at_once(running.vault / "new.md", "[[a]]\n")
        assert uris(client.changed()) == (["memory://new.md"], [], [])
        (running.vault / "b.md").write_text("other words\n")
        assert uris(client.changed()) == ([], ["memory://b.md"], [])
        (running.vault / "new.md").rename(running.vault / "newer.md")
        told = client.changed()
        if not told["removed"]:  # a deletion is confirmed, which takes longer
            told["removed"] = client.changed()["removed"]
        assert uris(told) == (["memory://newer.md"], [], ["memory://new.md"])
        assert told["epoch"] == client.reply["epoch"] == running.ask("status")["epoch"]
        assert client.ask("tags")["id"] == "tags"  # the connection answers as before


@pytest.mark.slow
def test_a_client_that_comes_back_is_told_what_it_missed(running: Daemon) -> None:
    known = running.ask("hello", protocol=1)
    since = {"epoch": known["epoch"], "revision": known["revision"]}
    (running.vault / "b.md").write_text("more\n")
    (running.vault / "é é.md").write_text("x\n")
    running.ask("sync")
    with Subscriber(running, since=since) as client:
        told = client.changed()
        assert uris(told) == (["memory://é%20é.md"], ["memory://b.md"], [])
        assert not told["overflow"]
    with Subscriber(running, since={**since, "epoch": "another"}) as client:
        told = client.changed()
        assert told["overflow"]
        assert uris(told) == ([], [], [])


@pytest.mark.slow
def test_private_notes_are_told_only_to_who_may_see_them(running: Daemon) -> None:
    with Subscriber(running) as public, Subscriber(running, includePrivate=True) as whole:
        (running.vault / "secret.md").write_text("---\nprivate: true\n---\n[[a]] [[b]]\n")
        assert uris(whole.changed()) == ([], ["memory://secret.md"], [])
        (running.vault / "a.md").write_text("---\nprivate: true\n---\n[[b]]\n")
        assert uris(public.changed()) == ([], [], ["memory://a.md"])  # all it knows: it is gone
        assert uris(whole.changed()) == ([], ["memory://a.md"], [])
        (running.vault / "secret.md").unlink()
        (running.vault / "b.md").write_text("last\n")
        running.ask("sync")
        told = public.changed()
        assert uris(told) == ([], ["memory://b.md"], [])
        assert "secret" not in json.dumps(told)


@pytest.mark.slow
def test_a_client_that_does_not_read_is_kept_and_told_less(running: Daemon) -> None:
    """Its notifications fill the socket; after that one tells all that it missed."""
    with Subscriber(running) as client:
        client.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        folder = running.vault / "f"
        folder.mkdir()
        for number in range(3):
            for note in range(600):
                (folder / f"{'long name ' * 15}{note}.md").write_text(f"{number}\n")
            running.ask("sync")
        assert running.ask("status")["notes"] >= 600
        first = client.changed()
        assert first["overflow"] or len(first["added"]) <= feed_module.URIS_MAX
        # Other work raises the revision silently, so only another note is sure to be told.
        latest, number = first, 0
        while not latest["added"]:
            number += 1
            (folder / f"latest {number}.md").write_text("")
            latest = client.changed()


def subscribed(service: ChangingService) -> Feed:
    feed = Feed()
    feed.subscribe(service, requests.Subscribe())  # type: ignore[arg-type]
    feed.begin()
    return feed


def told(feed: Feed) -> dict[str, Any]:
    return dict(json.loads(feed.notification())["params"])


def test_more_uris_than_a_notification_may_have_are_an_overflow() -> None:
    service = ChangingService()
    feed = subscribed(service)
    service.change(feed_module.URIS_MAX)
    assert len(told(feed)["modified"]) == feed_module.URIS_MAX
    service.change(feed_module.URIS_MAX + 1)
    assert told(feed)["overflow"]
    assert feed.notification() == b""
    service.change(1)
    assert not told(feed)["overflow"]


def test_long_uris_are_an_overflow() -> None:
    service = ChangingService()
    feed = subscribed(service)
    service.change(200, "x" * 4_000)
    line = feed.notification()
    assert json.loads(line)["params"]["overflow"]
    assert len(line) < feed_module.NOTIFICATION_BYTES_MAX


def test_nothing_is_told_before_the_reply_is_sent() -> None:
    service, feed = ChangingService(), Feed()
    assert feed.notification() == b""
    feed.subscribe(service, requests.Subscribe())  # type: ignore[arg-type]
    service.change(1)
    assert feed.notification() == b""
    feed.begin()
    assert told(feed)["modified"] == ["memory://0.md"]


def test_a_revision_that_changes_no_note_is_not_told() -> None:
    service = ChangingService()
    feed = subscribed(service)
    service.change(0)
    assert feed.notification() == b""
    service.change(1)
    assert told(feed)["modified"] == ["memory://0.md"]


def test_a_client_that_comes_back_is_told_what_differs_from_what_it_knows() -> None:
    service = ChangingService()
    for count in (1, 2):
        service.change(count, "x" * count)
    for epoch, revision, notes in (("e", 0, 3), ("e", 1, 2), ("e", 2, 0), ("other", 2, None)):
        feed = Feed()
        since = requests.Since(epoch=epoch, revision=revision)
        feed.subscribe(service, requests.Subscribe(since=since))  # type: ignore[arg-type]
        feed.begin()
        line = feed.notification()
        params: dict[str, Any] = json.loads(line)["params"] if line else {}
        assert params.get("overflow", False) is (notes is None)
        assert len(params.get("modified", ())) == (notes or 0)
