"""What ``validate`` tells of a request, without a search."""

import pytest
from msgspec import convert

from clew.query.assemble.validate import validate
from clew.query.assemble.window import NOTHING_REMEMBERED
from clew.query.rules.evaluate import evaluate_rules
from clew.query.search.legs.registry import LEGS
from clew.query.slices import finished
from clew.values.requests import EvaluateRules, Validate
from tests.query.assemble.test_window import VAULT
from tests.vaults import NOW_S


def test_validate_and_rules_search_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[object] = []
    for name in ("clew.query.search.finding.find.find", "clew.query.context.insights.insights"):
        monkeypatch.setattr(name, lambda *given: searches.append(given))
    for leg in LEGS:
        monkeypatch.setattr(type(leg), "find", lambda *given: searches.append(given))
    task = {"text": "How does a payment retry? @Refunds [[Queue]] @none"}
    reply = finished(validate(VAULT, convert({"task": task}, Validate), NOTHING_REMEMBERED, NOW_S))
    assert [each.mention for each in reply.resolved] == ["@Refunds", "[[Queue]]"]
    assert reply.warnings == ("`@none`: no note or concept has this name",)
    assert reply.valid
    finished(evaluate_rules(VAULT, convert({"task": task}, EvaluateRules)))
    assert searches == []


def test_caps_without_effect_are_told() -> None:
    caps = dict.fromkeys(
        ("nosuch", "mentions", "history", "search", "concept", "chat", "request"), 5
    )
    request = {
        "task": {"text": "payment"},
        "caps": caps,
        "history": [{"text": "x", "source": "chat"}],
    }
    reply = finished(validate(VAULT, convert(request, Validate), NOTHING_REMEMBERED, NOW_S))
    assert [warning.partition(":")[0] for warning in reply.warnings] == [
        "caps.history",
        "caps.mentions",
        "caps.nosuch",
    ]
    assert (
        "chat, concept, mention, procedural, request, rule, scratch, search, session"
        in (reply.warnings[-1])
    )
