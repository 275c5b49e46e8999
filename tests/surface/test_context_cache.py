"""The cache of packs is never stale: each reply equals one that is computed anew."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from msgspec.structs import replace

from clew.query.context.gather import gather
from clew.query.context.pack import packed
from clew.query.search.search_config import SearchConfig
from clew.query.slices import finished
from clew.surface.server.answers.packs import deliveries
from clew.surface.server.answers.packs.context import answer_context
from clew.surface.server.answers.query_tools import QueryTools
from clew.surface.server.answers.searching import setting_for
from clew.text.tokens import count_tokens
from clew.values.requests import Context, Filters
from clew.values.search_replies import ContextReply
from clew.values.vault import Batch
from tests.examples import examples
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

PATHS = st.sampled_from([f"{folder}{name}.md" for folder in ("", "x/") for name in "abcde"])
LINES = st.lists(
    st.sampled_from(
        [
            "tides and clocks",
            "[[a]] [[b]]",
            "[[b]] [[c]] tides",
            "[[c]] [[d]]",
            "[[a]] [[e]] [[d]]",
            "clocks drift",
            "# Tides",
            "#tag",
        ]
    ),
    min_size=1,
    max_size=5,
).map("\n\n".join)
AGES_DAYS = st.sampled_from([0, 40, 400])


class Serving:
    """A service with a cache over an engine of its own, without processes and a model."""

    def __init__(self) -> None:
        self.engine = engine_of({"a.md": "tides [[b]]", "b.md": "[[c]] clocks", "c.md": "[[a]]"})
        self.search_config = SearchConfig()
        self.health = SimpleNamespace(report=None)
        self.tools = QueryTools("builtin")
        self.tools.model = cast("Any", SimpleNamespace(encoder=_no_encoder, failure="none"))
        self.delivered: dict[str | None, frozenset[bytes]] = {}
        self.loop = asyncio.new_event_loop()

    @property
    def snapshot(self) -> Any:
        return self.engine.snapshot

    def ready_snapshot(self) -> Any:
        return self.engine.snapshot

    def ask(self, request: Context, now_s: float) -> ContextReply:
        """Return the reply of the method, after comparing it with one that is computed anew."""
        service = cast("Any", self)
        reply = self.loop.run_until_complete(answer_context(service, request, now_s))
        told = self.delivered.get(request.session_id, frozenset())
        setting = setting_for(service, None, now_s)
        material = finished(gather(self.snapshot, request, setting, told))
        anew, pieces = packed(material, count_tokens)
        if request.session_id is not None:
            self.delivered[request.session_id] = told | pieces
        if reply.context.partition("\n")[0] == anew.context.partition("\n")[0]:
            assert _comparable(reply) == _comparable(anew)
        else:  # asked for before in other letters, which takes as many tokens or not
            assert reply.metadata.cache_hit
            assert _judged(reply) == _judged(anew)
        return reply


async def _no_encoder() -> None:
    return None


def _comparable(reply: ContextReply) -> ContextReply:
    metadata = replace(reply.metadata, cache_hit=False, stage_timings={})
    return replace(reply, metadata=metadata)


def _judged(reply: ContextReply) -> object:
    return reply.answered, reply.metadata.period, reply.metadata.route, reply.suggestions


QUERIES = ("tides", "clocks drift", "a to d tides", "b and c", "tag:tag")


class CacheMachine(RuleBasedStateMachine):
    """Edits, reads, renames, queries and sessions, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.serving = Serving()
        self.now_s = NOW_S
        self.asked: list[Context] = []

    def teardown(self) -> None:
        self.serving.loop.close()

    @rule(path=PATHS, text=LINES, days=AGES_DAYS)
    def save(self, path: str, text: str, days: int) -> None:
        self._apply(put=(read_note(path, text, NOW_S - days * DAY_S),))

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        if path in self.serving.snapshot.entries:
            self._apply(dropped=(path,))

    @rule(path=PATHS, to=PATHS)
    def rename(self, path: str, to: str) -> None:
        entries = self.serving.snapshot.entries
        if path in entries and to not in entries:
            self._apply(dropped=(path,), put=(read_note(to, entries[path].note.text),))

    @rule(path=PATHS)
    def read(self, path: str) -> None:
        if path in self.serving.snapshot.entries:
            self._apply(reads_s={path: self.now_s})

    def _apply(self, **fields: Any) -> None:
        self.serving.engine.apply(Batch(**fields))

    @rule(days=st.sampled_from([0.0, 1.0, 30.0]))
    def wait(self, days: float) -> None:
        self.now_s += days * DAY_S

    @rule(
        query=st.sampled_from([*QUERIES, *map(str.title, QUERIES), "tides\nDrift"]),
        budget=st.sampled_from([100, 200, 4_000]),
        session=st.sampled_from([None, None, "s", "t"]),
        exclude=st.sampled_from([(), ("a",), ("memory://b.md#L1-L3",), ("nobody",)]),
        template=st.sampled_from(["default", "compact", "detailed"]),
    )
    def ask(
        self, query: str, budget: int, session: str | None, exclude: tuple[str, ...], template: Any
    ) -> None:
        request = Context(
            query=query,
            token_budget=budget,
            session_id=session,
            exclude=exclude,
            template=template,
            include_evidence=True,
        )
        self.asked.append(request)
        self.serving.ask(request, self.now_s)

    @precondition(lambda self: self.asked)
    @rule(place=st.integers(0, 100))
    def ask_again(self, place: int) -> None:
        request = self.asked[-1 - place % min(3, len(self.asked))]
        self.serving.ask(request, self.now_s)
        if request.session_id is None:
            assert self.serving.ask(request, self.now_s).metadata.cache_hit


TestCache = CacheMachine.TestCase
TestCache.settings = examples(30, long=1_000, stateful_step_count=20)


def test_a_read_of_a_note_that_no_pack_shows_keeps_the_entry() -> None:
    serving = Serving()
    request = Context(query="tides")
    serving.ask(request, NOW_S)
    serving.engine.apply(Batch(put=(read_note("old.md", "clocks", NOW_S - 900 * DAY_S),)))
    assert not serving.ask(request, NOW_S).metadata.cache_hit
    serving.engine.apply(Batch(reads_s={"old.md": NOW_S}))
    assert serving.ask(request, NOW_S).metadata.cache_hit
    serving.loop.close()


def test_a_read_that_changes_the_order_of_relations_is_seen() -> None:
    serving = Serving()
    for path, text in (("x.md", "[[apple]] [[berry]]"), ("y.md", "[[apple]] [[cherry]]")):
        serving.engine.apply(Batch(put=(read_note(path, text, NOW_S - 400 * DAY_S),)))
    serving.engine.apply(Batch(put=(read_note("z/found.md", "apple"),)))
    # The passages shown say nothing of the relations, which an insight would leave out.
    request = Context(query="apple", template="compact", filters=Filters(folder="z"))
    assert "apple: berry (1); cherry (1)" in serving.ask(request, NOW_S).context
    serving.engine.apply(Batch(reads_s={"y.md": NOW_S}))
    assert "apple: cherry (1); berry (1)" in serving.ask(request, NOW_S).context
    serving.loop.close()


def test_a_read_that_makes_another_path_the_best_is_seen() -> None:
    serving = Serving()
    serving.engine.apply(Batch(put=(read_note("x/found.md", "start goal"),)))
    for name in ("m", "n"):
        for number, text in enumerate((f"[[start]] [[{name}1]]", f"[[{name}1]] [[goal]]")):
            note = read_note(f"{name} {number}.md", text, NOW_S - (number == 1) * 400 * DAY_S)
            serving.engine.apply(Batch(put=(note,)))
    request = Context(query="start goal", template="compact", filters=Filters(folder="x"))
    assert "start → m1 → goal" in serving.ask(request, NOW_S).context
    serving.engine.apply(Batch(reads_s={"n 1.md": NOW_S}))  # found by no leg, on no path shown
    assert "start → n1 → goal" in serving.ask(request, NOW_S).context
    serving.loop.close()


def test_the_word_of_a_session_is_kept_apart() -> None:
    serving = Serving()
    texts = [serving.ask(Context(query="tides", session_id=each), NOW_S).context for each in "sst"]
    assert texts[0] == texts[2] != texts[1]
    assert serving.ask(Context(query="tides", session_id="s"), NOW_S).metadata.cache_hit
    serving.loop.close()


def test_what_a_forgotten_session_gets_from_the_cache_is_delivered_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deliveries, "SESSIONS_MAX", 1)
    serving = Serving()
    replies = [
        serving.loop.run_until_complete(
            answer_context(cast("Any", serving), Context(query="tides", session_id=each), NOW_S)
        )
        for each in ("s", "t", "s", "s")
    ]
    assert [reply.metadata.cache_hit for reply in replies] == [False, False, True, False]
    assert ["Already Delivered" in reply.context for reply in replies] == [False] * 3 + [True]
    serving.loop.close()


def test_a_pack_says_what_does_not_work_now() -> None:
    serving = Serving()
    for failure in ("loading", "gone"):
        serving.tools.model.failure = failure
        assert serving.ask(Context(query="tides"), NOW_S).degraded == (f"semantic: {failure}",)
    serving.loop.close()
