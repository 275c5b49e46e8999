"""Dates from git count while a note has the content of its last commit, and no longer."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.persist.index_file import read_indexes
from clew.engine.settings import EngineSettings
from clew.index.formulas.note_dates import DateSource
from clew.values.vault import Batch, CommitDates, ReadNote, Stamp
from tests.examples import examples
from tests.stored import stored
from tests.vaults import note_from_bytes

FILE_S = 1_700_000_000
PATHS = ("a.md", "b.md", "2020-01-02.md")
CONTENTS = (b"one", b"[[two]]")


def read(path: str, content: bytes) -> ReadNote:
    return ReadNote(note_from_bytes(path, content), Stamp(FILE_S * 10**9, 0, 0, 0))


def commits_of(content: bytes, at_s: float) -> CommitDates:
    return CommitDates(at_s, at_s + 5, sha256(content).hexdigest())


puts = st.builds(
    lambda path, content: Batch(put=(read(path, content),)),
    st.sampled_from(PATHS),
    st.sampled_from(CONTENTS),
)
drops = st.builds(lambda path: Batch(dropped=(path,)), st.sampled_from(PATHS))
dates = st.builds(commits_of, st.sampled_from(CONTENTS), st.sampled_from((1e9, 1.1e9)))
enterings = st.builds(
    lambda entered: Batch(commits=entered),
    st.dictionaries(st.sampled_from(PATHS), st.none() | dates),
)


@examples(200)
@given(st.lists(puts | drops | enterings, max_size=12), st.booleans())
def test_after_any_batches_dates_are_those_of_the_content(
    batches: list[Batch], is_stored: bool
) -> None:
    engine = Engine(EngineSettings())
    entered: dict[str, CommitDates | None] = {}
    for batch in batches:
        engine.apply(batch)
        for path in batch.dropped:
            entered.pop(path, None)
        entered |= {path: d for path, d in batch.commits.items() if path in engine.indexes.entries}
    if is_stored:
        engine.adopt(read_indexes(stored(engine.indexes), engine.settings))
    for path, note in engine.indexes.entries.items():
        commits, found = entered.get(path), engine.snapshot.dates(path)
        if commits is None or commits.content_hash != note.note.content_hash:
            assert DateSource.GIT not in (found.created_from, found.changed_from)
        else:
            assert (found.changed_s, found.changed_from) in (
                (commits.last_s, DateSource.GIT),
                (found.created_s, DateSource.NAME),
            )
        assert engine.indexes.commits.get(path) == commits
    rebuilt = Engine(engine.settings)
    rebuilt.apply(Batch(put=tuple(engine.indexes.entries.values())))
    assert dump(engine.snapshot) == dump(rebuilt.snapshot)


def test_a_history_that_does_not_reach_back_gives_no_first_date() -> None:
    engine = Engine(EngineSettings())
    commits = CommitDates(None, 1e9, sha256(b"one").hexdigest())
    engine.apply(Batch(put=(read("a.md", b"one"),)))
    engine.apply(Batch(commits={"a.md": commits}))
    found = engine.snapshot.dates("a.md")
    assert (found.created_s, found.created_from) == (1e9, DateSource.GIT)
    assert (found.changed_s, found.changed_from) == (1e9, DateSource.GIT)
