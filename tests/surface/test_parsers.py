"""Parser processes change nothing but the time: results, memory and crashes stay as without."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from clew.engine.dump import dump
from clew.engine.reading import file_slices, portions
from clew.engine.reading.file_slices import FileSlice, ReadingRules
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Step, drained
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.parallel.group import PROCESSES_MAX, process_count
from clew.surface.indexer.parsing import pool as pool_module
from clew.surface.indexer.parsing.pool import ParserPool
from tests.faults.vaults import seconds_until
from tests.processes import children, is_alive, started
from tests.stored import stored
from tests.vaults import LATER, LATER_NS, at

NOTES = 60
END_SECONDS_MAX = 20.0
IDLE_STEPS = 10  # each lasts a tenth of a second


def note_text(number: int) -> str:
    links = " ".join(f"[[Concept {(number * 7 + n) % 23}]]" for n in range(5))
    return f"---\naliases: [alias {number}]\n---\n# Note {number}\n\n{links} #tag{number % 5}\n"


def write_vault(root: Path) -> Path:
    """Write notes of all kinds: usual, long, binary, too large, and with undecodable names."""
    for number in range(NOTES):
        path = root / f"{number % 5}" / f"Note {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note_text(number) * (1 + number % 9))
    (root / "binary.md").write_bytes(bytes(range(32)) * 20)
    (root / "large.md").write_text("word " * 40_000)
    (root / "latin.md").write_bytes(b"caf\xe9 [[Concept 1]]")
    (root / os.fsdecode(b"caf\xe9.md")).write_text("[[Concept 2]] #odd")
    (root / "link.md").symlink_to("binary.md")
    return root


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexerSettings:
    """Return the settings of a vault that is read in many short slices and several portions."""
    monkeypatch.setattr(file_slices, "SLICE_NOTES", 4)
    monkeypatch.setattr(portions, "PASSAGES_MIN", 50)
    monkeypatch.setattr(pool_module, "ROUND_NOTES_MIN", 1)
    monkeypatch.setattr(portions, "SLICEWISE_NOTES_MIN", 1)
    return IndexerSettings(str(write_vault(tmp_path / "vault")), max_note_bytes=100_000)


def indexer_with(settings: IndexerSettings, parsers: int, suspects: Sequence[str] = ()) -> Indexer:
    return Indexer(settings, suspects=suspects, read_ahead=ParserPool(parsers).read_ahead)


def read_everything(indexer: Indexer) -> list[Step]:
    return list(indexer.absorb(indexer.look(LATER), LATER))


def assert_all_indexed(indexer: Indexer, settings: IndexerSettings) -> None:
    assert dump(indexer.snapshot) == dump(read_anew(settings))


@pytest.mark.slow
def test_the_index_has_the_same_bytes_with_any_number_of_parsers(
    settings: IndexerSettings,
) -> None:
    root = Path(settings.root)
    indexers = [indexer_with(settings, count) for count in (0, 1, 3)]
    for indexer in indexers:
        read_everything(indexer)
    files = {bytes(stored(indexer.engine.indexes)) for indexer in indexers}
    assert len(files) == 1
    for number in range(0, NOTES, 2):
        (root / f"{number % 5}/Note {number}.md").write_text(f"changed [[Note {number + 1}]]")
    for number in range(1, NOTES, 9):
        (root / f"{number % 5}/Note {number}.md").unlink()
    os.utime(root / "latin.md", (1, 1))
    later = at(LATER_NS + 1)
    for indexer in indexers:
        drained(indexer.absorb(indexer.look(later), later))
    files = {bytes(stored(indexer.engine.indexes)) for indexer in indexers}
    assert len(files) == 1
    assert_all_indexed(indexers[0], settings)


@pytest.mark.slow
def test_the_notes_of_a_killed_parser_are_reported_and_parsed_one_by_one(
    settings: IndexerSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pool_module, "SLICES_AHEAD_MAX", 1)  # so that it is killed before the end
    indexer = indexer_with(settings, 2)
    steps, parsers = list[Step](), list[int]()
    before = set(children(os.getpid()))
    for step in indexer.absorb(indexer.look(LATER), LATER):
        steps.append(step)
        if step.is_applied and not parsers:
            (parent,) = set(children(os.getpid())) - before
            parsers = sorted(children(parent))
            assert len(parsers) == 2
            os.kill(parsers[0], signal.SIGKILL)
    assert "parser ended reason=closed its channel" in caplog.text
    parsed_here = [len(step.parsing) for step in steps if step.parsing]
    # The other parser may have a slice before those notes.
    assert sorted(parsed_here[:5]) == [1, 1, 1, 1, 4]
    assert_all_indexed(indexer, settings)


def test_a_parser_that_cannot_be_started_is_done_without(
    settings: IndexerSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pool_module, "PARSER_COMMAND", ("/no/such/program",))
    indexer = indexer_with(settings, 2)
    read_everything(indexer)
    assert "cannot be started" in caplog.text
    assert_all_indexed(indexer, settings)


def test_parsers_that_end_at_once_are_done_without(
    settings: IndexerSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pool_module, "PARSER_COMMAND", ("false",))
    indexer = indexer_with(settings, 2)
    read_everything(indexer)
    assert "exit status 1" in caplog.text
    assert_all_indexed(indexer, settings)


@pytest.mark.slow
def test_suspects_are_parsed_by_the_indexer_and_no_other_notes(settings: IndexerSettings) -> None:
    indexer = indexer_with(settings, 2, suspects=("1/Note 1.md", "latin.md"))
    parsing = [step.parsing for step in read_everything(indexer) if step.parsing]
    assert [[path for path, _ in notes] for notes in parsing] == [["1/Note 1.md"], ["latin.md"]]
    assert_all_indexed(indexer, settings)


def test_a_small_round_starts_no_parser(
    settings: IndexerSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pool_module, "ROUND_NOTES_MIN", NOTES + 10)
    monkeypatch.setattr(pool_module, "PARSER_COMMAND", ("/no/such/program",))
    indexer = indexer_with(settings, 2)
    read_everything(indexer)
    assert not caplog.records
    assert_all_indexed(indexer, settings)


def test_one_core_needs_no_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for cores in (1, 2, 3, 64):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        counts.append(process_count())
    assert counts == [0, 2, 3, PROCESSES_MAX]


# -- priority -----------------------------------------------------------------------------------


def priorities(before: set[int]) -> set[int]:
    """Return the priorities of the processes that were started since ``before``."""
    parents = set(children(os.getpid())) - before
    pids = [each for parent in parents for each in (parent, *children(parent))]
    return {os.getpriority(os.PRIO_PROCESS, pid) for pid in pids}


@pytest.mark.slow
@pytest.mark.parametrize("is_awaited", [True, False])
def test_parsers_have_normal_priority_where_a_request_waits(
    settings: IndexerSettings, monkeypatch: pytest.MonkeyPatch, is_awaited: bool
) -> None:
    monkeypatch.setattr(pool_module, "SLICES_AHEAD_MAX", 1)
    before = set(children(os.getpid()))
    pool = ParserPool(2, lambda: is_awaited)
    indexer = Indexer(settings, read_ahead=pool.read_ahead)
    found: set[int] = set()
    for step in indexer.absorb(indexer.look(LATER), LATER):
        if step.read:
            found |= priorities(before)
    assert found == {os.getpriority(os.PRIO_PROCESS, 0) if is_awaited else 19}
    assert_all_indexed(indexer, settings)


@pytest.mark.slow
def test_parsers_that_get_no_processor_are_replaced_once_a_request_waits(
    settings: IndexerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "STARVED_SECONDS", 0.2)
    monkeypatch.setattr(pool_module, "SLICES_AHEAD_MAX", 2)
    before = set(children(os.getpid()))
    waiting: list[str] = []
    indexer = Indexer(settings, read_ahead=ParserPool(2, lambda: bool(waiting)).read_ahead)
    stopped: list[int] = []
    idle, found = 0, set[int]()
    for step in indexer.absorb(indexer.look(LATER), LATER):
        if step.read and not stopped:
            (parent,) = set(children(os.getpid())) - before
            stopped += children(parent)
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
        elif stopped and not waiting:
            idle += not step.read
            if idle > IDLE_STEPS:
                assert priorities(before) == {19}  # they are left alone while nobody waits
                waiting.append("a request")
        elif step.read:
            found |= priorities(before)
    assert found - {19} == {os.getpriority(os.PRIO_PROCESS, 0)}
    assert not any(map(is_alive, stopped))
    assert_all_indexed(indexer, settings)


# -- bounds on what is read ahead ---------------------------------------------------------------


def slices_of(vault: Path, count: int, size_bytes: int) -> Iterator[FileSlice]:
    for number in range(count):
        path = f"{number}.md"
        (vault / path).write_text("x" * size_bytes)
        yield FileSlice((path,), ("",), number + 1, size_bytes)


@pytest.mark.slow
@pytest.mark.parametrize(("size_bytes", "ahead_max"), [(1_000, 2 * 3), (40_000, 2 * 2)])
def test_the_notes_read_ahead_are_bounded_in_slices_and_in_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int, ahead_max: int
) -> None:
    monkeypatch.setattr(pool_module, "ROUND_NOTES_MIN", 1)
    monkeypatch.setattr(pool_module, "SLICES_AHEAD_MAX", 3)
    monkeypatch.setattr(pool_module, "BYTES_AHEAD_MAX", 50_000)
    taken = 0

    def counted() -> Iterator[FileSlice]:
        nonlocal taken
        for files in slices_of(tmp_path, 20, size_bytes):
            taken += 1
            yield files

    rules = ReadingRules(str(tmp_path), 1_000_000)
    pairs = ParserPool(2).read_ahead(rules, counted())
    ahead = [taken - files.done + 1 for files, _ in pairs if files.paths]
    assert len(ahead) == 20
    assert max(ahead) == ahead_max


@pytest.mark.slow
@pytest.mark.parametrize("size_bytes", [1_000, 60_000])
def test_parsers_have_ended_when_the_last_slice_is_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int
) -> None:
    """The last portion of a round takes most memory."""
    monkeypatch.setattr(pool_module, "ROUND_NOTES_MIN", 1)
    monkeypatch.setattr(pool_module, "BYTES_AHEAD_MAX", 50_000)
    before = set(children(os.getpid()))
    rules = ReadingRules(str(tmp_path), 1_000_000)
    pairs = ParserPool(1).read_ahead(rules, slices_of(tmp_path, 3, size_bytes))
    counts = [len(set(children(os.getpid())) - before) for files, _ in pairs if files.paths]
    assert counts == [1, 1, 0]


# -- the end of the processes -------------------------------------------------------------------


@pytest.mark.slow
def test_parsers_end_with_the_round_and_with_a_round_that_is_given_up(
    settings: IndexerSettings,
) -> None:
    before = set(children(os.getpid()))
    indexer = indexer_with(settings, 2)
    absorbing = indexer.absorb(indexer.look(LATER), LATER)
    next(absorbing)
    (parent,) = set(children(os.getpid())) - before
    until(lambda: len(children(parent)) == 2)
    parsers = children(parent)
    absorbing.close()
    assert set(children(os.getpid())) == before
    until(lambda: not any(map(is_alive, parsers)))
    again = indexer.with_every_note(indexer.look(LATER))
    drained(indexer.absorb(again, LATER))
    assert set(children(os.getpid())) == before


_STUCK_PARSER = """
import sys, time
from clew.surface.indexer.parsing import __main__ as parser
parser.parse_slice = lambda rules, loaded: time.sleep(600)
parser.main(int(sys.argv[1]), list(map(int, sys.argv[2:])))
"""
_INDEXER = f"""
import sys
from clew.engine.reading.file_slices import FileSlice, ReadingRules
from clew.surface.indexer.parsing import pool
pool.ROUND_NOTES_MIN = 1
pool.PARSER_COMMAND = (sys.executable, "-c", '''{_STUCK_PARSER}''')
slices = iter([FileSlice(("a.md",), ("",), 1, 1), FileSlice(("a.md",), ("",), 2, 1)])
for _ in pool.ParserPool(2).read_ahead(ReadingRules(sys.argv[1], 1000), slices):
    pass
"""


def descendants(pid: int) -> list[int]:
    """Return the children of a process, and theirs."""
    return [each for child in children(pid) for each in (child, *children(child))]


def until(test: Callable[[], bool]) -> None:
    assert seconds_until(test, END_SECONDS_MAX) <= END_SECONDS_MAX


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_parsers_end_with_the_indexer_even_while_they_parse(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    with started([sys.executable, "-c", _INDEXER, str(tmp_path)]) as indexer:
        until(lambda: len(descendants(indexer.pid)) == 3)
        parsers = descendants(indexer.pid)
        until(lambda: all(os.getpriority(os.PRIO_PROCESS, pid) == 19 for pid in parsers))
        indexer.kill()
        indexer.wait()
        until(lambda: not any(map(is_alive, parsers)))
