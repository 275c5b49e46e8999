"""Communities of a running daemon: every method reports the same ids, over edits and restarts."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.daemons import Daemon, broken_parts, copy_sample, daemon
from tests.faults.processes import indexer_pid

pytestmark = pytest.mark.slow

FOUND_SECONDS_MAX = 40.0  # on a busy machine

Members: TypeAlias = dict[int, frozenset[str]]


def found(served: Daemon, after: int = -1) -> Members:
    """Wait for the communities of a revision after ``after``; check and return them."""

    def is_found(status: dict[str, Any]) -> bool:
        stage = status["stages"]["communities"]
        return bool(stage["ready"] and stage["revision"] > after)

    status = served.until("status", is_found, FOUND_SECONDS_MAX)
    assert broken_parts(status) == {}
    reply = served.ask("communities")
    assert reply["communityRevision"] == status["stages"]["communities"]["revision"]
    assert len(reply["communities"]) == reply["total"] == status["communities"]
    home = {
        row["name"]: row["communityId"] for row in served.ask("concepts", limit=500)["concepts"]
    }
    members = {row["id"]: _listed(served, row["id"]) for row in reply["communities"]}
    assert home == {name: _home_of(name, members) for name in home}
    for row in reply["communities"]:
        assert row["size"] == len(members[row["id"]])
        assert {*row["label"], *row["central"], *row["bridges"]} <= members[row["id"]]
        _check_concept(served, row["central"][0], home)
    return members


def _listed(served: Daemon, community_id: int) -> frozenset[str]:
    rows = served.ask("concepts", communityId=community_id, limit=500)["concepts"]
    assert {row["communityId"] for row in rows} == {community_id}
    return frozenset(row["name"] for row in rows)


def _home_of(name: str, members: Members) -> int | None:
    homes = [number for number, names in members.items() if name in names]
    assert len(homes) <= 1
    return homes[0] if homes else None


def _check_concept(served: Daemon, name: str, home: dict[str, int | None]) -> None:
    reply = served.ask("concept", conceptName=name, maxEntities=200)
    assert reply["communityId"] == home[name]
    near = {row["name"]: row["communityId"] for row in reply["directRelations"]}
    assert near == {other: home[other] for other in near}
    for sibling in reply["communitySiblings"]:
        assert sibling["communityId"] == home[name]
        assert sibling["name"] not in near


def revision(served: Daemon) -> int:
    asked: int = served.ask("communities")["communityRevision"]
    return asked


def write(served: Daemon, path: str, text: str) -> int:
    """Write a note; return the revision that contains it."""
    (served.vault / path).write_text(text)
    written: int = served.ask("sync")["revision"]
    return written


def remains(before: Members, after: Members) -> bool:
    """Return whether each community with mostly the same members kept its id."""
    alike = [
        known == number
        for known, members in before.items()
        for number, others in after.items()
        if 2 * len(members & others) > len(members | others)
    ]
    return len(alike) > 2 and all(alike)


def test_all_methods_report_the_same_ids_after_edits_and_restarts(tmp_path: Path) -> None:
    vault = copy_sample(tmp_path / "vault")
    state = tmp_path / "home" / "state"
    with daemon(tmp_path / "home", vault) as served:
        first, before = found(served), revision(served)
        write(served, "New.md", "[[A brand new thing]] is no [[Residual]], but [[Muros]].\n")
        concept = served.ask("concept", conceptName="A brand new thing")
        assert (concept["communityId"], concept["communityRevision"]) == (None, before)
        assert concept["communitySiblings"] == []
        shutil.rmtree(state / "memory")
        # Make the smallest one the largest, so that its id differs from its position.
        written = write(
            served, "Crowd.md", " ".join(f"[[units and spelling]] [[u{n}]]" for n in range(40))
        )
        second = found(served, written - 1)
        assert remains(first, second)
        assert served.ask("concept", conceptName="A brand new thing")["communityId"] in second
        order = [row["id"] for row in served.ask("communities")["communities"]]
        assert order != sorted(order)
    with daemon(tmp_path / "home", vault) as served:
        assert found(served) == second
    shutil.rmtree(state / "index")
    with daemon(tmp_path / "home", vault) as served:
        assert found(served) == second
    shutil.rmtree(state / "memory")
    with daemon(tmp_path / "home", vault) as served:
        anew = found(served)
        assert set(anew.values()) == set(second.values())
        assert sorted(anew) == list(range(1, len(anew) + 1))


def test_ids_survive_a_crash_of_the_indexer(tmp_path: Path) -> None:
    """Queries see the communities all the time, also while another indexer sends them again."""
    vault = copy_sample(tmp_path / "vault")
    with daemon(tmp_path / "home", vault) as served:
        before = found(served)
        (vault / "Index.md").unlink()
        served.ask("sync")
        indexer = indexer_pid(served)
        assert indexer is not None
        os.kill(indexer, signal.SIGKILL)
        for _ in range(50):
            assert served.ask("communities")["total"] >= len(before) - 1
        served.until("status", lambda status: status["restarts"] and not broken_parts(status), 20.0)
        served.ask("sync")
        assert remains(before, found(served, revision(served)))
