"""What macOS needs, with its system calls faked: it has not been run there."""

import fcntl
import os
import resource
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from clew.disk import durable
from clew.surface.indexer.limits import end_after
from clew.surface.peers import peer_pid, peer_uid, tells_peers
from clew.surface.server import listening_socket
from clew.surface.server.answers import status
from clew.values.errors import ConfigError


class _MacPeer:
    """Answers as a Unix socket of macOS does."""

    def __init__(self, version: int = 0, credentials_bytes: int = 76) -> None:
        groups = [501, *[0] * 15]
        data = struct.pack("=IIhxx16I", version, 501, 1, *groups)
        self._values = {(0, 1): data[:credentials_bytes], (0, 2): struct.pack("=i", 4242)}

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
        return self._values[level, option][:size]


def test_macos_tells_the_user_and_the_process_of_a_peer() -> None:
    assert tells_peers("darwin")
    assert peer_uid(_MacPeer(), "darwin") == 501
    assert peer_pid(_MacPeer(), "darwin") == 4242


@pytest.mark.parametrize("peer", [_MacPeer(version=1), _MacPeer(credentials_bytes=4)])
def test_credentials_in_another_form_name_nobody(peer: _MacPeer) -> None:
    assert peer_uid(peer, "darwin") is None


def test_linux_tells_them_too() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_uid(ours) == os.getuid()
        assert peer_pid(ours) == os.getpid()


def test_no_daemon_serves_where_the_system_does_not_tell(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert not tells_peers("plan9")
    assert peer_uid(_MacPeer(), "plan9") is None
    monkeypatch.setattr(listening_socket, "tells_peers", lambda: False)
    with pytest.raises(ConfigError, match="does not say which user"):
        listening_socket.open_socket(str(tmp_path / "s" / "x.sock"))


@pytest.mark.parametrize(("platform", "bytes_max"), [("darwin", 103), ("linux", 107)])
def test_a_socket_path_is_as_long_as_the_system_allows(platform: str, bytes_max: int) -> None:
    program = (
        f"import sys; sys.platform = {platform!r}; from clew.surface import paths;"
        " print(paths.SOCKET_PATH_BYTES_MAX)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert int(done.stdout) == bytes_max


def test_a_full_fsync_is_used_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, int]] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, command: calls.append(("full", command)))
    monkeypatch.setattr(os, "fsync", lambda _: calls.append(("fsync", 0)))
    durable.flush(9)
    assert calls == [("full", 51)]

    def lacks(_: int, __: int) -> None:
        raise OSError("not supported here")

    monkeypatch.setattr(fcntl, "fcntl", lacks)
    durable.flush(9)
    assert calls[1:] == [("fsync", 0)]


@pytest.mark.parametrize(("platform", "unit"), [("darwin", 1), ("linux", 1024)])
def test_the_peak_of_memory_is_in_bytes_without_proc(
    monkeypatch: pytest.MonkeyPatch, platform: str, unit: int
) -> None:
    def no_file(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("builtins.open", no_file)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    shown = status.rss_bytes(os.getpid())
    monkeypatch.undo()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert before * unit <= shown <= after * unit


def test_a_child_ends_after_its_parent() -> None:
    parents = [7, 7, 1]
    ended: list[int] = []
    end_after(7, lambda: parents.pop(0), ended.append, lambda _: None)
    assert ended == [0]
    assert parents == []
