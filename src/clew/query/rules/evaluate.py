"""The method ``evaluateRules``: which rules a task fires, and what they do.

Nothing is searched for. Rules are taken in the order of their files and lines. The first that
fires decides for a reference, for the cap of a section or source, and for the priority of a
section.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.engine.snapshot import Snapshot
from clew.query.notes.read import to_problem
from clew.query.references.locate import locate_place
from clew.query.rules.field_tests import Value, holds
from clew.query.slices import PAUSE, Slices
from clew.text.uri import to_uri
from clew.values import search_replies as replies
from clew.values.errors import Ambiguous, UnknownNote
from clew.values.requests import EvaluateRules, TaskRequest
from clew.values.vault import Action, FieldTest, Group, Rule

FIRED_MAX = 1_000  # fired rules that a reply lists


def evaluate_rules(snapshot: Snapshot, request: EvaluateRules) -> Slices[replies.EvaluateRules]:
    """Return the rules that fire for a request, and their effects."""
    outcome = yield from decide(snapshot, fields_of(request))
    return replies.EvaluateRules(
        revision=snapshot.revision,
        rules=len(snapshot.rule_files.rules),
        matched=tuple(outcome.fired[:FIRED_MAX]),
        included=tuple(outcome.refs_of("include")),
        excluded=tuple(outcome.refs_of("exclude")),
        caps=replies.RuleCaps(sections=outcome.caps("section"), sources=outcome.caps("source")),
        priorities=outcome.priorities,
        missing=tuple(outcome.missing),
        problems=tuple(map(to_problem, snapshot.rule_files.problems)),
    )


def fields_of(request: TaskRequest) -> Mapping[str, Sequence[Value]]:
    """Return the values of each field that rules can test; none for a missing field."""
    sections = (request.state, request.constraints, request.history, request.suggestions)
    items = [item for section in (*sections, request.working_memory) for item in section]
    value_by_field: Mapping[str, Value | None] = {
        "task.text": request.task.text,
        "task.type": request.task.type,
        "agent.name": request.agent.name,
        "project.name": request.project.name,
        "session.turnCount": request.session.turn_count,
    }
    fields = {name: () if value is None else (value,) for name, value in value_by_field.items()}
    return fields | {"memory.source": tuple({item.source: None for item in items if item.source})}


@dataclass(slots=True)
class Outcome:
    """The decisions of the rules that fired."""

    fired: list[replies.FiredRule] = field(default_factory=list)
    actions: dict[tuple[str, str], Action] = field(
        default_factory=dict
    )  # by target, as ``_target`` has it
    missing: dict[str, None] = field(default_factory=dict)

    def refs_of(self, kind: str) -> list[str]:
        """Return the references that are to be included or excluded."""
        return [ref for (_, ref), action in self.actions.items() if action.kind == kind]

    def caps(self, of: str) -> dict[str, int]:
        """Return the most tokens of each section, or of each source."""
        return {
            name: action.tokens
            for (target, name), action in self.actions.items()
            if target == f"cap {of}" and action.tokens is not None
        }

    @property
    def priorities(self) -> dict[str, str]:
        """The priority of each section that has one."""
        return {
            name: action.value
            for (target, name), action in self.actions.items()
            if target == "priority" and action.value is not None
        }


def decide(snapshot: Snapshot, fields: Mapping[str, Sequence[Value]]) -> Slices[Outcome]:
    """Evaluate all rules of the vault."""
    outcome = Outcome()
    for rule in snapshot.rule_files.rules:
        if (yield from _fires(rule, fields, outcome.missing)):
            key = _target(snapshot, rule.action)
            applied = key not in outcome.actions
            outcome.actions.setdefault(key, rule.action)
            outcome.fired.append(_fired(rule, applied=applied))
        yield PAUSE
    return outcome


def _fires(
    rule: Rule, fields: Mapping[str, Sequence[Value]], missing: dict[str, None]
) -> Slices[bool]:
    """Return whether the condition of a rule holds; add fields without a value to ``missing``."""
    results: list[bool] = []
    for step in rule.condition:
        if isinstance(step, Group):
            members = results[-step.count :]
            results[-step.count :] = [all(members) if step.is_all else any(members)]
            continue
        values = fields.get(step.field, ())
        if not values and step.op not in ("exists", "not_exists"):
            missing[step.field] = None
        results.append(holds(step, values))
        if _is_slow(step):
            yield PAUSE
    return results == [True]


def _is_slow(test: FieldTest) -> bool:
    return test.op == "matches"


def _target(snapshot: Snapshot, action: Action) -> tuple[str, str]:
    if action.ref is not None:
        return "ref", _resolved(snapshot, action.ref)
    if action.kind == "cap":
        of = "section" if action.section is not None else "source"
        return f"cap {of}", action.section or action.source or ""
    return "priority", action.section or ""


def _resolved(snapshot: Snapshot, ref: str) -> str:
    """Return the URI of what ``ref`` names, or ``ref`` itself if that is no note."""
    try:
        place = locate_place(snapshot, ref)
    except (UnknownNote, Ambiguous):
        return ref
    return to_uri(place.path, place.fragment)


def _fired(rule: Rule, *, applied: bool) -> replies.FiredRule:
    action = rule.action
    return replies.FiredRule(
        name=rule.name,
        path=rule.path,
        line=rule.line,
        action=replies.RuleAction(
            type=action.kind,
            ref=action.ref,
            section=action.section,
            source=action.source,
            tokens=action.tokens,
            value=action.value,
        ),
        applied=applied,
    )
