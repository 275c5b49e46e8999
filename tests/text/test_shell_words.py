"""Paths as words of a command that people paste into a shell."""

import os
import subprocess

from clew.text.unicode import shell_word

PATHS = (
    b"plain.md",
    b"two words.md",
    b'it\'s $(id) `id` \\ "x" !1.md',
    b"new\nline.md",
    b"caf\xe9 'n' \\1.md",
    b"caf\xe98.md",
    "\u202egnp\u200b.md".encode(),
    "検潮所.md".encode(),
)


def test_a_shell_reads_the_path_that_the_word_stands_for() -> None:
    words = [shell_word(os.fsdecode(path)) for path in PATHS]
    command = f"printf '%s\\0' {' '.join(words)}"
    done = subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    assert done.stdout.split(b"\0")[:-1] == list(PATHS)


def test_a_word_has_only_what_terminals_and_json_show() -> None:
    assert all(shell_word(os.fsdecode(path)).isprintable() for path in PATHS)
    assert shell_word("plain.md") == "plain.md"
    assert shell_word("検潮所 2.md") == "'検潮所 2.md'"
