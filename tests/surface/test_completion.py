"""Completion in a shell: names become one word of the command line, and nothing runs."""

import os
import pty
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.shell.completing import quoted_for_bash, read_line
from clew.surface.cli.shell.scripts import SCRIPTS
from tests.daemons import Daemon, daemon
from tests.examples import examples
from tests.hostile_names import HOSTILE
from tests.pace import Stopwatch

pytestmark = pytest.mark.slow  # starts daemons of its own

BREAKS = " \t\n\"'@><=;|&(:"
SUFFIXES = (
    *("plain", "two words", "$(touch owned)", "`touch owned`", "${HOME} $HOME", "a;touch owned"),
    *("a&b|c>d<e", "*", "?[x]", "{a,b}", "~", "#x", "back\\slash", "it's", 'say "x"', "!ls", "!!"),
    *("10:30 x=1 @y", "ünï 潮汐", "^x^y", "%1", "(x)", "memory:", " ends "),
)
NEVER = ("line\nbreak", "esc\x1b[31m", "tab\there", "turned\u202e")
KEY = "\x0f"  # bound to save the line


def name_of(number: int) -> str:
    return f"q{number:02}{SUFFIXES[number]}x"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("completion")
    vault = home / "vault"
    (vault / "$(touch owned) folder").mkdir(parents=True)
    for name in (*map(name_of, range(len(SUFFIXES))), *NEVER, "-rf"):
        (vault / f"{name}.md").write_text(f"[[Tide `touch owned`]] [[Other]] #sea-{len(name)}\n")
    (vault / "$(touch owned) folder" / "deep.md").write_text("deep\n")
    (home / "bin").mkdir()
    program = home / "bin" / "clew"
    program.write_text(
        f'#!/bin/sh\n[ -n "$_CLEW_COMPLETE" ] && exec "{sys.executable}" -m clew "$@"\n'
        f'printf "%s\\0" "$@" > "{home}/ran.new" && mv "{home}/ran.new" "{home}/ran"\n'
    )
    program.chmod(0o755)
    with daemon(home, vault) as started:
        yield started


def environment(running: Daemon) -> dict[str, str]:
    path = f"{running.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    config = running.home / "config.toml"
    config.write_text(f'[server]\nsocket = "{running.socket}"\n')
    named = {"CLEW_CONFIG": str(config), "CLEW_VAULT": str(running.vault)}
    return {**running.environment, **named, "PATH": path, "TERM": "dumb", "HOME": str(running.home)}


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, running: Daemon, terminal: int) -> None:
        self.home = running.home
        self.terminal = terminal

    def saved(self, name: str, keys: str, seconds: float = 20.0) -> str:
        """Type ``keys``; return what is then written to a file."""
        file = self.home / name
        file.unlink(missing_ok=True)
        os.write(self.terminal, keys.encode())
        watch = Stopwatch()
        while not file.exists():
            assert not watch.is_over(seconds), self.shown()
            time.sleep(0.02)
        return os.fsdecode(file.read_bytes())

    def completed(self, typed: str) -> str:
        """Type a line and complete it, again if the daemon was too slow; return the line."""
        os.write(self.terminal, b"\x15" + typed.encode())
        watch = Stopwatch()
        while (line := self.saved("line", f"\t{KEY}")) == typed and not watch.is_over(5.0):
            self.shown()
        return line

    def ran(self) -> list[str]:
        """Press Return; return the arguments that the command gets."""
        return self.saved("ran", "\r").split("\0")[:-1]

    def shown(self) -> str:
        """Return what the terminal shows since the last call."""
        text = b""
        while chunk := self._read():
            text += chunk
        return os.fsdecode(text)

    def _read(self) -> bytes:
        try:
            return os.read(self.terminal, 65_536)
        except OSError:  # nothing to read, or the end
            return b""


@contextmanager
def bash(running: Daemon) -> Iterator[Shell]:
    file = running.home / "rc"
    file.write_text(
        f"bind 'set bell-style none'\nbind 'set enable-bracketed-paste off'\nset -o history -H\n"
        f"{SCRIPTS['bash']}\n_save() {{ printf %s \"$READLINE_LINE\" > '{running.home}/line.new'; "
        f"mv '{running.home}/line.new' '{running.home}/line'; }}\n"
        "bind -x '\"\\C-o\": _save'\n"
    )
    child, terminal = pty.fork()
    if not child:
        os.chdir(running.vault)
        words = ["bash", "--noprofile", "--rcfile", str(file), "-i"]
        os.execvpe("bash", words, environment(running))
    os.set_blocking(terminal, False)
    try:
        yield Shell(running, terminal)
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)


@pytest.fixture(scope="module")
def shell(running: Daemon) -> Iterator[Shell]:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    with bash(running) as started:
        yield started


@pytest.mark.parametrize("number", range(len(SUFFIXES)), ids=lambda number: SUFFIXES[number])
def test_a_name_becomes_one_word_for_bash_and_runs_nothing(shell: Shell, number: int) -> None:
    shell.completed(f"clew read q{number:02}")
    assert shell.ran() == ["read", name_of(number)]
    assert not list(shell.home.rglob("owned"))


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_name_is_completed_within_quotes(shell: Shell, quote: str) -> None:
    for number, suffix in enumerate(SUFFIXES[:8]):
        shell.completed(f"clew read {quote}q{number:02}")
        assert shell.ran() == ["read", name_of(number)], suffix


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("clew concept tide", ["concept", "Tide `touch owned`"]),
        ("clew search x --concept=tide", ["search", "x", "--concept=Tide `touch owned`"]),
        ("clew tags sea-7", ["tags", "sea-7"]),
        ("clew search x --folder \\$", ["search", "x", "--folder", "$(touch owned) folder"]),
        ("clew read \\$\\(touch\\ owned\\)\\ folder/", ["read", "$(touch owned) folder/deep.md"]),
        ("clew open q00", ["open", "q00plainx"]),
        ("clew --json read q00", ["--json", "read", "q00plainx"]),
        ("clew read q1710:3", ["read", "q1710:30 x=1 @yx"]),
        ("clew search --min", ["search", "--min-importance"]),
        ("clew unres", ["unresolved"]),
    ],
)
def test_a_line_is_completed(shell: Shell, typed: str, words: list[str]) -> None:
    shell.completed(typed)
    assert shell.ran() == words
    assert not list(shell.home.rglob("owned"))


def asked(running: Daemon, name: str, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words],
        capture_output=True,
        text=True,
        check=True,
        env={**environment(running), "_CLEW_COMPLETE": name},
        cwd=running.vault,
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


def test_a_name_that_does_not_fit_a_line_is_not_offered(running: Daemon) -> None:
    for typed in ("line", "esc", "tab", "turned", "-"):
        assert len(asked(running, "zsh", "clew", "read", "--", typed)) <= 1
    assert asked(running, "fish", "clew", "read", "q00")[1:] == [name_of(0)]


def test_options_before_the_command_are_completed_too(running: Daemon) -> None:
    for before in ("--vault folder", "--vault=folder", "--json --vault folder"):
        assert "search" in asked(running, "bash", f"clew {before} se", BREAKS)
    assert asked(running, "bash", "clew --vault ", BREAKS) == ["files"]
    assert asked(running, "bash", "clew --json --socket fol", BREAKS) == ["files"]


def test_nothing_is_said_without_a_daemon(running: Daemon, tmp_path: Path) -> None:
    typed = f"clew read q --vault {tmp_path} --socket {tmp_path}/none"
    before = typed.split()[:1] + typed.split()[3:]
    assert asked(running, "zsh", *before, "read", "q") in ([], ["words"])
    assert asked(running, "bash", "clew read $(", BREAKS) == []


def test_a_daemon_that_does_not_answer_holds_nobody(running: Daemon, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        watch = Stopwatch()
        words = ["clew", "--socket", str(tmp_path / "s"), "q"]
        assert asked(running, "zsh", words[0], "read", *words[1:]) == []
        assert not watch.is_over(10.0)


def test_a_script_of_click_gets_no_names(running: Daemon) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clew"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **environment(running),
            "_CLEW_COMPLETE": "bash_complete",
            "COMP_WORDS": "clew\nread\nq",
            "COMP_CWORD": "2",
        },
        cwd=running.vault,
    )
    assert "q00" not in done.stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_can_read(name: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    script = tmp_path / "script"
    script.write_text(SCRIPTS[name])
    done = subprocess.run([name, "-n", str(script)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


texts = (st.text(min_size=1, max_size=12) | st.sampled_from(HOSTILE)).filter(str.isprintable)


@examples(30)
@given(st.lists(texts.filter(bool), min_size=1, max_size=40))
def test_bash_reads_a_quoted_text_as_the_text(values: list[str]) -> None:
    words, expected = [], []
    for text in values:
        for quote in ("", '"', "'"):
            quoted = quoted_for_bash(text, quote)
            if quoted is not None:
                words.append(f"{quote}{quoted}{quote}")
                expected.append(text)
                read = read_line(f"clew {quote}{quoted}", BREAKS)
                assert read is not None
                assert (read.current, read.quote) == (text, quote)
    script = f"printf '%s\\0' {' '.join(words)}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == expected
