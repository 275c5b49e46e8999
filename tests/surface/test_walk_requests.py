"""A request for a walk is answered once all changes that the walk found are applied."""

from clew.engine.reading.steps import Absorbed
from clew.surface.indexer.watching.walk_requests import WalkRequests
from clew.values import ipc
from clew.values.vault import Batch

NOTHING_HELD_BACK: frozenset[tuple[str, int]] = frozenset()


def absorbed(added: int, modified: int, removed: int) -> Absorbed:
    return Absorbed(Batch(dropped=("gone.md",) * removed), 0, added, modified)


def tickets(answers: list[ipc.WalkReply]) -> list[int]:
    return [answer.ticket for answer in answers]


def test_one_walk_answers_all_requests_made_before_it_began() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False))
    requests.add(ipc.WalkRequest(2, full=True))
    assert requests.are_pending
    assert requests.begin_walk()  # one of the requests is for a full read
    requests.add(ipc.WalkRequest(3, full=False))
    requests.count(absorbed(2, 1, 3))
    requests.end_walk(NOTHING_HELD_BACK)
    answers = requests.answers(NOTHING_HELD_BACK)
    assert tickets(answers) == [1, 2]
    assert {(a.added, a.modified, a.removed, a.failure) for a in answers} == {(2, 1, 3, None)}
    assert requests.are_pending
    assert not requests.begin_walk()
    requests.end_walk(NOTHING_HELD_BACK)
    (last,) = requests.answers(NOTHING_HELD_BACK)
    assert (last.ticket, last.added) == (3, 0)


def test_an_answer_waits_for_changes_that_are_held_back() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False))
    requests.begin_walk()
    requests.end_walk(frozenset({("a.md", 5)}))
    assert requests.answers(frozenset({("a.md", 5), ("later.md", 6)})) == []
    requests.count(absorbed(0, 1, 0))
    (answer,) = requests.answers(frozenset({("a.md", 9), ("later.md", 6)}))
    assert (answer.ticket, answer.modified) == (1, 1)


def test_an_answer_does_not_wait_for_changes_held_back_later() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False))
    requests.begin_walk()
    requests.end_walk(frozenset({("a.md", 5), ("b.md", 5)}))
    assert requests.answers(frozenset({("b.md", 5)})) == []
    assert tickets(requests.answers(frozenset({("a.md", 7)}))) == [1]


def test_a_request_for_notes_waits_for_the_changes_of_these_alone() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False, paths=("a.md", "c.md")))
    requests.add(ipc.WalkRequest(2, full=False, paths=("b.md",)))
    requests.add(ipc.WalkRequest(3, full=False))
    assert requests.pending_paths == {"a.md", "b.md", "c.md"}
    requests.begin_walk()
    held_back = frozenset({("c.md", 5), ("d.md", 5)})
    requests.end_walk(held_back)
    assert tickets(requests.answers(held_back)) == [2]
    assert tickets(requests.answers(frozenset({("d.md", 5)}))) == [1]
    assert requests.is_anyone_waiting
    assert tickets(requests.answers(NOTHING_HELD_BACK)) == [3]
    assert not requests.is_anyone_waiting


def test_only_a_request_for_all_changes_needs_a_walk() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False, paths=("a.md",)))
    assert requests.are_pending
    assert not requests.must_walk
    requests.add(ipc.WalkRequest(2, full=False))
    assert requests.must_walk


def test_in_a_long_round_requests_for_notes_that_are_current_are_answered() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False, paths=("a.md",)))
    requests.add(ipc.WalkRequest(2, full=False, paths=("a.md", "b.md")))
    requests.add(ipc.WalkRequest(3, full=False))
    requests.begin_walk()
    requests.add(ipc.WalkRequest(4, full=False, paths=("a.md",)))
    requests.add(ipc.WalkRequest(5, full=False, paths=("b.md",)))
    assert tickets(requests.early_answers({"a.md"}.__contains__)) == [1, 4]
    assert tickets(requests.early_answers({"a.md"}.__contains__)) == []
    requests.end_walk(NOTHING_HELD_BACK)
    assert tickets(requests.answers(NOTHING_HELD_BACK)) == [2, 3]
    assert requests.pending_paths == {"b.md"}


def test_all_pending_requests_are_refused_when_the_vault_is_gone() -> None:
    requests = WalkRequests()
    requests.add(ipc.WalkRequest(1, full=False))
    requests.begin_walk()
    requests.end_walk(frozenset({("a.md", 5)}))
    requests.add(ipc.WalkRequest(2, full=False))
    requests.begin_walk()
    refused = requests.refusals("gone")
    assert sorted(tickets(refused)) == [1, 2]
    assert {answer.failure for answer in refused} == {"gone"}
    requests.end_walk(NOTHING_HELD_BACK)
    assert requests.answers(NOTHING_HELD_BACK) == []
