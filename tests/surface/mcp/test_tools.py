"""The tools: what they cost an agent, what they answer, and what they say of a bad call."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.surface.client import NoDaemon, Refused, call
from clew.surface.mcp.text import REPLY_TOKENS_MAX
from clew.surface.mcp.tools.table import GROUPS, TOOLS
from clew.surface.mcp.work import Question
from clew.text.tokens import count_tokens
from tests.daemons import Daemon, copy_sample, daemon
from tests.surface.mcp.talk import Answer, Talk, made_up, note_of
from tests.tables import for_each_row

TABLE_TOKENS_MAX = 1500
REFERENCE = re.compile(r"(?:memory|concept)://[^\s,)`]+")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("tools")
    vault = copy_sample(home / "tides")
    text = "".join(f"Paragraph {n} of a long note on [[tides]].\n\n" for n in range(3000))
    (vault / "Long.md").write_text(text)
    with daemon(home, vault) as started:
        started.until_partitioned()
        yield started


@pytest.fixture
def talk(running: Daemon) -> Talk:
    return asking(running)


def asking(running: Daemon, *groups: str) -> Talk:
    def answer(question: Question) -> Answer:
        assert "includePrivate" not in question.params
        try:
            result: dict[str, Any] = call(str(running.socket), question.method, question.params)
        except (Refused, NoDaemon) as error:
            return error
        return result

    return Talk(answer, groups)


def test_all_tools_cost_an_agent_few_tokens() -> None:
    listed = Talk().ask("tools/list")["result"]["tools"]
    assert len(listed) == 8
    assert count_tokens(json.dumps(listed)) <= TABLE_TOKENS_MAX
    assert all(tool["inputSchema"]["type"] == "object" for tool in listed)
    assert not any("outputSchema" in tool for tool in listed)


def test_the_group_for_sessions_is_listed_only_if_asked_for() -> None:
    listed = Talk(groups=["memory"]).ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == [*TOOLS, *(each.name for each in GROUPS["memory"])]
    assert count_tokens(json.dumps(listed[len(TOOLS) :])) <= 350
    writing = [tool["name"] for tool in listed if not tool["annotations"]["readOnlyHint"]]
    assert writing == ["session_append"]
    reply = Talk().ask("tools/call", name="session_recall", arguments={"query": "x"})
    assert "no tool" in reply["error"]["message"]


def test_a_call_without_the_name_of_a_tool_is_told_the_names() -> None:
    for params in ({}, {"name": None}, {"name": 5}):
        message = Talk().ask("tools/call", **params)["error"]["message"]
        assert message.startswith("name is that of a tool: there are context, search")


def test_what_was_said_is_kept_and_recalled(running: Daemon) -> None:
    talk = asking(running, "memory")
    said = {"session": "s", "role": "user", "text": "the astrolabe\nis broken"}
    assert talk.text("session_append", **said) == "Kept as turn 1 of s"
    assert talk.text("session_append", session="\ud83d", role="user", text="\ud83d").startswith(
        "Kept"
    )
    found = talk.text("session_recall", query="is the astrolabe broken", session="s", limit=1)
    assert re.fullmatch(r"1\. user, \S+Z \(session s, turn 1\):\n   the astrolabe is broken", found)
    assert talk.text("session_recall", query="zqx") == (
        "Nothing that was said in a session speaks of: zqx"
    )


def test_a_window_has_what_was_said_in_its_session(running: Daemon) -> None:
    talk = asking(running, "memory")
    talk.text("session_append", session="w", role="user", text="Only the wombat knows.")
    window = talk.text("assemble", task="Why do clocks drift?", session="w", budget=2000)
    assert "Only the wombat knows." in window
    assert "## Knowledge" in window
    assert "wombat" not in talk.text("assemble", task="Why do clocks drift?", budget=2000)


def test_the_group_code_tells_what_calls_an_entity(running: Daemon) -> None:
    listed = Talk(groups=["code"]).ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == [*TOOLS, "code"]
    talk = asking(running, "code")
    text = talk.text("code", name="despike")
    assert "# despike (function)" in text
    assert "memory://code/Despiking.md#L15-L21~" in text
    assert "Calls to what is not known: rolling" in text
    assert "- memory://concepts/Outlier%20rejection.md#L" in text
    assert "Close to it: despike" in talk.text("code", name="despiek")


def test_the_tool_code_has_pages() -> None:
    symbol = {"symbolId": "a.py::f::function", "name": "f", "kind": "function", "ref": "a.py#L1-L1"}
    edge = {**symbol, "file": "a.py", "via": "local", "comment": None, "receiver": None}
    edges = [{**edge, "line": n} for n in range(3)]
    lists = (
        "calls",
        "implements",
        "implementations",
        "members",
        "notes",
        "unresolvedCalls",
        "passed",
    )
    empty: dict[str, Any] = {name: [] for name in lists}
    receiver = {"name": "sorted", "symbolId": None}
    known = {"name": "take", "symbolId": "b.py::take::function"}
    passed_on = [
        {**edges[0], "comment": "at noon", "receiver": receiver},
        {**edges[1], "receiver": known},
    ]
    entity = {**symbol, **empty, "callers": edges, "passed": passed_on}
    reply = {
        "entities": [entity],
        "ambiguous": False,
        "truncated": False,
        "cursor": "cNEXT",
        "start": 0,
        "total": 5,
    }
    text = Talk(lambda _: {**reply, "suggestions": []}, ["code"]).text("code", name="f", limit=3)
    called, _, passed = text.partition("\n## Handed over in\n")
    assert called.count("- f (function, local): line") == 3
    assert passed == (
        '- f (function, local): line 0, a.py#L1-L1, to sorted "at noon"'
        "\n- f (function, local): line 1, a.py#L1-L1, to b.py::take::function"
    )
    assert "More: call code again with cursor cNEXT" in text


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("context", {"query": "why do the clocks run slow"}, "## Relevant Memories"),
    ("search", {"query": "why do the clocks drift"}, "1. Clock drift: memory://"),
    ("search", {"query": "why do the clocks drift \ud83d"}, " Clock drift: memory://"),
    ("read", {"ref": "[[HA|\udca8]]"}, "# Harmonic analysis"),
    ("search", {"query": "baromter last month"}, "Searched for: barometer"),
    ("search", {"query": "quantum chromodynamics"}, "Nothing in these notes speaks of"),
    ("concept", {"name": "Seiche"}, "# Seiche (concept://seiche)"),
    ("concept", {"name": "seiche", "to": "GPS time"}, "→ GPS time\n  - Seiche → "),
    ("concept", {"name": "clok drift"}, "Close to it: concept://clock-drift"),
    ("concept", {"name": "seiche", "to": "GSP time"}, "No note links to 'GSP time'. Close"),
    ("concept", {"name": "quartz crystal"}, "1 note speaks of it in the text: call search with"),
    ("read", {"ref": "[[HA#Half a year|the rest]]"}, "#L43-L45 of 51 lines"),
    ("recent", {"by": "created", "limit": 2}, "Notes 1-2 of 98"),
    ("recent", {"until": "1987-01-01"}, "No note was modified before 1987-01-01."),
    ("recent", {"by": "read", "since": "2020-01-01"}, "by when they were read"),
    ("communities", {}, "the largest first"),
    ("status", {}, "Everything is indexed"),
]


@pytest.mark.parametrize(("tool", "arguments", "part"), CALLS)
def test_a_tool_answers_in_text_whose_references_can_be_handed_back(
    running: Daemon, tool: str, arguments: dict[str, Any], part: str
) -> None:
    talk = asking(running)
    text = talk.text(tool, **arguments)
    assert part in text
    assert count_tokens(text) <= REPLY_TOKENS_MAX
    for reference in REFERENCE.findall(text)[:20]:
        if reference.startswith("memory://"):
            talk.text("read", ref=reference)
        else:
            assert talk.text("concept", name=reference).startswith("# ")


@pytest.mark.parametrize("unready", ["", "vectors", "code", "vectors code"])
def test_the_status_says_what_is_not_ready(running: Daemon, unready: str) -> None:
    status = call(str(running.socket), "status", {})
    stages = {name: {"ready": name not in unready.split()} for name in status["stages"]}
    text = made_up(**{**status, "ready": not unready, "stages": stages}).text("status")
    assert ("have vectors" in text) == ("vectors" in unready)
    assert ("code has been read" in text) == ("code" in unready)
    assert ("Everything is indexed" in text) == (not unready)


def test_a_reply_has_text_alone(talk: Talk) -> None:
    result = talk.ask("tools/call", name="status", arguments={})["result"]
    assert set(result) == {"content", "isError"}
    assert [block["type"] for block in result["content"]] == ["text"]


@pytest.mark.parametrize("budget", [100, 130, 300, 1000, 4000])
def test_all_of_a_context_keeps_its_budget(talk: Talk, budget: int) -> None:
    for query in ("why do the clocks drift", "baromter last month", "quantum chromodynamics"):
        text = talk.text("context", query=query, budget=budget)
        assert count_tokens(text) <= budget
    text = talk.text("context", query="why do the clocks drift", budget=budget)
    assert ("Not shown for lack of room" in text) == (budget >= 300)


TROUBLE: list[tuple[str, dict[str, Any], str]] = [
    ("read", {"ref": "gauge"}, "- memory://concepts/Tide%20gauge.md"),
    ("read", {"ref": "clok drift"}, "- memory://concepts/Clock%20drift.md"),
    ("read", {"ref": "zqxj"}, "`recent` lists notes, `search` looks in their text"),
    ("read", {"ref": "[[Seiche#x]]"}, "has no heading, block or lines 'x'"),
    ("read", {}, "read needs the argument ref"),
    ("read", {"ref": 7}, "ref is a text"),
    ("read", {"ref": ""}, "ref: must not be empty"),
    ("concept", {"name": ""}, "name: must not be empty"),
    ("concept", {"name": "", "to": "tide"}, "name: must not be empty"),
    ("session_append", {"session": "", "role": "user", "text": "x"}, "session: must not be empty"),
    ("session_append", {"session": "s", "role": "user", "text": ""}, "text: must not be empty"),
    (
        "session_append",
        {"session": "s", "role": "\n", "text": "x"},
        "no control characters",
    ),
    ("context", {"query": "tide", "exclude": ["Index.md", ""]}, "exclude: must not be empty"),
    ("session_recall", {"query": "tide", "session": ""}, "session: must not be empty"),
    ("assemble", {"task": "tide", "session": ""}, "session: must not be empty"),
    ("assemble", {"task": "x" * 100_001}, "task: may have 100000 characters at most"),
    ("read", {"ref": "Index", "lines": [1, 2]}, "it takes ref, cursor"),
    ("search", {"query": "tide", "limit": 0}, "limit is an integer from 1 to 30"),
    ("search", {"query": "tide", "limit": "3"}, "limit is an integer"),
    ("search", {"query": "tide", "limit": 2.5}, "limit is an integer"),
    ("search", {"query": "tide", "limit": True}, "limit is an integer"),
    ("search", {"query": "of the"}, "add a word"),
    ("recent", {"by": "size"}, "one of modified, created, read"),
    ("recent", {"since": "the day of the whale"}, "since"),
    ("context", {"query": "tide", "exclude": "Index.md"}, "a list of texts"),
    ("search", {"query": "tide", "cursor": "2"}, "leave it out to begin with the first page"),
    ("read", {"ref": "Index", "cursor": "read-00000000-2.2"}, "other arguments"),
]


@pytest.mark.parametrize(("tool", "arguments", "part"), TROUBLE)
def test_a_bad_call_is_told_what_to_do_instead(
    running: Daemon, tool: str, arguments: dict[str, Any], part: str
) -> None:
    assert part in asking(running, "memory").trouble(tool, **arguments)


def test_a_whole_number_may_be_written_with_a_fraction(talk: Talk) -> None:
    """JSON Schema calls 2.0 an integer, and some clients keep all numbers as doubles."""
    assert talk.text("search", query="tide", limit=2.0) == talk.text(
        "search", query="tide", limit=2
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "tide", "limit": 30}),
        ("recent", {"limit": 60}),
        ("communities", {"limit": 3}),
        ("read", {"ref": "Long"}),
    ],
)
def test_pages_hold_everything_once(talk: Talk, tool: str, arguments: dict[str, Any]) -> None:
    rows: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        text = talk.text(tool, **arguments, **cursor)
        assert count_tokens(text) <= REPLY_TOKENS_MAX
        head, _, body = text.partition("\n\n")
        rows += [row for row in body.split("\n") if row and not row.startswith("  ")]
        found = re.search(rf"More: call {tool} again with cursor (\S+)", head)
        if found is None:
            break
        cursor = {"cursor": found[1]}
    assert len(rows) == len(set(rows)) > arguments.get("limit", 2999)


def test_a_cursor_is_of_one_tool_and_one_note(talk: Talk, running: Daemon) -> None:
    again = r"again with cursor (\S+)"
    of_list = re.findall(again, talk.text("recent", limit=2))[0]
    assert "another request" in talk.trouble("search", query="tide", cursor=of_list)
    assert "another request" in talk.trouble("recent", by="created", cursor=of_list)
    cursor = re.findall(again, talk.text("read", ref="Long"))[0]
    assert "leave it out" in talk.trouble("recent", cursor=cursor)
    assert "leave cursor out" in talk.trouble("read", ref="Long", cursor=of_list)
    assert "other arguments" in talk.trouble("read", ref="Index", cursor=cursor)
    note = running.vault / "Long.md"
    before = note.read_text()
    note.write_text(f"New. {before}")
    running.ask("status", waitFor=["Long.md"])
    assert "has changed since" in talk.trouble("read", ref="Long", cursor=cursor)
    note.write_text(before)
    running.ask("status", waitFor=["Long.md"])


def test_a_note_is_a_resource(talk: Talk) -> None:
    templates = talk.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert templates[0]["uriTemplate"] == "memory://{path}"
    result = talk.ask("resources/read", uri="memory://concepts/Seiche.md")["result"]
    assert result["contents"][0]["text"].startswith("---\n")
    error = talk.ask("resources/read", uri="memory://none.md")["error"]
    assert error["code"] == -32002
    assert talk.ask("resources/list")["result"]["resources"] == []


def test_there_are_two_prompts() -> None:
    talk = Talk()
    names = [row["name"] for row in talk.ask("prompts/list")["result"]["prompts"]]
    assert names == ["what_do_i_know", "brief_my_week"]
    known = talk.ask("prompts/get", name=names[0], arguments={"topic": "{tides}"})["result"]
    assert "{tides}" in known["messages"][0]["content"]["text"]
    assert "error" in talk.ask("prompts/get", name=names[0])
    assert talk.ask("prompts/get", name=names[1])["result"]["messages"]


def test_every_tool_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text()
    grouped = [tool.name for group in GROUPS.values() for tool in group]
    assert all(f"`{name}`" in page for name in (*TOOLS, *grouped))


@for_each_row(
    ("state", "now", "told"),
    [
        (None, None, ""),
        ("stands", None, ""),
        ("moved", "memory://a.md#L5-L5~6d821f2a", "cite memory://a.md#L5-L5~6d821f2a\n"),
        ("changed", None, "Changed: "),
    ],
)
def test_reading_a_reference_tells_whether_its_lines_still_stand(
    state: str | None, now: str | None, told: str
) -> None:
    ref = "memory://a.md#L3-L3~6d821f2a"
    citation = {"ref": ref, "state": state, "now": now} if state else None
    talk = made_up(**note_of("tides", [5, 5], citation))
    head, _, body = talk.text("read", ref=ref).partition("\n\n")
    assert told in f"{head}\n"
    assert ("Moved" in head, "Changed" in head) == (state == "moved", state == "changed")
    assert body == "tides"
    resource = talk.ask("resources/read", uri=ref)
    if state == "changed":
        assert "say something else now" in resource["error"]["message"]
        assert resource["error"]["data"] == {"uri": ref}
    else:
        (part,) = resource["result"]["contents"]
        assert (part["uri"], part["text"]) == (now or ref, "tides")
