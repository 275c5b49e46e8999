"""Code of folders that the config names: what is read, and that it equals a rebuild."""

import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from clew.engine.dump import dump
from clew.engine.reading import code_roots as module
from clew.engine.reading.code_roots import code_roots, everything_read, names_of
from clew.engine.reading.indexer import Indexer
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from tests.codes import callers_of
from tests.stored import read_back, stored
from tests.vaults import LATER, catch_up


class Project:
    """A vault and two folders of code, with an indexer of the vault."""

    def __init__(self, folder: Path) -> None:
        self.vault, self.app = folder / "vault", folder / "app"
        self.vault.mkdir()
        self.app.mkdir()
        self.settings = IndexerSettings(str(self.vault), code_roots=(str(self.app),))
        self.indexer = Indexer(self.settings)
        self.roots = code_roots(self.settings)
        catch_up(self.indexer)

    def write(self, path: str, text: str) -> None:
        file = self.app / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self) -> int:
        """Read what changed; return how many files were read."""
        count = 0
        for batch in everything_read(self.roots, self.indexer.engine.indexes, LATER):
            self.indexer.engine.apply(batch)
            count += len(batch.code)
        return count

    def files(self) -> list[str]:
        return sorted(self.indexer.snapshot.code.files)

    def assert_as_read_anew(self) -> None:
        assert dump(self.indexer.snapshot) == dump(read_anew(self.settings))

    def restart(self) -> None:
        file = stored(self.indexer.engine.indexes)
        self.indexer.engine = read_back(file, self.settings.engine)
        self.roots = code_roots(self.settings)
        self.roots.restore(dict(self.indexer.engine.indexes.code.stamps))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_files_are_read_changed_moved_and_dropped(project: Project) -> None:
    project.write("store.py", "def load(): ...\n")
    project.write("lib/use.py", "from store import load\ndef go(): load()\n")
    project.write("notes.txt", "load()")
    assert project.read() == 2
    assert project.files() == ["app/lib/use.py", "app/store.py"]
    index = project.indexer.snapshot.code
    (load,) = index.named("load")
    assert [edge.source[0] for edge in callers_of(index, load)] == ["app/lib/use.py"]
    assert project.read() == 0
    project.assert_as_read_anew()
    (project.app / "store.py").rename(project.app / "shelf.py")
    project.write("lib/use.py", "def go(): ...\n")
    assert project.read() == 2
    assert project.files() == ["app/lib/use.py", "app/shelf.py"]
    project.assert_as_read_anew()
    shutil.rmtree(project.app / "lib")
    project.read()
    assert project.files() == ["app/shelf.py"]
    project.assert_as_read_anew()


def test_gitignore_counts_folder_by_folder(project: Project) -> None:
    project.write(".gitignore", "build/\n*.gen.py\n[bad\n")
    project.write("lib/.gitignore", "!kept.gen.py\nlocal.py\n")
    for path in ("build/a.py", "x.gen.py", "lib/kept.gen.py", "lib/local.py", "local.py"):
        project.write(path, "x()\n")
    for path in (".venv/a.py", "node_modules/a.js"):
        project.write(path, "x()\n")
    project.read()
    assert project.files() == ["app/lib/kept.gen.py", "app/local.py"]
    project.write(".gitignore", "local.py\n")
    project.read()
    assert project.files() == ["app/build/a.py", "app/lib/kept.gen.py", "app/x.gen.py"]
    project.assert_as_read_anew()


def test_links_are_not_followed_and_the_state_is_not_walked(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("a.py", "x()\n")
    project.write("state/b.py", "x()\n")
    (project.app / "link.py").symlink_to("a.py")
    (project.app / "folder").symlink_to(tmp_path)
    os.mkfifo(project.app / "fifo.py")
    left_out = (str(project.app / "state"),)
    settings = IndexerSettings(
        str(project.vault), code_roots=(str(project.app),), code_left_out=left_out
    )
    project.roots = code_roots(settings)
    project.read()
    assert project.files() == ["app/a.py"]
    assert project.roots.problems() == []


def test_a_root_that_is_gone_is_a_problem_and_its_code_is_kept(project: Project) -> None:
    project.write("a.py", "def f(): ...\n")
    project.read()
    away = project.app.with_name("away")
    project.app.rename(away)
    project.read()
    assert project.files() == ["app/a.py"]
    assert [problem.code for problem in project.roots.problems()] == ["codeRootUnavailable"]
    project.app.mkdir()  # another folder
    project.read()
    assert project.files() == ["app/a.py"]
    project.app.rmdir()
    away.rename(project.app)
    project.write("b.py", "def g(): ...\n")
    project.read()
    assert project.files() == ["app/a.py", "app/b.py"]
    assert project.roots.problems() == []


def test_an_empty_root_at_the_start_is_a_problem_and_its_code_is_kept(project: Project) -> None:
    project.write("a.py", "def f(): ...\n")
    project.read()
    (project.app / "a.py").unlink()
    project.restart()
    project.read()
    assert project.files() == ["app/a.py"]
    assert [problem.code for problem in project.roots.problems()] == ["codeRootUnavailable"]
    project.write("b.py", "def g(): ...\n")
    project.read()
    assert project.files() == ["app/b.py"]
    assert project.roots.problems() == []


def test_files_that_cannot_be_read_are_problems(project: Project) -> None:
    project.write("long.py", "x = 1\n" * 60_000)
    project.write("small.js", "x;" * 3_000)
    project.write("fine.py", "def f(: ...\n")
    (project.app / "binary.py").write_bytes(b"\0\1\2" * 100)
    project.read()
    assert project.files() == ["app/fine.py"]
    problems = {problem.path for problem in project.indexer.snapshot.problems()}
    assert problems == {"app/long.py", "app/small.js", "app/binary.py"}
    project.assert_as_read_anew()
    project.write("small.js", "x();\n")
    project.read()
    assert project.files() == ["app/fine.py", "app/small.js"]


def test_a_restart_reads_only_what_changed(project: Project) -> None:
    for number in range(5):
        project.write(f"{number}.py", f"def f{number}(): ...\n")
    project.read()
    project.restart()
    project.write("2.py", "def g(): ...\n")
    (project.app / "3.py").unlink()
    assert project.read() == 1
    project.assert_as_read_anew()


def test_the_number_of_files_is_bounded(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILES_MAX", 3)
    for number in range(5):
        project.write(f"{number}.py", "x()\n")
    project.read()
    assert project.files() == ["app/0.py", "app/1.py", "app/2.py"]
    (problem,) = project.roots.problems()
    assert (problem.code, problem.message[:1]) == ("codeRootTooLarge", "2")


def test_roots_of_one_name_are_told_apart() -> None:
    assert list(names_of(["/a/src", "/b/src", "/c/src"])) == [
        ("src", "/a/src"),
        ("src-2", "/b/src"),
        ("src-3", "/c/src"),
    ]


def test_a_root_may_be_inside_the_vault(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "src").mkdir(parents=True)
    (vault / "src" / "a.py").write_text("def f(): ...\n")
    (vault / "src" / "readme.md").write_text("It has `f`.\n")
    settings = IndexerSettings(str(vault), code_roots=(str(vault / "src"),))
    snapshot = read_anew(settings)
    assert sorted(snapshot.code.files) == ["src/a.py"]
    assert sorted(snapshot.entries) == ["src/readme.md"]


def test_content_that_may_not_be_parsed_is_a_problem_until_it_changes(project: Project) -> None:
    project.write("a.py", "def f(): ...\n")
    bad = sha256(b"def f(): ...\n").hexdigest()
    asked: list[str] = []

    def may_parse(path: str, content_hash: str) -> bool:
        asked.append(path)
        return content_hash != bad

    project.roots.may_parse = may_parse
    project.read()
    assert asked == ["app/a.py"]
    assert project.files() == []
    assert [problem.code for problem in project.indexer.snapshot.problems()] == ["quarantined"]
    project.write("a.py", "def g(): ...\n")
    project.read()
    assert project.files() == ["app/a.py"]
    assert project.indexer.snapshot.problems() == []
