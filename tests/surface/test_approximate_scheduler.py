"""When an approximate index is built, used again, replaced or removed; failures are retried."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew.engine.approximate.approximate_file import (
    Header,
    publish_new,
    read_header,
    write_new,
)
from clew.index.vectors import VectorIndex
from clew.surface.indexer.background.approximate_scheduler import (
    FAILURES_MAX,
    RETRY_SECONDS,
    ApproximateScheduler,
)
from clew.surface.indexer.background.child_process import REST_SHARE
from clew.values import ipc
from clew.values.packing import pack
from tests.clustered import clustered, index_of
from tests.schedulers import ENDS_SECONDS_MAX, Clock, FakeLink
from tests.stored import written

LEAST = 100
SLOTS = 160
LAYOUT = 1


class Rig:
    """A scheduler whose clock, vectors and build process a test controls."""

    def __init__(self, home: Path) -> None:
        self.folder, self.program, self.reply = home / "index", home / "build", home / "reply"
        self.folder.mkdir()
        (self.folder / "v2").mkdir()
        self.link, self.clock = FakeLink(), Clock()
        self.starts = home / "starts"
        self.generation, self.candidate_count, self.failure = 1, 256, ""
        self.saves = 0
        self.vectors = stored(index_of(clustered(SLOTS)))
        self.scheduler = self.restarted()

    def restarted(self, least: int | None = LEAST) -> ApproximateScheduler:
        words = [str(self.program)]
        return ApproximateScheduler(
            self.link, least, str(self.folder), words, ENDS_SECONDS_MAX, self.clock
        )

    @property
    def header(self) -> Header:
        return Header(LAYOUT, "2.0", self.vectors.coverage(), self.candidate_count, 0.99)

    def settle(self, after_s: float = 0.0, *, is_whole: bool = True) -> None:
        """Settle; a build that begins writes a file for the present vectors."""
        self.clock.now_s += after_s
        if self.scheduler.wants_save(self.vectors, self.generation, is_whole=is_whole):
            self.saves += 1
            self.save()
        self.reply.write_bytes(pack(self.header))
        works = f"cat {self.reply}"
        self.program.write_text(
            f"#!/bin/sh\ncat >/dev/null; echo >>{self.starts}\n{self.failure or works}\n"
        )
        self.program.chmod(0o700)
        self.scheduler.settle(self.vectors, self.generation, is_whole=is_whole)

    def ended(self, after_s: float = 0.0) -> None:
        """Wait until the process has ended, and let the scheduler take its result."""
        assert self.link.woken.wait(ENDS_SECONDS_MAX)
        self.link.woken.clear()
        write_new(str(self.folder), self.header, b"graph")
        self.settle(after_s)

    def built(self) -> None:
        self.settle()
        self.ended()

    def save(self) -> None:
        """Store all vectors in the next generation."""
        self.vectors, self.generation = stored(self.vectors), self.generation + 1

    def put(self, count: int, seed: int = 1) -> None:
        first = len(self.vectors)
        self.vectors.extend(count)
        self.vectors.put(slice(first, first + count), clustered(count, seed))

    @property
    def start_count(self) -> int:
        return len(self.starts.read_text()) if self.starts.exists() else 0

    @property
    def failed(self) -> bool:
        return self.scheduler.failure is not None

    @property
    def told_count(self) -> int:
        return sum(isinstance(message, ipc.ApproximateIndexSaved) for message in self.link.sent)


def stored(vectors: VectorIndex) -> VectorIndex:
    return VectorIndex.read(written(vectors.columns()))


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_an_index_is_built_once_and_named_to_the_server(rig: Rig) -> None:
    rig.built()
    assert read_header(str(rig.folder)) == rig.header
    assert (rig.start_count, rig.told_count, rig.scheduler.failure) == (1, 1, None)
    for _ in range(3):
        rig.settle(1_000)
    assert (rig.start_count, rig.told_count) == (1, 1)
    assert rig.scheduler.due_in_s() is None


@pytest.mark.parametrize("least", [None, SLOTS + 1])
def test_none_is_built_for_fewer_vectors_and_an_older_one_is_removed(
    rig: Rig, least: int | None
) -> None:
    write_new(str(rig.folder), rig.header, b"graph")
    publish_new(str(rig.folder))
    rig.scheduler = rig.restarted(least)
    rig.settle()
    assert rig.scheduler.due_in_s() is None
    assert (rig.start_count, rig.told_count) == (0, 0)
    assert os.listdir(rig.folder / "v2") == []


def test_none_is_built_while_vectors_are_missing(rig: Rig) -> None:
    rig.vectors = index_of(clustered(SLOTS))
    rig.settle(is_whole=False)
    assert (rig.start_count, rig.saves, rig.scheduler.due_in_s()) == (0, 0, None)
    rig.built()
    assert (rig.told_count, rig.saves) == (1, 1)


def test_a_restart_uses_the_file_again_at_once(rig: Rig) -> None:
    rig.built()
    rig.scheduler = rig.restarted()
    rig.settle(is_whole=False)
    assert (rig.start_count, rig.told_count) == (1, 2)
    rig.settle()
    assert rig.start_count == 1


@pytest.mark.parametrize("harm", ["other numbers", "damage", "another model"])
def test_a_file_that_does_not_fit_is_built_again(rig: Rig, harm: str) -> None:
    rig.built()
    if harm == "damage":
        (rig.folder / "v2" / "approximate").write_bytes(b"x" * 200)
    elif harm == "another model":
        rig.vectors = stored(index_of(clustered(SLOTS), "n"))
    else:
        rig.vectors = stored(index_of(clustered(SLOTS)[::-1]))
    rig.scheduler = rig.restarted()
    rig.settle()
    assert rig.told_count == 1
    rig.ended()
    assert (rig.start_count, rig.told_count) == (2, 2)
    assert read_header(str(rig.folder)) == rig.header


@pytest.mark.parametrize("is_dead", [False, True])
def test_an_eighth_of_new_or_dead_slots_makes_another_index_due(rig: Rig, is_dead: bool) -> None:
    rig.built()
    for share, start_count in ((8, 1), (SLOTS // 7, 2)):
        if is_dead:
            rig.vectors.drop(slice(0, share))
        else:
            rig.put(share)
        rig.settle(1_000)
        if start_count == 2:
            rig.ended()
        assert rig.start_count == start_count
        rig.settle(1_000)
    assert (rig.start_count, rig.told_count, rig.saves) == (2, 2, 1)


def test_after_a_compaction_another_index_is_built(rig: Rig) -> None:
    rig.vectors.drop(slice(0, 20))
    rig.save()
    rig.built()
    rig.vectors.compact(np.flatnonzero(rig.vectors.is_embedded))
    rig.save()
    rig.settle(1_000)
    rig.ended()
    assert (rig.start_count, rig.told_count) == (2, 2)
    assert read_header(str(rig.folder)).coverage.slots == SLOTS - 20


def test_an_index_that_a_compaction_overtook_is_not_used(rig: Rig) -> None:
    rig.settle()
    assert rig.link.woken.wait(ENDS_SECONDS_MAX)
    rig.link.woken.clear()
    write_new(str(rig.folder), rig.header, b"graph")
    rig.vectors.compact(np.arange(10, SLOTS))
    rig.save()
    rig.settle()
    assert rig.told_count == 0
    rig.ended()
    assert (rig.start_count, rig.told_count) == (2, 1)


def test_an_index_that_is_no_better_than_exact_search_is_not_used_or_built_again(rig: Rig) -> None:
    rig.candidate_count = 0
    rig.built()
    rig.settle(1_000)
    rig.scheduler = rig.restarted()
    rig.settle()
    assert (rig.start_count, rig.told_count, rig.scheduler.failure) == (1, 0, None)


TROUBLE = {
    "crashes": "exit 3",
    "killed": "kill -9 $$",
    "says nothing": "exit 0",
    "says nonsense": "echo nonsense",
}


@pytest.mark.parametrize("script", TROUBLE.values(), ids=TROUBLE.keys())
def test_a_failed_build_leaves_search_exact_and_is_retried(rig: Rig, script: str) -> None:
    rig.failure = script
    rig.built()
    assert rig.scheduler.failure is not None
    assert "no approximate index" in rig.scheduler.failure
    assert rig.scheduler.due_in_s() == RETRY_SECONDS
    rig.settle(RETRY_SECONDS - 1)
    assert (rig.start_count, rig.told_count) == (1, 0)
    rig.failure = ""
    rig.settle(1)
    rig.ended()
    assert (rig.start_count, rig.told_count) == (2, 1)
    assert not rig.failed


def test_failures_are_retried_a_bounded_number_of_times(rig: Rig) -> None:
    rig.failure = "exit 1"
    for _ in range(FAILURES_MAX):
        rig.settle(10_000)
        rig.ended()
    rig.settle(100_000)
    assert (rig.start_count, rig.scheduler.due_in_s()) == (FAILURES_MAX, None)


def test_the_pause_after_a_long_build_is_long(rig: Rig) -> None:
    rig.settle()
    rig.ended(after_s=500.0)
    rig.put(SLOTS)
    rig.save()
    rig.settle()
    assert rig.scheduler.due_in_s() == 500.0 * REST_SHARE
    assert rig.start_count == 1


def test_a_file_that_the_server_rejects_is_built_again(rig: Rig) -> None:
    rig.built()
    rig.scheduler.reject("the checksum does not match")
    rig.settle()
    assert rig.scheduler.failure == "no approximate index: the checksum does not match"
    assert rig.scheduler.due_in_s() == RETRY_SECONDS
    rig.settle(RETRY_SECONDS)
    rig.ended()
    assert (rig.start_count, rig.told_count) == (2, 2)
    assert not rig.failed


def test_a_file_that_cannot_be_published_is_a_failure(rig: Rig) -> None:
    rig.settle()
    assert rig.link.woken.wait(ENDS_SECONDS_MAX)
    (rig.folder / "v2").rmdir()
    rig.settle()
    assert rig.scheduler.failure is not None
    assert rig.told_count == 0


@pytest.mark.slow
def test_the_process_ends_with_a_reason_if_there_is_no_such_index(rig: Rig) -> None:
    rig.scheduler = ApproximateScheduler(
        rig.link, LEAST, str(rig.folder), seconds_max=ENDS_SECONDS_MAX, clock=rig.clock
    )
    rig.settle()
    assert rig.link.woken.wait(ENDS_SECONDS_MAX)
    rig.settle()
    assert rig.scheduler.failure is not None
    assert "status 1" in rig.scheduler.failure


@pytest.mark.slow
@pytest.mark.parametrize("module", ["indexer.process", "server.daemon"])
def test_the_library_is_loaded_only_where_there_is_an_index(module: str) -> None:
    script = f"import clew.surface.{module}, sys; print('usearch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"False\n"
