"""The schedule of the process that reads git, with a scripted process and a fake clock."""

import math
import random
import shlex
import threading
from hashlib import sha256
from pathlib import Path
from typing import cast

import pytest

from clew.engine.reading.indexer import Indexer
from clew.engine.settings import EngineSettings, IndexerSettings
from clew.index.formulas.note_dates import DateSource
from clew.surface.indexer.background.git_scheduler import (
    ENTERED_MAX,
    GIT_COMMAND,
    LOGGED_DATES_MAX,
    LOOK_SECONDS,
    QUIET_SECONDS,
    RETRY_SECONDS,
    GitScheduler,
)
from clew.surface.indexer.git.job import GitDates, TrackedNote
from clew.surface.indexer.publishing import Publisher
from clew.values.packing import pack
from clew.values.vault import Batch, ReadNote, Stamp
from clew.vault.blob import blob_id
from tests.repositories import Commit, git, needs_git, new_repository
from tests.schedulers import ENDS_SECONDS_MAX
from tests.vaults import catch_up, note_from_bytes

FILE_S, COMMITTED_S, NOW_S = 1_700_000_000, 1_500_000_000, 1_600_000_000
DAY_S = 86_400
LETTERS = b"abcdefghijklmnopqrstuvwxyz"


class Published(Publisher):
    """A publisher without a server, which keeps what it is given."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.wholes = 0

    def publish_logged(self, batch: Batch) -> None:
        self.batches.append(batch)

    def publish_all(self, engine: object) -> None:  # noqa: ARG002
        self.wholes += 1


class Rig:
    """A vault with a folder that looks like a repository, and a schedule."""

    def __init__(self, folder: Path, command: tuple[str, ...] = (), broad_from: int = 32) -> None:
        self.vault, self.reply = folder / "vault", folder / "reply"
        (self.vault / ".git").mkdir(parents=True, exist_ok=True)
        self.move_head("0")
        self.answer(GitDates())
        engine = EngineSettings(broad_from=broad_from)
        self.settings = IndexerSettings(str(self.vault), engine=engine)
        self.indexer, self.published = Indexer(self.settings), Published()
        self.now_s = 0.0
        self._runs = folder / "runs"
        self._woken = threading.Event()
        script = f"echo >>{shlex.quote(str(self._runs))}; cat {shlex.quote(str(self.reply))}"
        self.scheduler = GitScheduler(
            self.settings,
            str(folder),
            self._woken.set,
            command or ("sh", "-c", script),
            lambda: self.now_s,
        )

    def move_head(self, commit: str) -> None:
        if not (self.vault / ".git" / "objects").exists():
            (self.vault / ".git" / "HEAD").write_text(commit)

    def answer(self, dates: GitDates) -> None:
        self.reply.write_bytes(pack(dates))

    @property
    def runs(self) -> int:
        return len(self._runs.read_text()) if self._runs.exists() else 0

    def put(self, contents: dict[str, bytes], stamp_s: int = FILE_S) -> None:
        stamp = Stamp(stamp_s * 10**9, 0, 0, 0)
        reads = (ReadNote(note_from_bytes(p, content), stamp) for p, content in contents.items())
        self.indexer.engine.apply(Batch(put=tuple(reads)))

    def settle(self) -> None:
        self.scheduler.settle(self.indexer, self.published)

    def run(self) -> None:
        """Let a run begin and end, and enter all dates."""
        self._woken.clear()
        self.settle()
        assert self._woken.wait(ENDS_SECONDS_MAX)
        self.settle()
        self.enter()

    def enter(self) -> None:
        """Enter all dates that differ, with the pauses of a busy machine."""
        self.settle()
        while self.scheduler._has_steps:  # noqa: SLF001
            self.settle()

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.settle()

    def sources(self) -> dict[str, DateSource]:
        snapshot = self.indexer.snapshot
        return {path: snapshot.dates(path).changed_from for path in snapshot.entries}


def tracked(path: str, content: bytes, *, is_same: bool = True) -> TrackedNote:
    content_hash = sha256(content).hexdigest() if is_same else ""
    return TrackedNote(path, blob_id(content), COMMITTED_S, COMMITTED_S, content_hash)


def dates_of(contents: dict[str, bytes]) -> GitDates:
    return GitDates("1", "x", tuple(tracked(p, content) for p, content in contents.items()))


def test_a_run_follows_each_move_of_head_and_no_look_besides(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.run()
    for _ in range(5):
        rig.wait(LOOK_SECONDS)
    assert rig.runs == 1
    rig.move_head("1")
    rig.wait(LOOK_SECONDS)
    assert rig.runs == 1
    rig.now_s += QUIET_SECONDS
    rig.run()
    assert rig.runs == 2


def test_without_a_repository_no_process_is_started(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    (rig.vault / ".git" / "HEAD").unlink()
    (rig.vault / ".git").rmdir()
    for _ in range(3):
        rig.wait(LOOK_SECONDS)
    assert (rig.runs, rig.scheduler.remark) == (0, None)


def test_a_failure_keeps_the_dates_and_is_tried_again(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.put({"a.md": b"1"})
    rig.answer(dates_of({"a.md": b"1"}))
    rig.run()
    assert rig.sources() == {"a.md": DateSource.GIT}
    rig.answer(GitDates(remark="git took too long", is_read=False))
    rig.move_head("1")
    rig.wait(LOOK_SECONDS)
    rig.now_s += QUIET_SECONDS
    rig.run()
    assert (rig.scheduler.remark, rig.sources()) == ("git took too long", {"a.md": DateSource.GIT})
    rig.answer(dates_of({}))
    rig.wait(RETRY_SECONDS / 2)
    assert rig.runs == 2
    rig.now_s += RETRY_SECONDS
    rig.run()
    assert (rig.scheduler.remark, rig.sources()) == (None, {"a.md": DateSource.FILE})


def test_a_repository_that_cannot_be_asked_is_read_once_it_can(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.run()
    (rig.vault / ".git").rename(tmp_path / "moved")
    (rig.vault / ".git").write_text("anything")
    rig.wait(LOOK_SECONDS)
    assert "leads to no repository" in str(rig.scheduler.remark)
    (rig.vault / ".git").unlink()
    (tmp_path / "moved").rename(rig.vault / ".git")
    rig.now_s += LOOK_SECONDS + 2 * RETRY_SECONDS
    rig.run()
    assert (rig.runs, rig.scheduler.remark or "") == (2, "")


def test_when_the_repository_is_gone_so_are_its_dates(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.put({"a.md": b"1"})
    rig.answer(dates_of({"a.md": b"1"}))
    rig.run()
    (rig.vault / ".git").rename(tmp_path / "moved")
    rig.wait(LOOK_SECONDS)
    rig.enter()
    assert rig.sources() == {"a.md": DateSource.FILE}
    assert not rig.indexer.engine.indexes.commits


def test_a_note_that_comes_back_has_its_dates_again(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    contents = {"a.md": b"1", "b.md": b"2"}
    rig.put(contents)
    rig.answer(GitDates("1", "x", (tracked("a.md", b"1"), tracked("b.md", b"x", is_same=False))))
    rig.run()
    assert rig.sources() == {"a.md": DateSource.GIT, "b.md": DateSource.FILE}
    rig.indexer.engine.apply(Batch(dropped=("a.md",)))
    rig.settle()
    (rig.vault / "b.md").write_bytes(b"x")
    rig.put({"a.md": b"1", "b.md": b"x"})
    rig.enter()
    assert rig.sources() == {"a.md": DateSource.GIT, "b.md": DateSource.GIT}
    assert rig.runs == 1


@pytest.mark.parametrize("count", [LOGGED_DATES_MAX, LOGGED_DATES_MAX + 1])
def test_dates_are_entered_in_slices(count: int, tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    contents = {f"{number}.md": b"%d" % number for number in range(count)}
    rig.put(contents)
    rig.answer(dates_of(contents))
    before = rig.indexer.engine.revision
    rig.run()
    assert set(rig.sources().values()) == {DateSource.GIT}
    assert rig.indexer.engine.revision - before == math.ceil(count / ENTERED_MAX)
    if count <= LOGGED_DATES_MAX:
        assert (len(rig.published.batches), rig.published.wholes) == (count // ENTERED_MAX, 0)
    else:
        assert (rig.published.batches, rig.published.wholes) == ([], 1)


@needs_git
@pytest.mark.slow
def test_in_a_clone_edges_decay_by_the_dates_of_git_log(tmp_path: Path) -> None:
    """Each edge has the sum of the weights of its notes, by the formula in the README."""
    chance = random.Random(5)
    commits = []
    for number in range(400):
        content = b"%d [[%c]] [[%c]]" % (number, *chance.sample(LETTERS, 2))
        authored_s = NOW_S - chance.randrange(400 * DAY_S)
        commits.append(Commit(authored_s, {f"{number % 160}.md": content}))
    origin = new_repository(tmp_path / "origin", commits)
    git(tmp_path, "clone", "--quiet", str(origin), "vault")
    rig = Rig(tmp_path, GIT_COMMAND, broad_from=0)
    catch_up(rig.indexer)
    rig.run()
    weights: dict[frozenset[str], float] = {}
    for path, note in rig.indexer.snapshot.entries.items():
        times = git(rig.vault, "log", "--format=%at", "--", path).split()
        past_days = (NOW_S - max(map(int, times))) / DAY_S - 28
        edge = frozenset(link.target for link in note.note.links)
        weights[edge] = weights.get(edge, 0.0) + max(past_days, 1.0) ** -0.5
    found = {edge: edge_weight(rig, *edge) for edge in weights}
    assert len(weights) >= 100
    assert found == {edge: pytest.approx(weight, abs=1e-6) for edge, weight in weights.items()}


def edge_weight(rig: Rig, one: str, other: str) -> float:
    snapshot = rig.indexer.snapshot
    first, second = (cast("int", snapshot.graph.concept_id(name)) for name in (one, other))
    neighbours = snapshot.neighbours(first, NOW_S)
    (score,) = neighbours.scores[neighbours.ids == second]
    return float(score)
