"""Who asked for a look is answered once all that the look saw counts, and told what it changed."""

from clew.engine.indexer import Absorbed
from clew.surface.indexer.walk_requests import Looks
from clew.values import ipc
from clew.values.vault import Batch

NOTHING_WITHHELD: frozenset[tuple[str, int]] = frozenset()


def absorbed(added: int, modified: int, removed: int) -> Absorbed:
    return Absorbed(Batch(dropped=("gone.md",) * removed), 0, added, modified)


def tickets(answers: list[ipc.WalkReply]) -> list[int]:
    return [answer.ticket for answer in answers]


def test_one_look_answers_all_who_asked_before_it_began() -> None:
    looks = Looks()
    looks.ask(ipc.WalkRequest(1, full=False))
    looks.ask(ipc.WalkRequest(2, full=True))
    assert looks.are_asked
    assert looks.begin()  # one of them wants every note read
    looks.ask(ipc.WalkRequest(3, full=False))
    looks.count(absorbed(2, 1, 3))
    looks.end(NOTHING_WITHHELD)
    answers = looks.answers(NOTHING_WITHHELD)
    assert tickets(answers) == [1, 2]
    assert {(a.added, a.modified, a.removed, a.failure) for a in answers} == {(2, 1, 3, None)}
    assert looks.are_asked
    assert not looks.begin()
    looks.end(NOTHING_WITHHELD)
    (last,) = looks.answers(NOTHING_WITHHELD)
    assert (last.ticket, last.added) == (3, 0)


def test_what_was_seen_and_does_not_count_yet_is_waited_for() -> None:
    looks = Looks()
    looks.ask(ipc.WalkRequest(1, full=False))
    looks.begin()
    looks.end(frozenset({("a.md", 5)}))
    assert looks.answers(frozenset({("a.md", 5), ("later.md", 6)})) == []
    looks.count(absorbed(0, 1, 0))
    (answer,) = looks.answers(frozenset({("a.md", 9), ("later.md", 6)}))
    assert (answer.ticket, answer.modified) == (1, 1)


def test_what_is_withheld_anew_is_not_waited_for() -> None:
    looks = Looks()
    looks.ask(ipc.WalkRequest(1, full=False))
    looks.begin()
    looks.end(frozenset({("a.md", 5), ("b.md", 5)}))
    assert looks.answers(frozenset({("b.md", 5)})) == []
    assert tickets(looks.answers(frozenset({("a.md", 7)}))) == [1]


def test_all_who_wait_are_refused_when_the_vault_goes() -> None:
    looks = Looks()
    looks.ask(ipc.WalkRequest(1, full=False))
    looks.begin()
    looks.end(frozenset({("a.md", 5)}))
    looks.ask(ipc.WalkRequest(2, full=False))
    looks.begin()
    refused = looks.refusals("gone")
    assert sorted(tickets(refused)) == [1, 2]
    assert {answer.failure for answer in refused} == {"gone"}
    looks.end(NOTHING_WITHHELD)
    assert looks.answers(NOTHING_WITHHELD) == []
