"""The change log names the notes that changed between two revisions, or says it does not know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.derived import change_log
from clew.engine.derived.change_log import ChangeLog
from tests.examples import examples

CHANGES = st.lists(st.sets(st.sampled_from("abcd")), max_size=10)


@given(changes=CHANGES, before=st.integers(0, 10), after=st.integers(0, 10))
@examples(100)
def test_changes_between_two_revisions_are_their_union(
    changes: list[set[str]], before: int, after: int
) -> None:
    log = ChangeLog()
    for revision, paths in enumerate(changes, 1):
        log.add(revision, paths)
    expected = set().union(*changes[before:after]) if before <= after else None
    assert log.between(before, after) == expected


@given(changes=CHANGES, before=st.integers(0, 10))
@examples(100)
def test_a_bounded_log_knows_the_latest_changes_only(changes: list[set[str]], before: int) -> None:
    log = ChangeLog()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_log, "PATHS_MAX", 3)
        for revision, paths in enumerate(changes, 1):
            log.add(revision, paths)
    kept = changes[before:]
    found = log.between(before, max(before, len(changes)))
    assert found == (set().union(*kept) if sum(map(len, kept)) <= 3 else None)


def test_what_was_forgotten_is_unknown() -> None:
    log = ChangeLog()
    log.add(1, ["a"])
    log.add(2, ["b"])
    log.forget(3)
    log.add(4, ["c"])
    assert log.between(2, 4) is None
    assert log.between(3, 4) == {"c"}
    assert log.between(4, 4) == set()
