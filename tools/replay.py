"""Record the replies of every method on given vaults, and compare two such recordings.

    python tools/replay.py record OUT VAULT...      # a folder OUT with one .jsonl file per vault
    python tools/replay.py compare BEFORE AFTER     # exits 1 if a reply differs

Use it to check that a change alters no reply: record, change, record, compare. Each vault
is copied, every file of the copy gets a fixed modification time, and ages are computed at a fixed
moment, so two recordings of one program are equal. The requests depend on the vault's notes and a
fixed seed. Revisions, runs, times, memory, and the state of walks and saves are masked; a refusal
is compared by its codes and its field, not by its words.

Needs only the ``clew`` command: ``--python`` names the interpreter that runs it, so one
script records two versions of the program.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from replay_requests import line_of, request_lines

NEWEST_FILE_S = 1_795_000_000  # 2026-11-18; every file is up to two years older
FILE_AGES_S = 2 * 365 * 86_400
START_SECONDS_MAX = 300.0
STOP_SECONDS_MAX = 30.0
DIFFERENCES_SHOWN_MAX = 20
MASKED = {
    "revision", "communityRevision", "uptimeS", "tookMs", "rssBytes", "walk", "persist", "lastRead",
    "pid", "epoch",
}  # fmt: skip


def main() -> int:
    """Run the subcommand that the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    record_words = commands.add_parser("record", help="record the replies on some vaults")
    record_words.add_argument("--python", default=sys.executable, help="the interpreter of clew")
    record_words.add_argument("out", type=Path)
    record_words.add_argument("vaults", type=Path, nargs="+")
    compare_words = commands.add_parser("compare", help="compare two recordings")
    compare_words.add_argument("before", type=Path)
    compare_words.add_argument("after", type=Path)
    words = parser.parse_args()
    if words.command == "compare":
        return compare(words.before, words.after)
    words.out.mkdir(parents=True, exist_ok=True)
    for vault in words.vaults:
        record(words.python, vault, words.out)
    return 0


def record(python: str, vault: Path, out: Path) -> None:
    """Write the replies of a daemon on a copy of ``vault`` to a file in ``out``."""
    vault = vault.resolve()
    name = vault.parent.name if vault.name == "vault" else vault.name
    with tempfile.TemporaryDirectory() as home:
        copy = Path(home) / "vault"
        copy_vault(vault, copy)
        with served(python, Path(home), copy) as daemon:
            wait_until_whole(daemon)
            count = 0
            with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
                for line in request_lines(daemon):
                    replies = [mask(json.loads(row), home) for row in daemon.ask_raw(line)]
                    file.write(json.dumps([line, *replies], sort_keys=True) + "\n")
                    count += 1
    print(f"{name}: {count} requests")


def copy_vault(vault: Path, copy: Path) -> None:
    """Copy a vault; each file's modification time follows from its path alone."""
    shutil.copytree(vault, copy, symlinks=True)
    for path in copy.rglob("*"):
        relative = os.fsencode(path.relative_to(copy))
        modified_s = NEWEST_FILE_S - zlib.crc32(relative) % FILE_AGES_S
        os.utime(path, (modified_s, modified_s), follow_symlinks=False)


# -- one daemon ---------------------------------------------------------------------------------


class Daemon:
    """A running daemon, asked over a new connection for each exchange."""

    def __init__(self, path: str, process: "subprocess.Popen[bytes]") -> None:
        self.path = path
        self.process = process

    def ask_raw(self, line: str) -> list[bytes]:
        """Return the lines that answer one line."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(START_SECONDS_MAX)
            peer.connect(self.path)
            peer.sendall(line.encode("utf-8", "surrogatepass") + b"\n")
            peer.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: peer.recv(1 << 18), b"")).splitlines()

    def ask(self, method: str, **params: Any) -> Any:
        """Return the result of one request."""
        return json.loads(self.ask_raw(line_of(method, params))[0])["result"]


@contextmanager
def served(python: str, home: Path, vault: Path) -> Iterator[Daemon]:
    """Serve ``vault`` for as long as the context lasts."""
    path = str(home / "run" / "clew.sock")
    words = [python, "-m", "clew", "serve", "--vault", str(vault), "--socket", path]
    words += ["--state", str(home / "state")]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(home / "config"), "TZ": "UTC"}
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL, env=environment)
    try:
        yield Daemon(path, process)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_whole(daemon: Daemon) -> None:
    """Return when the first index is complete: words, vectors and communities."""
    deadline_s = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline_s and daemon.process.poll() is None:
        try:
            status = daemon.ask("status")
        except OSError:
            status = None
        if status and status["ready"] and all(s["ready"] for s in status["stages"].values()):
            return
        time.sleep(0.1)
    raise RuntimeError("the daemon did not become ready")


# -- masks and differences ----------------------------------------------------------------------


def mask(value: Any, home: str) -> Any:
    """Return a reply without what may differ between two runs of one program."""
    if isinstance(value, dict):
        if "error" in value and "jsonrpc" in value:
            data = value["error"]["data"]
            kept = {"code": value["error"]["code"], "name": data["code"]}
            return {"id": value["id"], "error": {**kept, "field": data.get("field")}}
        # The cursor of notes by when they were read has the moment of a reading.
        masked = MASKED | {"cursor"} if value.get("by") == "read" else MASKED
        return {key: None if key in masked else mask(part, home) for key, part in value.items()}
    if isinstance(value, list):
        return [mask(part, home) for part in value]
    if isinstance(value, str):
        return re.sub(re.escape(home) + "|" + re.escape(os.path.realpath(home)), "HOME", value)
    return value


def compare(before: Path, after: Path) -> int:
    """Print how two recordings differ; return 1 if they do, else 0."""
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.jsonl")})
    differing = total = 0
    for name in names:
        old, new = _rows(before / name), _rows(after / name)
        total += max(len(old), len(new))
        for request in {**old, **new}:
            if old.get(request) != new.get(request):
                differing += 1
                if differing <= DIFFERENCES_SHOWN_MAX:
                    print(f"{name}: {request[:200]}")
                    print(f"  before: {_around(old.get(request), new.get(request))}")
                    print(f"  after:  {_around(new.get(request), old.get(request))}")
    print(f"{differing} of {total} replies differ")
    return 1 if differing or not total else 0


def _rows(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {
        f"{number}: {row[0]}": json.dumps(row[1:], sort_keys=True)
        for number, row in enumerate(rows)
    }


def _around(text: str | None, other: str | None) -> str:
    """Return the part of ``text`` where it begins to differ from ``other``."""
    if text is None or other is None:
        return (text or "(no reply)")[:300]
    pairs = enumerate(zip(text, other, strict=False))
    start = next((index for index, (one, two) in pairs if one != two), len(other))
    return text[max(0, start - 60) : start + 240]


if __name__ == "__main__":
    sys.exit(main())
