"""What is said of concepts to which no note links, or whose notes mention few others."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.daemons import Daemon, daemon
from tests.surface.mcp.talk import Talk
from tests.tables import for_each_row

pytestmark = pytest.mark.slow  # starts daemons of its own

NOTES = {
    "ML.md": "Machine learning is a part of statistics.",
    "a.md": "[[ML]]: what machine   learning is. The machine of learning.",
    "b.md": "Nothing is linked [[ML]]: C++ and 'x -y'.",
    "from.md": "[[Vue JS]] and [[React]]",
    **{f"vue{n}.md": "upstream: [[Vue JS]]" for n in range(3)},
    **{f"react{n}.md": f"[[React]] [[part {n}]]" for n in range(8)},
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
                "close to them: ML\n"
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


@for_each_row(
    ("name", "relations", "paths", "said"),
    [
        (
            "vue js",
            1,
            5,
            (
                "clew: 3 more by way of React: clew concept React\n"
                "clew: most of its 4 notes mention no other concept: "
                "clew backlinks --concept 'Vue JS'\n"
            ),
        ),
        ("React", 9, 0, ""),
        ("part 1", 1, 5, "clew: 3 more by way of React: clew concept React\n"),
        (
            "ML",
            0,
            0,
            "clew: all of its 3 notes mention no other concept: clew backlinks --concept ML\n",
        ),
    ],
)
def test_what_hangs_on_one_relation_is_cut_and_other_notes_are_pointed_to(
    running: Daemon, name: str, relations: int, paths: int, said: str
) -> None:
    command = [sys.executable, "-m", "clew", "concept", name, "--socket", str(running.socket)]
    done = subprocess.run(command, capture_output=True, check=False, env=running.environment)
    direct, _, further = done.stdout.decode().partition("\n\nfurther away\n")
    assert len(direct.strip().split("\n")) - 1 == relations
    assert further.partition("\n\n")[0].count(" via ") == paths
    assert done.stderr.decode() == said


@for_each_row(
    ("name", "rows", "is_told"), [("vue js", 5, True), ("React", 0, False), ("ML", 0, True)]
)
def test_an_agent_is_told_so_too(running: Daemon, name: str, rows: int, is_told: bool) -> None:
    talk = Talk(lambda question: running.ask(question.method, **question.params))
    text = talk.text("concept", name=name)
    assert text.partition("## Further away")[2].count("- ") == rows
    assert ("Most of these notes mention no other concept" in text) is is_told


@for_each_row(
    ("options", "relations", "said"),
    [
        (("-n", "3"), 3, "clew: 3 of 9 relations, more with -n\n"),
        (("-n", "9"), 9, ""),
    ],
)
def test_relations_that_are_not_shown_are_told_of(
    running: Daemon, options: tuple[str, ...], relations: int, said: str
) -> None:
    command = [sys.executable, "-m", "clew", "concept", "React", "--names", *options]
    command += ["--socket", str(running.socket)]
    done = subprocess.run(command, capture_output=True, check=False, env=running.environment)
    assert len(done.stdout.split(b"\n")) - 1 >= relations
    assert done.stderr.decode() == said
