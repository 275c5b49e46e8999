"""Every method takes ``asOf``, refuses the same invalid values, and answers for all dates."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from clew.surface.server.answers.dispatch import METHODS
from clew.text.dates.moment import parse_moment
from tests.daemons import Daemon, daemon
from tests.examples import examples
from tests.faults.vaults import vault_of

pytestmark = pytest.mark.slow  # starts daemons of its own

PARAMS: dict[str, dict[str, Any]] = {
    "expand": {"text": "[[b]]"},
    "backlinks": {"uri": "a"},
    "code": {"name": "words"},
    "complete": {"kind": "note"},
    "concept": {"conceptName": "b", "includeContent": True},
    "graph": {"conceptName": "b"},
    "hello": {"protocol": 1},
    "links": {"uri": "a"},
    "path": {"from": "b", "to": "c"},
    "rank": {"query": "words"},
    "read": {"uri": "a"},
    "context": {"query": "words from last week, latest"},
    "search": {"query": "words from last week, latest", "ranking": "additive"},
    "session.append": {"sessionId": "s", "role": "user", "content": "words"},
    "session.delete": {"sessionId": "t"},
    "session.recall": {"query": "words"},
    "session.scratch.get": {"key": "k"},
    "session.scratch.set": {"key": "k", "value": "v"},
    "session.show": {"sessionId": "s"},
    "similar": {"conceptName": "b"},
    "assemble": {"task": {"text": "words"}},
    "validate": {"task": {"text": "words"}},
    "evaluateRules": {"task": {"text": "x"}},
    "verify": {"text": "see memory://a.md"},
    "why": {"uri": "a.md"},
}
NO_DATES = (
    *("", " ", "now", "yesterday", "NaN", "nan", "inf", "-1", "0", "1e3", "1763683200", "tomorrow"),
    *("-0001-01-01", "0000-01-01", "10000-01-01", "2026-13-01", "2026-02-30", "2026-00-10"),
    *("2026-01-01T24:00:01", "2026-01-01T00:60", "2026-01-01T00:00:00+99:00", "2026-W60"),
    *("\u0662\u0660\u0662\u0666-01-01", "2026-01-01\0", "\x1b]0;x\x07", "x" * 10_000),
)
NO_TEXTS: tuple[object, ...] = (
    0,
    -1,
    1763683200,
    1.5,
    -0.0,
    2**63,
    10**30,
    True,
    False,
    [],
    ["2026-01-01"],
    {},
)
DATES = (
    *(
        "0001-01-01",
        "0001-01-01T00:00:00+14:00",
        "1969-12-31T23:59:59Z",
        "1970-01-01",
        "2026-11-21",
    ),
    *("9999-12-31T23:59:59.999999-14:00", "9999-12-31", "20261121", "2026-W47", "[[2026-11-21]]"),
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("at")
    notes = {"a.md": "words [[b]] [[c]] #t", "b.md": "words [[c]] [[d]]", "c.md": "[[d]] words"}
    with daemon(home, vault_of(home / "v", notes)) as started:
        yield started


def asked(running: Daemon, as_of: object, **more: object) -> dict[str, dict[str, Any]]:
    """Return the answer of each method, except ``shutdown``, to the same ``asOf``."""
    calls = [
        {
            "jsonrpc": "2.0",
            "id": name,
            "method": name,
            "params": {**PARAMS.get(name, {}), **more, "asOf": as_of},
        }
        for name in METHODS
        if name != "shutdown"
    ]
    (answers,) = running.say(json.dumps(calls).encode())
    return {answer["id"]: answer for answer in answers}


def check_refused(answers: dict[str, dict[str, Any]]) -> None:
    """Assert that all methods refuse a value in the same words."""
    first = next(iter(answers.values()))["error"]
    assert (first["code"], first["data"]["code"]) == (-32602, "invalidParams")
    assert first["data"]["field"] == "asOf"
    assert len(first["message"]) < 1_000
    assert {name: answer.get("error") for name, answer in answers.items()} == dict.fromkeys(
        answers, first
    )


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("value", [*NO_DATES, *NO_TEXTS], ids=lambda value: ascii(value)[:30])
def test_every_method_refuses_a_bad_date(running: Daemon, value: object, fresh: bool) -> None:
    check_refused(asked(running, value, waitFresh=fresh))


@pytest.mark.parametrize("value", [*NO_DATES, *NO_TEXTS], ids=lambda value: ascii(value)[:30])
def test_shutdown_refuses_a_bad_date(running: Daemon, value: object) -> None:
    assert running.refusal("shutdown", asOf=value)["data"]["field"] == "asOf"
    assert running.ask("status")["ready"]


@pytest.mark.parametrize("value", DATES)
def test_every_method_answers_at_any_date(running: Daemon, value: str) -> None:
    answers = asked(running, value)
    assert {name: answer["error"] for name, answer in answers.items() if "error" in answer} == {}


characters = st.sampled_from("0123456789-:TZ+.W []Nan\u0661\u202e")


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(characters, max_size=30) | st.datetimes().map(lambda at: at.isoformat()))
def test_all_methods_agree_on_what_a_date_is(running: Daemon, value: str) -> None:
    at_s = parse_moment(value)
    if at_s is None:
        check_refused(asked(running, value))
    else:
        assert math.isfinite(at_s)
        assert not [answer for answer in asked(running, value).values() if "error" in answer]


def test_a_note_is_not_marked_as_read_by_a_refused_request(running: Daemon) -> None:
    before = running.ask("recent", by="read")["notes"]
    assert running.refusal("read", uri="b", asOf="soon")["data"]["field"] == "asOf"
    assert running.ask("recent", by="read")["notes"] == before
