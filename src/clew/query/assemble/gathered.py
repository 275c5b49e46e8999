"""Gather from the snapshot all that a window needs, except what pipelines bring.

The result does not refer to the snapshot. The caller runs the pipelines, each within its time
limit, and adds their contributions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from clew.engine.snapshot import Snapshot
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.entities import known_entities
from clew.query.assemble.mentions import (
    RULE,
    WARNING,
    LeftOut,
    Resolved,
    mention_warnings,
    mentions_of,
    resolve,
    resolve_mentions,
    shown_mention,
)
from clew.query.assemble.procedural import SOURCE as PROCEDURAL
from clew.query.assemble.procedural import procedural_items
from clew.query.assemble.window import REQUEST, Remembered, WindowItem, shown_item
from clew.query.context.excluded import held_lines
from clew.query.rules.evaluate import Outcome, decide, fields_of
from clew.query.slices import PAUSE, Slices
from clew.text.uri import SCHEME, from_uri
from clew.values.requests import Assemble, Item, TaskRequest

INCLUDED_MAX = 100  # references that rules include
PROBLEMS_MAX = 20  # warnings about problems in files of rules and pipelines
SCRATCH = "scratch"
SESSION = "session"


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The outcome of the rules, and the contributions of all sources but pipelines."""

    revision: int
    request: Assemble
    outcome: Outcome
    contributions: tuple[Contribution, ...]
    entities: tuple[str, ...]
    held: tuple[str, ...]  # references that pipelines leave out: items have them already
    excluded: tuple[str, ...]  # references that rules exclude, resolved
    left_out: LeftOut  # the lines that ``excluded`` names


def gather_given(
    snapshot: Snapshot,
    request: Assemble,
    procedural: Collection[str],
    remembered: Remembered,
    now_s: float,
) -> Slices[Gathered]:
    """Return all inputs of a window but those of pipelines.

    ``procedural``: the paths of all notes of a type in ``procedural.TYPES``.
    """
    outcome = yield from decide(snapshot, fields_of(request))
    excluded = tuple(outcome.refs_of("exclude"))
    direct = given_contributions(request, remembered)
    mentions = mentions_of(request)
    left_out = yield from _left_out(snapshot, excluded)
    resolved = yield from resolve_mentions(snapshot, mentions, remembered, now_s, left_out)
    included = []
    for reference in outcome.refs_of("include")[:INCLUDED_MAX]:
        resolved_reference = yield from resolve(
            snapshot, reference, remembered, now_s, RULE, left_out
        )
        included.append(resolved_reference)
        yield PAUSE
    constraints = yield from procedural_items(snapshot, procedural, request.task.text, left_out)
    warnings = mention_warnings(resolved, len(mentions)) + [
        WindowItem(f"A rule includes {shown_mention(each.mention)}: {each.error}", WARNING)
        for each in included
        if each.error
    ]
    warnings += _problem_warnings(snapshot)
    entities = yield from known_entities(snapshot, request.task.text, left_out)
    contributions = (
        *direct,
        Contribution(WARNING, "warnings", tuple(warnings)),
        Contribution(PROCEDURAL, "constraints", tuple(constraints)),
        Contribution("mentions", "knowledge", tuple(_items(resolved))),
        Contribution("rules", "knowledge", tuple(_items(included))),
    )
    refs = [item.ref for each in contributions for item in each.items if item.ref]
    # Search finds no other lines of these notes, such as their front matter.
    notes = [item.ref.partition("#")[0] for item in constraints if item.ref]
    held = tuple(dict.fromkeys((*refs, *notes, *excluded)))
    return Gathered(
        snapshot.revision,
        request,
        outcome,
        contributions,
        tuple(entities),
        held,
        excluded,
        left_out,
    )


def _left_out(snapshot: Snapshot, excluded: Sequence[str]) -> Slices[LeftOut]:
    """Return the lines that the references in ``excluded`` name."""
    notes = (each.partition("#")[0] for each in excluded)
    paths = {from_uri(uri) for uri in notes if uri.startswith(SCHEME)}
    held = yield from held_lines(snapshot, excluded, paths)
    return held.is_held_by_path


def _items(resolved: Sequence[Resolved]) -> list[WindowItem]:
    return [each.item for each in resolved if each.item is not None]


def given_contributions(request: TaskRequest, remembered: Remembered) -> tuple[Contribution, ...]:
    """Return the items in the request, and those of its session."""
    items_by_section: Mapping[str, Sequence[Item]] = {
        "state": request.state,
        "constraints": request.constraints,
        "history": request.history,
        "suggestions": request.suggestions,
        "working_memory": request.working_memory,
    }
    contributions = [
        Contribution(
            REQUEST,
            section,
            tuple(
                shown_item(item.text, item.source or REQUEST, item.ref, item.priority)
                for item in items
            ),
        )
        for section, items in items_by_section.items()
        if items
    ]
    if remembered.turns:
        contributions.append(Contribution(SESSION, "history", remembered.turns))
    if remembered.scratch and request.session.id is not None:
        scratch = [
            shown_item(f"{key}: {value}", SCRATCH, f"kv://{key}")
            for key, value in remembered.scratch.items()
        ]
        contributions.append(Contribution(SCRATCH, "working_memory", tuple(scratch)))
    return tuple(contributions)


def _problem_warnings(snapshot: Snapshot) -> list[WindowItem]:
    problems = snapshot.rule_files.problems
    shown = [
        WindowItem(f"`{each.path}{f':{each.line}' if each.line else ''}`: {each.message}", WARNING)
        for each in problems[:PROBLEMS_MAX]
    ]
    if len(problems) > PROBLEMS_MAX:
        left = len(problems) - PROBLEMS_MAX
        shown.append(WindowItem(f"{left:,} more mistakes in files of rules", WARNING))
    return [shown_item(item.text, item.source) for item in shown]
