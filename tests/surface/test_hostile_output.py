"""No name, note, argument or log line can control the terminal of the user, on any stream."""

import json
import logging
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clew.surface.cli.lines import harmless
from clew.surface.cli.table import COMMANDS, GRAPH_FORMATS
from clew.surface.logs import HarmlessFormatter
from tests.daemons import Daemon, daemon
from tests.faults.odd_names import NAMES as ODD_FILES
from tests.hostile_names import HOSTILE
from tests.steering import STEERING

pytestmark = pytest.mark.slow  # starts daemons of its own

TITLE = "\x1b]0;owned\x07"
COPIED = "\x1b]52;c;b3duZWQ=\x07"
TURNED = "\u202egnp\u2066\U000e0041\u009b31m"
EVIL = f"evil{TITLE}{TURNED}"
STYLES = re.compile("\x1b\\[[012]m|\x1b]8;;[!-~]*\x1b\\\\")  # and links
ROUND = (*ODD_FILES, f"{EVIL}.md".encode(), f"evil twin\n{TITLE}.md".encode())


def is_file_name(text: str) -> bool:
    try:
        name = f"{text}.md".encode()
    except UnicodeEncodeError:
        return False
    return len(name) <= 255 and b"/" not in name and b"\0" not in name


def make_vault(vault: Path) -> Path:
    """Write notes with hostile names, text, links and tags."""
    vault.mkdir()
    links = " ".join(f"[[{text}]]" for text in (*HOSTILE, EVIL, COPIED))
    hub = f"---\naliases: [{json.dumps(EVIL)}]\ntags: [x{TURNED}]\n---\n# {EVIL}\n{links}\n{EVIL}\n"
    hub += "```py\nclass Hostile:\n    def hostile_call(self): ...\n```\n"
    (vault / "hub.md").write_text(hub, errors="replace")
    for file_name in ROUND:
        (vault / os.fsdecode(file_name)).write_text(
            f"# {EVIL}\n[[hub]] {COPIED} {TURNED}\n`hostile_call` {EVIL}\n"
            "```js\nfunction f(x) { x.hostile_call(); }\n```\n```py\nx.hostile_call()\n```\n"
        )
    for number, text in enumerate(filter(is_file_name, HOSTILE)):
        name = text.replace("\\", "")
        (vault / f"{name}.md").write_text(f"[[hub]] [[{EVIL}]] {text} {number}\n")
    (vault / f"alone{EVIL}.md").write_text(EVIL)
    (vault / f"loop{EVIL}.md").symlink_to("loop")
    return vault


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("steer")
    vault = make_vault(home / f"v{EVIL}")
    with daemon(home, vault) as started:
        started.until_partitioned()
        yield started


def run(running: Daemon, *words: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "clew", *words]
    return subprocess.run(command, capture_output=True, check=False, env=running.environment)


def run_on_terminal(running: Daemon, *words: str) -> str:
    """Return all that a command prints to a terminal, without its own styles."""
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "clew", *words],
        stdout=theirs,
        stderr=theirs,
        env={**running.environment, "COLUMNS": "72", "TERM": "xterm-kitty"},
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        printed = b"".join(iter(lambda: _read(terminal.fileno()), b""))
    child.wait()
    return STYLES.sub("", printed.decode().replace("\r\n", "\n"))


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # Linux raises it when the other end is closed
        return b""


ANSWERED: list[tuple[str, ...]] = [
    ("search", "evil", "owned", "--explain"),
    ("search", EVIL),
    ("context", "evil", "owned", "--evidence"),
    ("context", EVIL, "--template", "detailed"),
    ("rank", "evil", "owned"),
    ("rank", "hub", "--legacy"),
    ("similar", "hub"),
    ("concept", "hub", "--content"),
    ("concept", f"nobody{EVIL}"),
    ("concepts", "-n", "1000"),
    ("code", "hostile_call"),
    ("code", f"hostile_cal{EVIL}"),
    ("communities",),
    ("path", "hub", f"{EVIL}"),
    ("graph", "hub", "-n", "400"),
    *(("graph", "hub", "-n", "400", "-f", kind) for kind in GRAPH_FORMATS),
    ("links", "hub", "-n", "1000"),
    ("backlinks", "hub", "-n", "1000"),
    ("backlinks", "--concept", "hub"),
    ("unresolved", "-n", "1000"),
    ("orphans",),
    ("tags",),
    ("recent", "-n", "1000"),
    ("read", "hub"),
    ("expand", __file__),  # it has a link: [[hub]]
    ("verify", __file__),  # it has a reference: memory://hub.md
    ("why", "hub"),
    ("why", f"{EVIL}.md"),
    ("status",),
    ("sync",),
    ("doctor",),
]
DUMPED = ("doctor", "--dump")
REFUSED: list[tuple[str, ...]] = [
    *((name, "evi") for name in ("read", "links", "backlinks", "graph")),
    ("read", f"evil{TITLE}"),
    ("read", "--title", f"evil twin{COPIED}"),
    ("graph", f"nobody{EVIL}"),
    ("concept", "hub", "--as-of", EVIL),
    ("recent", "--since", EVIL),
    ("tags", "--cursor", EVIL),
    ("search", "hub", "--since", EVIL),
    ("search", EVIL, "--folder", EVIL),
]
MISTAKEN: list[tuple[str, ...]] = [
    (EVIL,),
    ("concept",),
    ("concept", "a", EVIL, "\nclew: forged"),
    ("concept", f"--{EVIL}"),
    ("concept", "a", f"--{EVIL}=b"),
    ("concept", "a", "-n", EVIL),
    ("graph", "-f", EVIL),
    ("read", "a", "--lines", EVIL),
    ("search", "a", "--min-importance", EVIL),
    ("completion", EVIL),
    ("map", "-n", EVIL),
    ("concept", "a", "--vault", f"/nowhere/{EVIL}\nclew: forged"),
    ("status", "--socket", f"/nowhere/{EVIL}"),
    ("stop", "--socket", f"/nowhere/{EVIL}"),
    ("stop", "--vault", f"/nowhere/{EVIL}"),
    ("start", "--vault", f"/nowhere/{EVIL}"),
    ("serve", "--vault", f"/nowhere/{EVIL}"),
    ("serve", "--vault", "/", "--config", f"/nowhere/{EVIL}"),
]


def test_every_command_is_in_the_list() -> None:
    assert {words[0] for words in ANSWERED} == {command.name for command in COMMANDS}


@pytest.mark.parametrize("words", [*ANSWERED, DUMPED], ids=lambda words: ascii(words)[:40])
def test_no_answer_controls_a_terminal(running: Daemon, words: Sequence[str]) -> None:
    done = run(running, *words, "--socket", str(running.socket))
    # An unknown name has no data, and a remark.
    assert (done.returncode, done.stdout + done.stderr != b"") == (0, True), done.stderr
    assert not STEERING.search((done.stdout + done.stderr).decode())


@pytest.mark.parametrize("words", ANSWERED, ids=lambda words: ascii(words)[:40])
def test_no_answer_in_json_controls_a_terminal(running: Daemon, words: Sequence[str]) -> None:
    done = run(running, *words, "--socket", str(running.socket), "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert not STEERING.search(done.stdout.decode())
    assert "revision" in json.loads(done.stdout)


def unchanging(result: dict[str, Any]) -> dict[str, Any]:
    kept = {**result, "searchMetrics": None, "tookMs": None, "uptimeS": None, "rssBytes": None}
    return {**kept, "cache": None, "walk": None}


@pytest.mark.parametrize(
    ("words", "params"),
    [
        (("links", "hub", "-n", "1000"), {"uri": "hub", "limit": 1000}),
        (("recent", "-n", "1000"), {"limit": 1000}),
        (("graph", "hub", "-n", "9"), {"conceptName": "hub", "maxNodes": 9}),
    ],
)
def test_escaped_json_has_the_same_value(
    running: Daemon, words: Sequence[str], params: dict[str, object]
) -> None:
    at = ("--as-of", "2026-11-21")
    done = run(running, *words, *at, "--socket", str(running.socket), "--json")
    answer = running.ask(words[0], asOf="2026-11-21", **params)
    assert unchanging(json.loads(done.stdout)) == unchanging(answer)


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["people", "json"])
@pytest.mark.parametrize("words", REFUSED, ids=lambda words: ascii(words)[:40])
def test_no_refusal_controls_a_terminal(
    running: Daemon, words: Sequence[str], more: tuple[str, ...]
) -> None:
    done = run(running, *words, *more, "--socket", str(running.socket))
    assert (done.stdout + done.stderr) != b""
    assert not STEERING.search((done.stdout + done.stderr).decode())


def test_a_suggested_name_starts_no_line(running: Daemon) -> None:
    done = run(running, "read", "evil twi", "--socket", str(running.socket))
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 2
    assert "close to it: evil twin\ufffd" in done.stderr.decode()


@pytest.mark.parametrize("words", MISTAKEN, ids=lambda words: ascii(words)[:40])
def test_no_usage_error_controls_a_terminal(running: Daemon, words: Sequence[str]) -> None:
    done = run(running, *words)
    assert done.returncode in (2, 3), done.stderr
    assert done.stderr != b""
    assert not STEERING.search((done.stdout + done.stderr).decode())
    assert b"\nclew: forged" not in done.stderr


@pytest.mark.parametrize(
    "words", [*ANSWERED[::3], DUMPED, *REFUSED[:2]], ids=lambda words: ascii(words)[:40]
)
def test_a_terminal_gets_only_styles(running: Daemon, words: Sequence[str]) -> None:
    printed = run_on_terminal(running, *words, "--socket", str(running.socket))
    assert printed
    assert not STEERING.search(printed)


def test_the_log_controls_no_terminal(caplog: pytest.LogCaptureFixture) -> None:
    formatter = HarmlessFormatter("%(levelname)s %(message)s")
    failure = ValueError(f"{EVIL}\n{TITLE}")
    logging.getLogger("test").error("failed note=%s\nforged", EVIL, exc_info=failure)
    lines = formatter.format(caplog.records[0]).split("\n")
    assert not any(map(STEERING.search, lines))
    assert lines[0].endswith("\ufffdforged")
    assert lines[1] == f"ValueError: {harmless(EVIL)}"


def test_the_printed_end_of_a_log_controls_no_terminal(running: Daemon, tmp_path: Path) -> None:
    vault, state = tmp_path / f"v{EVIL}", tmp_path / f"s{EVIL}"
    vault.mkdir()
    state.mkdir(mode=0o700)
    (state / "daemon.log").write_text(f"from an older version {TITLE}{TURNED}\n")
    config = tmp_path / f"c{EVIL}.toml"
    config.write_text(f"[server]\n'{TURNED}' = 1\n")
    words = ("--vault", str(vault), "--state", str(state), "--config", str(config))
    done = run(running, "start", *words)
    assert done.returncode == 1
    printed = done.stderr.decode()
    assert "says why" in printed
    assert "unknown key" in printed
    assert "from an older version" not in printed
    logged = run(running, "logs", "--vault", str(vault), "--state", str(state))
    assert b"from an older version" in logged.stdout
    assert not STEERING.search(logged.stdout.decode())
    assert not STEERING.search(printed)


def test_the_message_of_start_controls_no_terminal(running: Daemon) -> None:
    words = ("--vault", str(running.vault), "--socket", str(running.socket))
    done = run(running, "start", *words)
    assert done.stdout.startswith(b"already running: ")
    assert not STEERING.search((done.stdout + done.stderr).decode())


def test_the_map_controls_no_terminal(running: Daemon, tmp_path: Path) -> None:
    place = tmp_path / f"m{EVIL}.html"
    done = run(running, "map", "--no-open", "-o", str(place), "--socket", str(running.socket))
    assert done.returncode == 0, done.stderr
    assert not STEERING.search(done.stdout.decode())
    page = run(running, "map", "-o", "-", "--socket", str(running.socket)).stdout
    assert page == place.read_bytes()
    assert not STEERING.search(page.decode())


def test_an_answer_of_another_program_controls_no_terminal(running: Daemon, tmp_path: Path) -> None:
    body = b'{"title":"' + EVIL.encode() + b"\x1b]0;raw\x07\x9b31m\xff" + b'"}'
    answer = b'{"jsonrpc":"2.0","id":1,"result":' + body + b"}\n"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        with ThreadPoolExecutor(1) as pool:
            answered = pool.submit(answer_once, listener, answer)
            done = run(running, "status", "--json", "--socket", str(tmp_path / "s"))
            answered.result()
    assert done.returncode == 0, done.stderr
    assert not STEERING.search(done.stdout.decode())
    assert json.loads(done.stdout)["title"].startswith(EVIL)


def answer_once(listener: socket.socket, answer: bytes) -> None:
    listener.settimeout(60)
    peer, _ = listener.accept()
    with peer:
        peer.recv(65_536)
        peer.sendall(answer)
