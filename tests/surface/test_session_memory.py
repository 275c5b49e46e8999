"""The turns that a window shows of a session: which, in what order, and with what label."""

import asyncio
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from clew.query.search.search_config import SearchConfig
from clew.query.slices import finished
from clew.surface.server.answers.query_tools import QueryTools
from clew.surface.server.answers.windows.assemble import answer_assemble
from clew.surface.server.answers.windows.session_memory import session_memory
from clew.values.memory.turns import Session, new_turn
from clew.values.requests import Assemble, Item, Task
from clew.values.requests import Session as OfSession
from clew.values.windows.assemble_replies import WindowItem
from tests.searches import vault
from tests.vaults import DAY_S, NOW_S

TASK = "what of the astrolabe"
BOATS = {"Boats.md": "The harbour has four boats.\n"}
TALK = """---
type: session
---
# Talk

## user · 2026-01-20T10:00:00Z

The astrolabe of the captain is bent.

Ask him of it.

## assistant · 2026-01-20T10:01:00Z

Supper is at eight.
"""


class Keeping:
    """A service without a model, over a vault, that keeps the turns of sessions."""

    def __init__(
        self,
        texts_by_session: Mapping[str, Sequence[str]],
        age_s: float = 0.0,
        notes: Mapping[str, str] = BOATS,
    ) -> None:
        kept = {
            name: Session(
                name,
                tuple(
                    new_turn(name, number, "user", text, NOW_S - age_s)
                    for number, text in enumerate(texts, 1)
                ),
            )
            for name, texts in texts_by_session.items()
        }

        async def sessions() -> Mapping[str, Session]:
            return kept

        async def scratch(_: str | None) -> Mapping[str, Any]:
            return {}

        async def no_model() -> None:
            return None

        self.snapshot = vault(notes)
        self.tools = QueryTools("builtin")
        self.tools.model = cast("Any", SimpleNamespace(encoder=no_model, failure="none"))
        self.sessions = SimpleNamespace(sessions=sessions, scratch=scratch)
        self.search_config, self.health = SearchConfig(), SimpleNamespace(report=None)
        self.shows_private = False

    def ready_snapshot(self) -> Any:
        return self.snapshot


def history(
    service: Keeping, *given: str, task: str = TASK, budget: int = 8_000
) -> list[WindowItem]:
    """Return the history of a window in the session "now"."""
    request = Assemble(
        task=Task(text=task),
        session=OfSession(id="now"),
        history=tuple(Item(text=text) for text in given),
        token_budget=budget,
        format="items",
    )
    reply = asyncio.run(answer_assemble(cast("Any", service), request, NOW_S))
    assert isinstance(reply.context, dict)
    return list(reply.context["history"])


def texts(items: Sequence[WindowItem]) -> list[str]:
    return [item.text.removeprefix("user: ") for item in items]


def test_a_turn_of_another_day_is_shown_with_its_day() -> None:
    assert [item.text for item in history(Keeping({"now": ["Hello."]}))] == ["user: Hello."]
    (item,) = history(Keeping({"now": ["Hello."]}, age_s=2 * DAY_S))
    assert item.text == "user, 2026-01-31: Hello."


def test_two_turns_that_say_the_same_are_both_shown() -> None:
    service = Keeping({"now": ["Shall I sail?", "Yes.", "Shall I fish?", "Yes."]})
    assert texts(history(service)) == ["Yes.", "Shall I fish?", "Yes.", "Shall I sail?"]


def test_a_turn_that_the_request_has_is_not_repeated() -> None:
    service = Keeping({"now": ["Hello.", "Good day.", TASK], "old": [TASK, "An astrolabe is old."]})
    assert texts(history(service, "user: Hello.", "Good  day.")) == [
        *("Hello.", "Good  day.", "An astrolabe is old.")
    ]


def test_a_text_that_the_request_has_stands_for_one_turn() -> None:
    said = ["Shall I sail?", "Yes.", "Shall I fish?", "Yes."]
    answered = ["Shall I fish?", "Yes.", "Shall I sail?"]
    assert texts(history(Keeping({"now": said}), task="Yes.")) == answered
    assert texts(history(Keeping({"now": said[:3]}), task="Yes.")) == answered
    given = history(Keeping({"now": said}), "user: Yes.", "Shall I fish?")
    assert texts(given) == ["Yes.", "Shall I fish?", "Yes.", "Shall I sail?"]


def test_of_the_last_turns_those_that_speak_of_the_task_are_kept_longer() -> None:
    last = [f"Step {number} is done, and took a while to do." for number in range(10)]
    last[4] = "The astrolabe is bent."
    service = Keeping({"now": last, "old": ["An astrolabe is old."]})
    newest = {last[9], last[8], last[7]}
    for budget in range(100, 320, 20):
        older = set(texts(history(service, budget=budget))) - newest
        assert not older or last[4] in older
    assert texts(history(service)) == [*reversed(last), "An astrolabe is old."]


def test_a_recalled_turn_that_a_passage_shows_is_not_repeated() -> None:
    service = Keeping({"now": ["Hello."]}, notes={**BOATS, "Talk.md": TALK, "Far.md": "A hat.\n"})
    request = Assemble(task=Task(text=TASK), session=OfSession(id="now"))
    reply = asyncio.run(answer_assemble(cast("Any", service), request, NOW_S))
    assert isinstance(reply.text, str)
    assert reply.text.count("The astrolabe of the captain is bent.") == 1
    assert "user: Hello." in reply.text
    assert reply.trace.duplicates == 1
    cap = {"search": 0}
    reply = asyncio.run(
        answer_assemble(cast("Any", service), msgspec.structs.replace(request, caps=cap), NOW_S)
    )
    assert isinstance(reply.text, str)
    assert reply.text.count("The astrolabe of the captain is bent.") == 1, "in the history"


def test_a_recalled_turn_of_which_a_passage_shows_some_sentences_stays_whole() -> None:
    """Its sentences are one line of its note."""
    sentences = " ".join(
        f"Of day {number}, the crew wrote that supper was late." for number in range(40)
    )
    talk = TALK.replace("is bent.", f"is bent. {sentences} The cook sings.")
    service = Keeping({"now": ["Hello."]}, notes={**BOATS, "Talk.md": talk})
    for cap in range(120, 400, 40):
        request = Assemble(task=Task(text=TASK), session=OfSession(id="now"), caps={"search": cap})
        reply = asyncio.run(answer_assemble(cast("Any", service), request, NOW_S))
        assert isinstance(reply.text, str)
        assert "Of day 20," in reply.text
        assert reply.trace.duplicates == 0


def test_a_recall_gives_as_many_new_turns_as_asked_beside_the_last_ones() -> None:
    last = [f"Astrolabe {number}." for number in range(10)]
    service = Keeping({"now": last, "old": ["An astrolabe is older than any of our boats."]})
    request = Assemble(task=Task(text=TASK), session=OfSession(id="now"))
    memory = asyncio.run(session_memory(cast("Any", service), service.snapshot, request, NOW_S))
    recalled = finished(memory.recall(TASK, 3))
    *of_last, new = [item.text.removeprefix("user: ") for item in recalled]
    assert new.startswith("An astrolabe is older")
    assert len(of_last) == 3
    assert set(of_last) <= set(last)
