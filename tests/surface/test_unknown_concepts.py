"""Of a concept to which no note links, the command line tells whether the notes speak of it."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.daemons import Daemon, daemon
from tests.tables import for_each_row

NOTES = {
    "ML.md": "Machine learning is a part of statistics.",
    "a.md": "[[ML]]: what machine   learning is. The machine of learning.",
    "b.md": "Nothing is linked [[ML]]: C++ and 'x -y'.",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("unknown")
    (home / "vault").mkdir()
    for name, text in NOTES.items():
        (home / "vault" / name).write_text(text)
    with daemon(home, home / "vault") as started:
        yield started


@for_each_row(
    ("words", "said"),
    [
        (
            ("concept", "machine learning"),
            (
                "clew: no note links to 'machine learning'\n"
                "2 notes speak of it: clew search machine learning\n"
                "close to it: ML\n"
            ),
        ),
        (
            ("path", "machine learning", "C++"),
            (
                "clew: no note links to 'machine learning' or 'C++'\n"
                "2 notes speak of 'machine learning': clew search machine learning\n"
                "1 note speaks of 'C++': clew search '\"C++\"'\n"
                "close to it: ML\n"
            ),
        ),
        (
            ("backlinks", "--concept", 'zebra "crossing'),
            (
                "clew: no note links to 'zebra \"crossing'\n"
                "`clew concepts` lists concepts, `clew search` looks in the text of notes\n"
            ),
        ),
        (("similar", "the of"), "clew: no note links to 'the of'\n"),
        (("concept", "-"), "clew: no note links to '-'\n"),
    ],
)
def test_an_unknown_concept_of_which_notes_speak_is_told(
    running: Daemon, words: tuple[str, ...], said: str
) -> None:
    command = [sys.executable, "-m", "clew", *words, "--socket", str(running.socket)]
    done = subprocess.run(command, capture_output=True, check=False, env=running.environment)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().startswith(said)
