"""The cache of what pipelines found is never stale: each window equals one that is made anew."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from msgspec import convert
from msgspec.structs import replace

from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.surface.server.answers.windows.assemble import answer_assemble
from clew.values.requests import Assemble as Request
from clew.values.vault import Batch
from clew.values.windows.assemble_replies import Assemble
from clew.vault.settings.rule_files import parse_files
from tests.examples import examples
from tests.surface.test_context_cache import AGES_DAYS, LINES, PATHS, Serving
from tests.vaults import DAY_S, NOW_S, read_note

STEPS = st.sampled_from(
    [
        {"search": {"query": "keywords", "topK": 3}},
        {"search": {"mode": "keyword", "minScore": 0.3}},
        {"concept": {"depth": 2}},
        {"recent": {"limit": 2}},
        {"read": {"ref": "b"}},
        {"rank": {"by": "date", "limit": 2}},
        {"format": {"template": "line"}},
    ]
)
PIPELINES = st.lists(st.lists(STEPS, min_size=1, max_size=3), max_size=2)
TASKS = st.sampled_from(["tides", "clocks drift in [[b]]", "a to d tides", "what of c", "@x/a"])


class WindowServing(Serving):
    """A service that assembles windows too."""

    shows_private = False

    def __init__(self) -> None:
        super().__init__()
        self.sessions = SimpleNamespace(scratch=_no_values)

    def assemble(self, request: Request, now_s: float) -> Assemble:
        """Return the reply of the method, after comparing it with one that is made anew."""
        made = self._assembled(request, now_s)
        hits = self.tools.pipelines.counts.hits
        again = self._assembled(request, now_s)
        assert self.tools.pipelines.counts.hits > hits or not self.may_hit
        self.tools.pipelines.clear()
        anew = self._assembled(request, now_s)
        assert _comparable(made) == _comparable(again) == _comparable(anew)
        return made

    @property
    def may_hit(self) -> bool:
        """Whether some pipeline runs."""
        defined = self.snapshot.rule_files.pipelines
        return not defined or any(each.enabled for each in defined)

    def _assembled(self, request: Request, now_s: float) -> Assemble:
        return self.loop.run_until_complete(answer_assemble(cast("Any", self), request, now_s))


async def _no_values(_: str | None) -> dict[str, Any]:
    return {}


def _comparable(reply: Assemble) -> Assemble:
    sources = tuple(replace(each, took_ms=0.0) for each in reply.trace.sources)
    return replace(reply, trace=replace(reply.trace, sources=sources, took_ms=0.0))


class PipelineCacheMachine(RuleBasedStateMachine):
    """Edits, reads, time, other pipelines and requests, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.serving = WindowServing()
        self.now_s = NOW_S

    def teardown(self) -> None:
        self.serving.loop.close()

    @rule(path=PATHS, text=LINES, days=AGES_DAYS)
    def save(self, path: str, text: str, days: int) -> None:
        self._apply(put=(read_note(path, text, NOW_S - days * DAY_S),))

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        if path in self.serving.snapshot.entries:
            self._apply(dropped=(path,))

    @rule(path=PATHS)
    def read(self, path: str) -> None:
        if path in self.serving.snapshot.entries:
            self._apply(reads_s={path: self.now_s})

    @rule(pipelines=PIPELINES)
    def define(self, pipelines: list[list[dict[str, Any]]]) -> None:
        rows = [
            {"id": f"p{at}", "section": "knowledge", "steps": steps}
            for at, steps in enumerate(pipelines)
        ]
        files = {".clew/pipelines/p.json": json.dumps(rows).encode()} if rows else {}
        self._apply(rule_files=parse_files(files, {".clew/pipelines": len(files)}))

    def _apply(self, **fields: Any) -> None:
        self.serving.engine.apply(Batch(**fields))

    @rule(days=st.sampled_from([1.0, 30.0]))
    def wait(self, days: float) -> None:
        self.now_s += days * DAY_S

    @rule(
        task=TASKS, budget=st.sampled_from([100, 400, 4_000]), mentions=st.sampled_from([[], ["b"]])
    )
    def ask(self, task: str, budget: int, mentions: list[str]) -> None:
        fields = {"task": {"text": task}, "tokenBudget": budget, "mentions": mentions}
        self.serving.assemble(convert(fields, Request), self.now_s)


PipelineCacheMachine.TestCase.settings = examples(40, long=300, stateful_step_count=20)
TestPipelineCache = PipelineCacheMachine.TestCase


def test_what_asks_a_session_is_not_cached() -> None:
    serving = WindowServing()
    steps = [{"read": {"ref": "kv://plan"}}, {"recall": {}}, {"kv": {"key": "plan"}}]
    rows = [{"id": f"{at}", "section": "state", "steps": [one]} for at, one in enumerate(steps)]
    files = {".clew/pipelines/p.json": json.dumps(rows).encode()}
    serving.engine.apply(Batch(rule_files=parse_files(files, {".clew/pipelines": 1})))
    request = convert({"task": {"text": "tides"}}, Request)
    for _ in range(2):
        serving.loop.run_until_complete(answer_assemble(cast("Any", serving), request, NOW_S))
    assert len(serving.tools.pipelines) == serving.tools.pipelines.counts.hits == 0
    serving.loop.close()


def request(task: str, **fields: Any) -> Request:
    return convert({"task": {"text": task}, "format": "items", **fields}, Request)


@pytest.fixture
def serving() -> Iterator[WindowServing]:
    made = WindowServing()
    yield made
    made.loop.close()


def knowledge(reply: Assemble) -> list[str | None]:
    """Return the references of a window's knowledge, without their lines."""
    assert isinstance(reply.context, dict)
    return [item.ref and item.ref.partition("#")[0] for item in reply.context["knowledge"]]


def test_each_pipeline_brings_its_own(serving: WindowServing) -> None:
    rows = [
        {"id": path, "section": "knowledge", "steps": [{"read": {"ref": path}}]} for path in "bc"
    ]
    files = {".clew/pipelines/p.json": json.dumps(rows).encode()}
    serving.engine.apply(Batch(rule_files=parse_files(files, {".clew/pipelines": 1})))
    assert knowledge(serving.assemble(request("tides"), NOW_S)) == [
        "memory://b.md",
        "memory://c.md",
    ]


def test_a_read_that_changes_the_order_of_notes_is_seen(serving: WindowServing) -> None:
    notes = (read_note(path, f"tides {path}", NOW_S - 400 * DAY_S) for path in ("x.md", "y.md"))
    serving.engine.apply(Batch(put=tuple(notes), dropped=("a.md", "b.md", "c.md")))
    assert knowledge(serving.assemble(request("tides"), NOW_S)) == [
        "memory://x.md",
        "memory://y.md",
    ]
    serving.engine.apply(Batch(reads_s={"y.md": NOW_S}))
    assert knowledge(serving.assemble(request("tides"), NOW_S)) == [
        "memory://y.md",
        "memory://x.md",
    ]


def test_what_a_request_mentions_is_not_brought_again(serving: WindowServing) -> None:
    for mentions in ([], ["a"]):
        found = knowledge(serving.assemble(request("tides", mentions=mentions), NOW_S))
        assert found.count("memory://a.md") == 1


def test_private_notes_are_in_no_window_that_does_not_show_them(serving: WindowServing) -> None:
    views = TwoViews(EngineSettings())
    notes = {"a.md": "tides", "b.md": "---\nprivate: true\n---\ntides, too"}
    views.apply(Batch(put=tuple(read_note(path, text) for path, text in notes.items())))
    for serving.shows_private, serving.engine in ((True, views.whole), (False, views.public)):
        found = knowledge(serving.assemble(request("tides"), NOW_S))
        assert ("memory://b.md" in found) is serving.shows_private


def test_a_larger_budget_finds_more_than_a_smaller_one_did(serving: WindowServing) -> None:
    notes = (read_note(f"{n}.md", f"tides of number {n}, as of old") for n in range(40))
    serving.engine.apply(Batch(put=tuple(notes)))
    for budget in (200, 4_000):
        serving.assemble(request("tides of number", tokenBudget=budget), NOW_S)
