"""Reading one file never follows a link, never blocks and never raises an error."""

import hashlib
import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from clew.disk.beneath import open_beneath
from clew.values.vault import Stamp
from clew.vault.read import Unparsed, load_file, stamp_of
from tests.vault.conftest import Write
from tests.vaults import read_file


def test_a_note_is_read_with_its_stamp(tmp_path: Path, write: Write) -> None:
    write("a/b.md", b"# Title\n[[x]]")
    read = read_file(str(tmp_path), "a/b.md")
    assert read is not None
    assert (read.note.path, read.note.title) == ("a/b.md", "Title")
    assert read.note.content_hash == hashlib.sha256(b"# Title\n[[x]]").hexdigest()
    assert read.stamp == stamp_of((tmp_path / "a/b.md").stat())


@pytest.mark.parametrize("seconds", [-(10**12), 10**12])
def test_a_far_date_of_a_file_is_cut_to_what_can_be_stored(seconds: int) -> None:
    ns = seconds * 10**9
    far = SimpleNamespace(st_mtime_ns=ns, st_ctime_ns=ns, st_size=7, st_ino=2**64 - 1)
    stamp = stamp_of(cast("os.stat_result", far))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(stamp), type=Stamp) == stamp
    assert stamp.modified_at_ns == (2**63 - 1 if seconds > 0 else -(2**63))


@pytest.mark.parametrize("path", ["none.md", "no/folder.md", "a.md/b.md", "folder", "n" * 300])
def test_a_missing_file_is_no_note(tmp_path: Path, write: Write, path: str) -> None:
    write("a.md")
    write("folder/b.md")
    assert read_file(str(tmp_path), path) is None


@pytest.mark.timeout(60)
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    assert read_file(str(tmp_path), "a.md") is None


def test_a_socket_is_no_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("a.md")
        assert read_file(str(tmp_path), "a.md") is None


@pytest.mark.parametrize("target", ["note.md", "/etc/passwd", "gone.md", "link.md"])
def test_a_symbolic_link_is_not_read(tmp_path: Path, write: Write, target: str) -> None:
    write("note.md")
    (tmp_path / "link.md").symlink_to(target)
    assert read_file(str(tmp_path), "link.md") is None


@pytest.mark.parametrize("path", ["link/a.md", "link/deep/a.md", "folder/link/a.md", "link.md"])
def test_no_symbolic_link_in_the_path_is_followed(tmp_path: Path, write: Write, path: str) -> None:
    write("outside/a.md", b"secret")
    write("outside/deep/a.md", b"secret")
    (tmp_path / "vault/folder").mkdir(parents=True)
    (tmp_path / "vault/link").symlink_to(tmp_path / "outside")
    (tmp_path / "vault/folder/link").symlink_to("../../outside")
    (tmp_path / "vault/link.md").symlink_to("../outside/a.md")
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        open_beneath(str(tmp_path / "vault"), path)
    read = read_file(str(tmp_path / "vault"), path)
    assert read is None or "secret" not in read.note.text


def test_the_vault_itself_may_be_a_symbolic_link(tmp_path: Path, write: Write) -> None:
    write("vault/a.md", b"[[x]]")
    (tmp_path / "link").symlink_to("vault")
    read = read_file(str(tmp_path / "link"), "a.md")
    assert read is not None
    assert [link.target for link in read.note.links] == ["x"]


def test_reading_leaves_no_file_open(tmp_path: Path, write: Write) -> None:
    write("a/b.md")
    (tmp_path / "link").symlink_to("a")
    before = len(os.listdir("/proc/self/fd"))
    for path in ("a/b.md", "a/none.md", "link/b.md", "a", "a/b.md/c.md"):
        read_file(str(tmp_path), path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_over_the_limit_is_indexed_by_name(tmp_path: Path, write: Write) -> None:
    write("a/Big.md", b"x" * 11)
    read = read_file(str(tmp_path), "a/Big.md", max_bytes=10)
    assert read is not None
    assert (read.note.name_only, read.note.title, read.note.text) == (True, "Big", "")
    assert [(p.path, p.code) for p in read.note.problems] == [("a/Big.md", "tooLarge")]
    assert not read.note.fields.private
    assert read.stamp.size_bytes == 11


def test_a_file_at_the_limit_is_read(tmp_path: Path, write: Write) -> None:
    write("a.md", b"x" * 10)
    read = read_file(str(tmp_path), "a.md", max_bytes=10)
    assert read is not None
    assert read.note.text == "x" * 10


def test_the_same_bytes_are_not_parsed_again(tmp_path: Path, write: Write) -> None:
    write("a.md", b"same")
    first = read_file(str(tmp_path), "a.md")
    assert first is not None
    os.utime(tmp_path / "a.md", ns=(1, 1))
    again = load_file(str(tmp_path), "a.md", 1024, first.note.content_hash)
    assert isinstance(again, Stamp)
    assert again.modified_at_ns == 1


def test_changed_bytes_are_parsed_again(tmp_path: Path, write: Write) -> None:
    write("a.md", b"one")
    first = read_file(str(tmp_path), "a.md")
    assert first is not None
    write("a.md", b"two")
    again = load_file(str(tmp_path), "a.md", 1024, first.note.content_hash)
    assert isinstance(again, Unparsed)
    assert again.source.text == "two"


def test_a_name_of_undecodable_bytes_is_read(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("[[x]]")
    read = read_file(str(tmp_path), os.fsdecode(b"caf\xe9.md"))
    assert read is not None
    assert read.note.title == "caf\\xe9"


def test_a_file_without_permission_is_indexed_by_name(
    open_vault: Path, ordinary_user: Callable[[], AbstractContextManager[None]]
) -> None:
    (open_vault / "a.md").write_text("secret")
    (open_vault / "a.md").chmod(0)
    with ordinary_user():
        read = read_file(str(open_vault), "a.md")
    assert read is not None
    assert (read.note.name_only, read.note.text) == (True, "")
    assert [p.code for p in read.note.problems] == ["unreadable"]


@pytest.mark.parametrize("size", [1, 1_000, 200_000])
def test_a_note_that_is_too_large_is_private_if_its_front_matter_says_so(
    tmp_path: Path, size: int
) -> None:
    (tmp_path / "a.md").write_text("---\nprivate: true\n---\n" + "é" * size)
    read = read_file(str(tmp_path), "a.md", max_bytes=10)
    assert read is not None
    assert read.note.name_only
    assert read.note.fields.private
