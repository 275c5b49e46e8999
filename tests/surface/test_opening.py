"""``clew open`` gives an editor the path of one note, whatever is in its name; no shell runs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

import pytest

from clew.surface.cli.shell.opening import command_line
from clew.values.vault import MAX_NOTE_BYTES
from tests.daemons import Daemon, daemon

pytestmark = pytest.mark.slow  # starts daemons of its own

NAMES = (
    *(b"plain.md", b"two words.md", b"-rf.md", b"+!touch owned.md", b"quote'\"{path}.md"),
    *(b"a$(touch owned)`touch owned`;&.md", b"line\nbreak.md", b"caf\xe9.md", b"100%41.md"),
)
RECORDER = """#!{python}
import os, sys
with open({record!r}, "wb") as record:
    record.write(b"\\0".join(map(os.fsencode, sys.argv[1:])))
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("opening")
    for folder in ("a", "b"):
        (home / "vault" / folder).mkdir(parents=True)
        (home / "vault" / folder / "twin.md").write_text("twin\n")
    for name in NAMES:
        (home / "vault" / os.fsdecode(name)).write_text("first\n\n# Head\ntext\n")
    (home / "vault/large.md").write_bytes(b"long\n" * MAX_NOTE_BYTES)
    (home / "bin").mkdir()
    for program in ("vim", "code", "odd", "xdg-open", "open"):
        file = home / "bin" / program
        file.write_text(RECORDER.format(python=sys.executable, record=str(home / "record")))
        file.chmod(0o755)
    with daemon(home, home / "vault") as started:
        yield started


def opened(running: Daemon, *words: str | bytes, editor: str = "vim") -> tuple[list[bytes], str]:
    """Return the arguments that the program got, if any, and what was printed."""
    record = running.home / "record"
    record.unlink(missing_ok=True)
    path = f"{running.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "clew", "open", "--socket", str(running.socket), *words],
        capture_output=True,
        check=False,
        env={**running.environment, "PATH": path, "VISUAL": "", "EDITOR": editor},
        cwd=running.home,
    )
    assert (done.returncode == 0) == record.exists(), done.stderr
    arguments = record.read_bytes().split(b"\0") if record.exists() else []
    return arguments, done.stderr.decode()


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_an_editor_gets_the_path_of_the_note_alone(running: Daemon, name: bytes) -> None:
    (path,), _ = opened(running, "--", name)
    assert path == os.fsencode(running.vault) + b"/" + name
    assert not (running.home / "owned").exists()


def test_obsidian_gets_a_uri_with_the_encoded_path(running: Daemon) -> None:
    for name in NAMES:
        (uri,), _ = opened(running, "--with", "obsidian", "--", name)
        head, _, path = uri.partition(b"?path=")
        assert (head, path.isascii(), b"&" in path) == (b"obsidian://open", True, False)
        assert unquote_to_bytes(path) == os.fsencode(running.vault) + b"/" + name


def test_a_heading_or_a_line_says_where_to_begin(running: Daemon) -> None:
    path = os.fsencode(running.vault / "plain.md")
    assert opened(running, "plain#Head")[0] == [b"+3", path]
    assert opened(running, "plain", "--line", "2", editor="code -n")[0] == [
        b"-n",
        b"--goto",
        path + b":2",
    ]
    assert opened(running, "plain", "--line", "2", editor="odd")[0] == [path]
    assert opened(running, "plain.md:2", editor="vim")[0] == [b"+2", path]


def test_obsidian_gets_the_heading_but_no_lines(running: Daemon) -> None:
    whole = unquote_to_bytes(opened(running, "plain", "--with", "obsidian")[0][0])
    shown = {
        name: unquote_to_bytes(opened(running, name, "--with", "obsidian")[0][0])
        for name in ("plain#Head", "memory://plain.md#He%61d", "[[plain#Head|x]]", "plain#L3-L3")
    }
    heading = whole + b"#Head"
    assert list(shown.values()) == [heading, heading, heading, whole]


def test_a_note_without_text_in_the_index_is_opened_too(running: Daemon) -> None:
    path = os.fsencode(running.vault / "large.md")
    assert opened(running, "large")[0] == [path]
    assert opened(running, "large", "--line", "7")[0] == [b"+7", path]
    error = running.refusal("read", uri="large")
    assert error["message"].count("by name") == 1
    assert error["data"]["hint"].startswith("its text is in the file alone")


def test_what_cannot_be_opened_is_told(running: Daemon) -> None:
    ambiguous = opened(running, "twin")[1]
    assert ("a/twin.md" in ambiguous, "b/twin.md" in ambiguous) == (True, True)
    assert "set $VISUAL or $EDITOR" in opened(running, "plain", editor="")[1]
    assert "cannot start nowhere: No such file" in opened(running, "plain", editor="nowhere")[1]
    assert "no line" in opened(running, "plain", "--line", "1", "--with", "obsidian")[1]


def test_each_editor_gets_the_path_and_the_line() -> None:
    words = {
        name: command_line([f"/usr/bin/{name}"], "/v/a {b}.md", 7)[1:] for name in ("hx", "kate")
    }
    assert words == {"hx": ["/v/a {b}.md:7"], "kate": ["--line", "7", "/v/a {b}.md"]}
    assert command_line(["vim"], "/v/a.md", None) == ["vim", "/v/a.md"]
