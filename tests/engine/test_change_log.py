"""The change log names the notes that changed between two revisions, or says it does not know."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.derived import change_log
from clew.engine.derived.change_log import Change, ChangeLog, Changes
from tests.examples import examples

CHANGES = st.lists(st.sets(st.sampled_from("abcd")), max_size=10)


def logged(changes: list[set[str]]) -> tuple[ChangeLog, list[dict[str, int]]]:
    """Return a log, and the notes of each revision with the revision that wrote them last.

    Revision n removes every second note that exists, and adds those that do not.
    """
    log, states = ChangeLog(), [{"a": 0, "b": 0}]
    for revision, paths in enumerate(changes, 1):
        state, kinds = dict(states[-1]), {}
        for path in sorted(paths):
            if path in state and ord(path) % 2 == revision % 2:
                del state[path]
                kinds[path] = Change.REMOVED
            else:
                kinds[path] = Change.MODIFIED if path in state else Change.ADDED
                state[path] = revision
        log.add(revision, kinds)
        states.append(state)
    return log, states


def modified(paths: str) -> dict[str, Change]:
    return dict.fromkeys(paths, Change.MODIFIED)


@given(changes=CHANGES, before=st.integers(0, 10), after=st.integers(0, 10))
@examples(100)
def test_changes_between_two_revisions_are_their_union(
    changes: list[set[str]], before: int, after: int
) -> None:
    log, _ = logged(changes)
    expected = set().union(*changes[before:after]) if before <= after else None
    assert log.between(before, after) == expected


@given(changes=CHANGES, before=st.integers(0, 10), after=st.integers(0, 10))
@examples(300)
def test_a_difference_is_that_of_the_two_states(
    changes: list[set[str]], before: int, after: int
) -> None:
    log, states = logged(changes)
    before, after = (min(number, len(changes)) for number in sorted((before, after)))
    old, new = states[before], states[after]
    # A note that was removed and came again is modified: nobody compares its text.
    expected = Changes(
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(path for path in new.keys() & old.keys() if new[path] != old[path])),
        tuple(sorted(old.keys() - new.keys())),
    )
    assert log.difference(before, after) == expected


@given(changes=CHANGES, before=st.integers(0, 10))
@examples(100)
def test_a_bounded_log_knows_the_latest_changes_only(changes: list[set[str]], before: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_log, "PATHS_MAX", 3)
        log, _ = logged(changes)
    kept = changes[before:]
    after = max(before, len(changes))
    is_known = sum(map(len, kept)) <= 3
    assert log.between(before, after) == (set().union(*kept) if is_known else None)
    assert (log.difference(before, after) is not None) == is_known


def test_a_log_that_is_just_full_has_all_its_revisions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_log, "PATHS_MAX", 3)
    log = ChangeLog()
    for revision in (1, 2, 3):
        log.add(revision, modified_note(f"{revision}.md"))
    assert log.between(0, 3) == {"1.md", "2.md", "3.md"}
    log.add(4, modified_note("4.md"))
    assert log.between(0, 4) is None
    assert log.between(1, 4) == {"2.md", "3.md", "4.md"}


def test_a_log_of_a_vault_that_is_never_quiet_stays_small() -> None:
    log = ChangeLog()
    tracemalloc.start()
    for revision in range(1, 10_000):
        log.add(revision, modified_note(f"folder of notes/note {revision}.md"))
    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept_bytes < 1_000_000


def modified_note(path: str) -> dict[str, Change]:
    return {path: Change.MODIFIED}


def test_what_was_forgotten_is_unknown() -> None:
    log = ChangeLog()
    log.add(1, modified("a"))
    log.add(2, modified("b"))
    log.forget(3)
    log.add(4, modified("c"))
    assert log.between(2, 4) is None
    assert log.difference(2, 4) is None
    assert log.between(3, 4) == {"c"}
    assert log.between(4, 4) == set()
