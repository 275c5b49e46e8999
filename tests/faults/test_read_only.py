"""The vault is never written: checked by the daemon's system calls and by the files."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon, broken_parts, copy_sample, daemon, prepared
from tests.faults.processes import mount
from tests.faults.vaults import knows, seconds_until

PARAMS: dict[str, dict[str, Any]] = {
    "hello": {"protocol": 1},
    "concept": {"conceptName": "seiche", "depth": 3, "includeContent": True},
    "path": {"from": "seiche", "to": "GPS time"},
    "graph": {"conceptName": "seiche", "format": "mermaid"},
    "links": {"uri": "Index"},
    "backlinks": {"uri": "Index"},
    "read": {"uri": "Index"},
    "verify": {"text": "memory://Index.md#L1-L2~1a2b3c4d"},
    "why": {"uri": "memory://Index.md"},
    "sync": {"full": True},
    "doctor": {"deep": True, "dump": True},
}
# System calls that change the file at a path, whatever their flags.
CHANGING = re.compile(
    r"\b(creat|rename\w*|unlink\w*|mkdir\w*|rmdir|link\w*|symlink\w*|mknod\w*|f?truncate\w*"
    r"|f?chmod\w*|l?f?chown\w*|utime\w*|futimesat|\w*setxattr\w*|\w*removexattr\w*)\("
)
OPENING = re.compile(r"\bopen(at2?)?\(")
FOR_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
TRACED = "%file,fchmod,fchown,ftruncate,fsetxattr,fremovexattr,utimensat,futimesat"


def session(running: Daemon, vault: Path) -> None:
    """Call every method of the daemon while the vault is changed through ``vault``."""
    (vault / "made.md").write_text("[[made]]")
    assert knows(running, "made")
    (vault / "made.md").write_text("[[made again]]")
    assert knows(running, "made again")
    (vault / "d").mkdir()
    (vault / "made.md").rename(vault / "d" / "moved.md")
    running.until("why", lambda r: r["state"] == "indexed", uri="memory://d/moved.md")
    ask_everything(running)
    shutil.rmtree(vault / "d")
    running.until("why", lambda r: r["state"] == "missing", uri="memory://d/moved.md")


def ask_everything(running: Daemon) -> None:
    """Call every method except ``shutdown``; a method may refuse a call without fields."""
    for method in running.ask("hello", protocol=1)["capabilities"]:
        if method in PARAMS:
            running.ask(method, **PARAMS[method])
        elif method != "shutdown":
            call = b'{"jsonrpc":"2.0","id":1,"method":"%b"}\n' % method.encode()
            assert [answer["id"] for answer in running.say(call)] == [1]
    for uri in ("Seiche", "broken/Latin-1 bytes", "HA"):
        running.ask("read", uri=uri)
    running.ask("status", waitFresh=True)


def manifest(vault: Path) -> dict[str, tuple[Any, ...]]:
    """Return the metadata and content of each file, which a write would change."""
    found: dict[str, tuple[Any, ...]] = {}
    for place in [vault, *vault.rglob("*")]:
        status = place.lstat()
        is_file = place.is_file() and not place.is_symlink()
        digest = hashlib.sha256(place.read_bytes()).hexdigest() if is_file else ""
        found[str(place)] = (
            *(status.st_ino, status.st_mode, status.st_uid, status.st_nlink, status.st_size),
            *(status.st_mtime_ns, status.st_ctime_ns, digest),
        )
    return found


def changed(before: dict[str, tuple[Any, ...]], after: dict[str, tuple[Any, ...]]) -> set[str]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def test_nothing_in_the_vault_changes(tmp_path: Path) -> None:
    vault = copy_sample(tmp_path / "v")
    before = manifest(vault)
    with daemon(tmp_path / "h", vault) as running:
        ask_everything(running)
        assert changed(before, manifest(vault)) == set()
        session(running, vault)
        between = manifest(vault)
        ask_everything(running)
        running.stop()
        running.start()
        ask_everything(running)
        assert running.stop() == 0
    assert changed(between, manifest(vault)) == set()


def text_of(trace: Path) -> str:
    return trace.read_text(errors="replace")


def writes(trace: Path, vault: Path) -> list[str]:
    """Return the system calls that would change something in the vault."""
    found = []
    for row in text_of(trace).splitlines():
        if str(vault) not in row:
            continue
        if CHANGING.search(row) or (OPENING.search(row) and FOR_WRITING.search(row)):
            found.append(row)
    return found


def test_the_daemon_makes_no_system_call_that_changes_the_vault(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is missing")
    probe = ["strace", "-o", "/dev/null", "true"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("tracing is refused here")
    vault = copy_sample(tmp_path / "v")
    trace = tmp_path / "trace"
    with prepared(tmp_path / "h", vault) as running:
        # -D keeps the daemon a child of the test; -y prints the path of every descriptor.
        running.before = ("strace", "-D", "-f", "-y", "-o", str(trace), "-e", f"trace={TRACED}")
        running.start()
        session(running, vault)
        assert running.stop() == 0
    end = re.compile(rf"^{running.pid} +\+\+\+ exited", re.MULTILINE)
    assert seconds_until(lambda: bool(end.search(text_of(trace))), 10.0) <= 10.0
    opened = [row for row in text_of(trace).splitlines() if str(vault) in row]
    assert len(opened) > 65, "the trace does not show the notes being opened"
    assert "journal" in "".join(opened), "the trace does not show the notes being opened"
    assert writes(trace, vault) == []


def test_writes_are_found_in_a_trace(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    rows = [
        'openat(AT_FDCWD</w>, "/v/a.md", O_RDONLY|O_CLOEXEC) = 3</v/a.md>',
        'openat(5</v/sub>, "a.md", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</v/sub/a.md>',
        'rename("/v/a.md", "/v/b.md") = 0',
        "fchmod(3</v/a.md>, 0600) = 0",
        'utimensat(5</v>, "a.md", NULL, 0) = 0',
        'unlink("/elsewhere/a.md") = 0',
        'newfstatat(5</v>, "a.md", {st_mode=S_IFREG}, 0) = 0',
        'readlink("/v/link", "x", 10) = 1',
    ]
    trace.write_text("\n".join(rows))
    assert writes(trace, Path("/v")) == rows[1:5]


def test_a_read_only_vault_is_served_like_any_other(tmp_path: Path) -> None:
    real = copy_sample(tmp_path / "real")
    vault = tmp_path / "v"
    vault.mkdir()
    mount("--bind", str(real), str(vault))
    try:
        mount("-o", "remount,bind,ro", str(vault))
        with pytest.raises(OSError, match="Read-only"):
            (vault / "x.md").write_text("x")
        with daemon(tmp_path / "h", vault) as running:
            session(running, real)
            assert broken_parts(running.ask("status")) == {}
            assert running.stop() == 0
            assert "Read-only" not in running.log
    finally:
        subprocess.run(["umount", "-l", vault], check=False)
