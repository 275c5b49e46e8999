"""Rules: each operator, what a condition is made of, and which rule decides."""

import json
from typing import Any

from jsonschema import Draft202012Validator
from msgspec import convert

from clew.query.rules.evaluate import evaluate_rules
from clew.query.rules.field_tests import holds
from clew.query.slices import finished
from clew.values import search_replies
from clew.values.requests import EvaluateRules
from clew.values.vault import Batch, FieldTest, RuleFiles
from clew.vault.settings.rule_files import OPS, PRESENCE_OPS
from clew.vault.settings.rule_schema import rule_schema
from tests.data import lists
from tests.tables import for_each_row
from tests.vaults import engine_of
from tests.windows import parse_rule_files

ROWS = lists("rule_tests.jsonl")  # operator, its value, values of the field, result, why
NOTES = {"Plan.md": "The plan.\n", "deep/Old plan.md": "It was.\n"}


@for_each_row(("op", "wanted", "values", "expected", "why"), ROWS)
def test_an_operator_holds_or_not(
    op: str, wanted: Any, values: list[Any], expected: bool, why: str
) -> None:
    test = FieldTest("task.text", op, tuple(wanted) if isinstance(wanted, list) else wanted)
    assert holds(test, values) is expected, why


def test_each_operator_has_rows_that_hold_and_rows_that_do_not() -> None:
    assert {(op, result) for op, _, _, result, _ in ROWS} == {
        (op, result) for op in OPS for result in (True, False)
    }
    assert {op for op, _, values, _, _ in ROWS if not values} == set(OPS)


def rule(name: str, condition: Any, **action: Any) -> dict[str, Any]:
    return {"name": name, "condition": condition, "action": action}


def of(field: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def parsed(**files: list[dict[str, Any]]) -> RuleFiles:
    data = {f"{name}.json": json.dumps(rules).encode() for name, rules in files.items()}
    found = parse_rule_files(data, len(data))
    assert found.problems == ()
    return found


def evaluated(rules: RuleFiles, **request: Any) -> search_replies.EvaluateRules:
    engine = engine_of(NOTES)
    engine.apply(Batch(rule_files=rules))
    return finished(evaluate_rules(engine.snapshot, convert(request, EvaluateRules)))


def names(reply: search_replies.EvaluateRules) -> list[str]:
    return [row.name for row in reply.matched]


def test_all_of_a_list_and_any_of_a_list() -> None:
    payment = [
        of("task.text", "contains", "payment"),
        of("task.text", "not_contains", "refund"),
    ]
    either = {"any": [of("task.type", "eq", "question"), payment]}
    rules = parsed(
        a=[
            rule("both", payment, type="cap", section="history", tokens=5),
            rule("either", either, type="cap", section="state", tokens=5),
        ]
    )
    assert names(evaluated(rules, task={"text": "payment architecture"})) == ["both", "either"]
    assert names(evaluated(rules, task={"text": "refund a payment"})) == []
    asked = {"text": "refund a payment", "type": "Question"}
    assert names(evaluated(rules, task=asked)) == ["either"]


def test_the_first_rule_that_fires_decides() -> None:
    always = of("task.text", "exists")
    never = of("agent.name", "exists")
    rules = parsed(
        **{
            "02": [
                rule("late", always, type="include", ref="Plan"),
                rule("other cap", always, type="cap", section="history", tokens=9),
                rule("source cap", always, type="cap", source="history", tokens=7),
            ],
            "01": [
                rule("silent", never, type="include", ref="Old plan"),
                rule("early", always, type="exclude", ref="memory://Plan.md"),
                rule("again", always, type="exclude", ref="[[Plan]]"),
                rule("cap", always, type="cap", section="history", tokens=1_000),
                rule("high", always, type="setPriority", section="history", value="high"),
                rule("low", always, type="setPriority", section="history", value="low"),
                rule("unknown", always, type="include", ref="No such note"),
            ],
        }
    )
    reply = evaluated(rules, task={"text": ""})
    fired = {row.name: row.applied for row in reply.matched}
    assert list(fired.items()) == [
        ("early", True),
        ("again", False),
        ("cap", True),
        ("high", True),
        ("low", False),
        ("unknown", True),
        ("late", False),
        ("other cap", False),
        ("source cap", True),
    ]
    assert (reply.excluded, reply.included) == (("memory://Plan.md",), ("No such note",))
    assert (reply.caps.sections, reply.caps.sources) == ({"history": 1_000}, {"history": 7})
    assert reply.priorities == {"history": "high"}
    assert reply.rules == 10


def test_twenty_groups_may_be_within_each_other() -> None:
    condition: Any = of("task.text", "exists")
    for depth in range(1, 22):
        condition = [condition] if depth % 2 else {"any": [condition]}
        data = json.dumps(rule("deep", condition, type="include", ref="Plan")).encode()
        found = parse_rule_files({"a.json": data}, 1)
        assert (len(found.rules), len(found.problems)) == ((1, 0) if depth <= 20 else (0, 1))


def test_a_reference_to_a_part_of_a_note_is_a_uri() -> None:
    always = of("task.text", "exists")
    parts = {"Plan#The end: 100%": "#The%20end:%20100%25", "[[old plan#^b1]]": "#%5Eb1"}
    rules = parsed(a=[rule(ref, always, type="exclude", ref=ref) for ref in parts])
    reply = evaluated(rules, task={"text": ""})
    paths = ("memory://Plan.md", "memory://deep/Old%20plan.md")
    assert reply.excluded == tuple(map(str.__add__, paths, parts.values()))


def test_missing_fields_are_named_once_and_make_a_test_false() -> None:
    tests = [
        of("project.name", "not_contains", "x"),
        of("session.turnCount", "lt", 3),
        of("project.name", "neq", "x"),
        of("memory.source", "not_in", ["x"]),
        of("agent.name", "exists"),
    ]
    rules = parsed(
        a=[rule(str(at), one, type="exclude", ref=str(at)) for at, one in enumerate(tests)]
    )
    reply = evaluated(rules, task={"text": "x"})
    assert names(reply) == []
    assert reply.missing == ("project.name", "session.turnCount", "memory.source")
    reply = evaluated(
        rules,
        task={"text": "x"},
        agent={"name": "a"},
        project={"name": "y"},
        session={"turnCount": 2},
        history=[{"text": "", "source": "y"}],
        workingMemory=[{"text": "", "source": "z"}],
    )
    assert names(reply) == ["0", "1", "2", "3", "4"]
    assert reply.missing == ()


# The text of a file, the line of the problem, and what it says.
@for_each_row(("text", "line", "message"), lists("rule_mistakes.jsonl"))
def test_a_mistake_names_its_line_and_loses_no_other_rule(
    text: str, line: int | None, message: str
) -> None:
    good = rule("good", of("task.text", "exists"), type="exclude", ref="x")
    files = {"1.json": text.encode(), "2.json": json.dumps(good).encode()}
    found = parse_rule_files(files, 2)
    (problem,) = found.problems
    assert (problem.path, problem.code) == (".clew/rules/1.json", "ruleInvalid")
    assert problem.line == line
    assert message in problem.message
    assert [row.name for row in found.rules] == ["good"]


SCHEMA = Draft202012Validator(rule_schema())


def test_the_schema_takes_what_the_files_may_hold() -> None:
    for op, wanted, *_ in ROWS:
        one = rule("r", {"any": [[of("task.text", op, wanted)]]}, type="include", ref="x")
        if op in PRESENCE_OPS:
            del one["condition"]["any"][0][0]["value"]
        assert SCHEMA.is_valid(one)
        assert SCHEMA.is_valid([one])
        assert parse_rule_files({"a.json": json.dumps(one).encode()}, 1).problems == ()


@for_each_row("text", [text for text, _, message in lists("rule_mistakes.jsonl")])
def test_the_schema_refuses_mistakes(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        return  # an editor sees it without a schema
    pattern = "matches" in text and isinstance(value, dict)
    assert SCHEMA.is_valid(value) == pattern


def test_there_is_a_bound_on_everything() -> None:
    one = json.dumps(rule("r", of("task.text", "exists"), type="exclude", ref="x"))
    many = ("[" + ",\n".join([one] * 6_000) + "]").encode()
    found = parse_rule_files({"a.json": many, "b.json": many}, 2)
    assert len(found.rules) == 10_000
    (problem,) = found.problems
    assert (problem.path, problem.line) == (".clew/rules/b.json", 4_001)
    large = b" " * (1024 * 1024 + 1)
    (problem,) = parse_rule_files({"a.json": large, "b.json": one.encode()}, 2).problems
    assert "bytes" in problem.message
    deep = b"[" * 100_000
    (problem,) = parse_rule_files({"a.json": deep}, 1).problems
    assert problem.code == "ruleInvalid"
    (problem,) = parse_rule_files({}, 101).problems
    assert "first 100 files" in problem.message
