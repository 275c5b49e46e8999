"""`clew map --live`: whom it answers, and that it follows the vault until it is ended."""

import http.client
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clew.surface.cli.map import live
from clew.surface.cli.map.live import CONNECTIONS_MAX, Drawing, PageServer
from clew.surface.client import NoDaemon
from tests.daemons import copy_sample, daemon
from tests.pace import Stopwatch

SECRET = "the page"
SECONDS_MAX = 60.0


def until(test: Callable[[], bool]) -> None:
    watch = Stopwatch()
    while not test():
        assert not watch.is_over(30.0)
        time.sleep(0.05)


class Vault:
    """A vault with a page; both may change, and its daemon may be gone."""

    def __init__(self) -> None:
        self.state, self.page, self.drawn, self.gone = (1, 1), SECRET, 0, False

    def read_state(self) -> tuple[int, int]:
        if self.gone:
            raise NoDaemon("nothing answers")
        return self.state

    def draw(self) -> str:
        self.drawn += 1
        return self.page


@contextmanager
def serving(vault: Vault, **more: float) -> Iterator[PageServer]:
    with PageServer(Drawing(vault.read_state, vault.draw), **more) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def get(server: PageServer, path: str, **headers: str) -> tuple[int, str, str]:
    """Return the status, the text, and where to go or the cookie to send."""
    link = http.client.HTTPConnection(server.host, timeout=SECONDS_MAX)
    try:
        link.request("GET", path, headers=headers)
        reply = link.getresponse()
        text = reply.read().decode()
        more = reply.getheader("Set-Cookie") or reply.getheader("Location") or ""
        return reply.status, text, more.split(";")[0]
    finally:
        link.close()


def visit(server: PageServer) -> str:
    """Open the address; return the cookie."""
    address = urlsplit(server.address)
    status, _, cookie = get(server, f"{address.path}?{address.query}")
    assert status == 303
    return cookie


@pytest.fixture
def _always_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_DRAWN_PAUSE_S", 0.0)


def test_the_address_is_good_for_one_visit() -> None:
    with serving(Vault()) as server:
        cookie = visit(server)
        assert get(server, "/map/1", Cookie=cookie)[:2] == (200, SECRET)
        address = urlsplit(server.address)
        for headers in ({}, {"Cookie": f"{server.cookie}=x"}, {"Cookie": "\x00=é;;"}):
            for path in (f"/?{address.query}", "/", "/map/1", "/version"):
                status, text, more = get(server, path, **headers)
                assert (status, more) == (403, "")
                assert SECRET not in text


def test_another_host_and_other_methods_are_refused() -> None:
    with serving(Vault()) as server:
        cookie = visit(server)
        for host in ("evil.example", "localhost", f"localhost:{server.server_port}"):
            assert get(server, "/map/1", Cookie=cookie, Host=host)[0] == 421
        link = http.client.HTTPConnection(server.host)
        link.request("POST", "/map/1", headers={"Cookie": cookie})
        assert link.getresponse().status == 501
        link.close()
        assert get(server, "/etc/passwd", Cookie=cookie)[0] == 404


@pytest.mark.usefixtures("_always_asking")
def test_the_version_rises_with_the_page_only() -> None:
    vault = Vault()
    with serving(vault) as server:
        cookie = visit(server)
        assert get(server, "/", Cookie=cookie)[::2] == (303, "/map/1")
        assert vault.drawn == 1
        vault.state = (2, 1)  # another revision, the same page
        assert get(server, "/version", Cookie=cookie)[:2] == (200, "1")
        assert vault.drawn == 2
        vault.state, vault.page = (2, 2), "other communities"
        assert get(server, "/version", Cookie=cookie)[:2] == (200, "2")
        assert get(server, "/map/1", Cookie=cookie)[::2] == (303, "/map/2")
        vault.gone = True
        assert get(server, "/version", Cookie=cookie)[0] == 503
        vault.gone = False
        assert get(server, "/map/2", Cookie=cookie)[:2] == (200, "other communities")


@pytest.mark.slow
def test_silent_clients_keep_nobody_out_for_long() -> None:
    with serving(Vault(), request_seconds_max=1.0) as server:
        cookie = visit(server)
        address = ("127.0.0.1", server.server_port)
        silent = [socket.create_connection(address) for _ in range(CONNECTIONS_MAX)]

        def answers() -> bool:
            try:
                return get(server, "/version", Cookie=cookie)[0] == 200
            except (http.client.HTTPException, ConnectionError):
                return False

        until(lambda: not answers())  # the last of the silent ones may still be on their way
        until(answers)
        for each in silent:
            each.close()


@pytest.mark.slow
def test_the_command_follows_the_vault_until_it_is_interrupted(tmp_path: Path) -> None:
    with daemon(tmp_path, copy_sample(tmp_path / "tides")) as running:
        running.until_partitioned()
        words = [sys.executable, "-m", "clew", "map", "--live", "--socket", str(running.socket)]
        command = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=running.environment,
        )
        try:
            assert command.stdout is not None
            address = command.stdout.readline().decode().strip()
            host, query = urlsplit(address).netloc, urlsplit(address).query
            cookie = _header(host, f"/?{query}", "", "Set-Cookie").split(";")[0]
            before = _header(host, "/", cookie, "Location")
            assert "Storm surge" in _page(host, before, cookie)
            (running.vault / "new.md").write_text("[[Perfectly new]] [[Storm surge]]\n")
            running.ask("sync")
            until(lambda: _header(host, "/", cookie, "Location") != before)
            now = _header(host, "/", cookie, "Location")
            assert "Perfectly new" in _page(host, now, cookie)
            command.send_signal(signal.SIGINT)
            assert command.wait(SECONDS_MAX) == 130
        finally:
            command.kill()
            command.communicate()
        with pytest.raises(ConnectionError):
            _page(host, now, cookie)


def _header(host: str, path: str, cookie: str, name: str) -> str:
    link = http.client.HTTPConnection(host)
    try:
        link.request("GET", path, headers={"Cookie": cookie})
        return link.getresponse().getheader(name) or ""
    finally:
        link.close()


def _page(host: str, path: str, cookie: str) -> str:
    link = http.client.HTTPConnection(host)
    try:
        link.request("GET", path, headers={"Cookie": cookie})
        return link.getresponse().read().decode()
    finally:
        link.close()
