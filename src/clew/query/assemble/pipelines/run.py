"""Running a pipeline of the vault over one snapshot, in slices.

Steps that find something add items; ``filter``, ``rank`` and ``format`` change the items so far.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.mentions import KV_SCHEME, LeftOut, resolve
from clew.query.assemble.pipelines.builtin import query_of
from clew.query.assemble.window import Remembered, WindowItem
from clew.query.context.insights import insights
from clew.query.context.shown.concepts import insight_block
from clew.query.graph.concept import concept
from clew.query.notes.lists import recent
from clew.query.quoting.note_text import one_line
from clew.query.search.finding.setting import Setting
from clew.query.search.narrowing.filters import with_fields
from clew.query.search.query_terms import query_terms
from clew.query.search.search_notes import search
from clew.query.slices import PAUSE, Slices
from clew.text.masking.secrets import masked
from clew.values.errors import ClewError, InvalidParams
from clew.values.requests import ConceptRequest, Filters, Recent, Search
from clew.values.vault import Pipeline, Step

ITEMS_MAX = 200  # of one pipeline
EXPANDED_MAX = 10  # concepts further away that are named
_SOURCE_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Given:
    """What the steps of all pipelines of one request look at."""

    snapshot: Snapshot
    task: str
    held: tuple[str, ...]
    setting: Setting
    remembered: Remembered
    left_out: LeftOut = field(default_factory=dict)

    def query(self, step: Step) -> str:
        """Return the task as a query, or its keywords."""
        text = query_of(self.task)
        if step.text("query", "task") == "task":
            return text
        return " ".join(query_terms(text, self.snapshot.languages).words)


@dataclass(frozen=True, slots=True)
class Found:
    """An item, and what steps compare: its note and score."""

    item: WindowItem
    path: str | None = None
    title: str = ""
    score: float = 0.0


def run_pipeline(pipeline: Pipeline, given: Given) -> Slices[Contribution]:
    """Return what a pipeline brings; a step that finds nothing is told."""
    found: list[Found] = []
    most, errors = pipeline.max_tokens, []
    for step in pipeline.steps:
        if step.kind in _CHANGES:
            found = _CHANGES[step.kind](step, found, given)
        else:
            try:
                more = yield from _FINDS[step.kind](step, given)
            except ClewError as error:
                errors.append(f"{step.kind}: {error}")
                continue
            if not more:
                errors.append(f"{step.kind} found nothing")
            found = (found + more)[:ITEMS_MAX]
        if step.kind == "format" and "maxTokens" in step.options:
            limit = int(step.number("maxTokens", _SOURCE_TOKENS))
            most = limit if most is None else min(most, limit)
        yield PAUSE
    items = [replace(each.item, source=pipeline.id) for each in found if not _is_held(each, given)]
    return Contribution(
        pipeline.id,
        pipeline.section,
        tuple(items),
        error="; ".join(errors) or None,
        tokens_max=most,
    )


def _is_held(found: Found, given: Given) -> bool:
    """Return whether the window has the note of an item, or the same lines, already."""
    ref = found.item.ref
    return ref is not None and bool({ref, ref.partition("#")[0]}.intersection(given.held))


# -- steps that find items ------------------------------------------------------------------------


def _search(step: Step, given: Given) -> Slices[list[Found]]:
    filters = structs.replace(
        _filters(step), since=step.text("since") or None, until=step.text("until") or None
    )
    request = Search(
        query=given.query(step),
        mode=step.text("mode", "hybrid"),  # type: ignore[arg-type]  # checked when it was read
        filters=filters,
        limit=int(step.number("topK", 10)),
    )
    reply = yield from search(given.snapshot, request, given.setting)
    found = []
    for row in reply.results:
        if row.confidence >= step.number("minScore", 0.0):
            part = f"{row.uri}#L{row.lines[0]}-L{row.lines[1]}"
            found += yield from _part(part, given, row.confidence)
    return found


def _filters(step: Step) -> Filters:
    return Filters(
        type=step.text("type") or None,
        tags=step.texts("tags"),
        folder=step.text("folder") or None,
        min_importance=step.number("minImportance", 0.0) or None,
    )


def _part(ref: str, given: Given, score: float) -> Slices[list[Found]]:
    now_s = given.setting.now_s
    resolved = yield from resolve(
        given.snapshot, ref, given.remembered, now_s, left_out=given.left_out
    )
    if resolved.item is None:
        return []
    path = resolved.path
    title = one_line(masked(given.snapshot.title(path))[0]) if path else ref
    return [Found(replace(resolved.item, priority="medium"), path, title, score)]


def _concept(step: Step, given: Given) -> Slices[list[Found]]:
    now_s = given.setting.now_s
    found = []
    for each in (yield from insights(given.snapshot, query_of(given.task), now_s)):
        text = insight_block(each, "compact")
        uri = each.entity.partition(" ")[0]
        if step.number("depth", 1) > 1 and not each.is_path:
            request = ConceptRequest(concept_name=uri, depth=int(step.number("depth", 1)))
            reply = yield from concept(given.snapshot, request, now_s, SiblingConfig())
            names = [path.display_path[-1] for path in reply.expanded_paths[:EXPANDED_MAX]]
            if names:
                text += f"; further: {', '.join(one_line(masked(name)[0], 80) for name in names)}"
        found.append(Found(WindowItem(text, "", uri), None, each.title, each.relevance))
    return found


def _recent(step: Step, given: Given) -> Slices[list[Found]]:
    request = Recent(since=step.text("since") or None, limit=int(step.number("limit", 10)))
    found: list[Found] = []
    reply = yield from recent(given.snapshot, request, given.setting.clock)
    for row in reply.notes:
        found += yield from _part(row.uri, given, 0.0)
    return found


def _recall(step: Step, given: Given) -> Slices[list[Found]]:
    most = int(step.number("limit", 5))
    turns = yield from given.remembered.recall(given.query(step), most)
    return [Found(item, None, item.ref or "") for item in turns]


def _read(step: Step, given: Given) -> Slices[list[Found]]:
    return (yield from _part(step.text("ref"), given, 1.0))


def _kv(step: Step, given: Given) -> Slices[list[Found]]:
    return (yield from _part(f"{KV_SCHEME}{step.text('key')}", given, 1.0))


_FINDS: Mapping[str, Callable[[Step, Given], Slices[list[Found]]]] = {
    "search": _search,
    "concept": _concept,
    "recent": _recent,
    "recall": _recall,
    "read": _read,
    "kv": _kv,
}


# -- steps that change items ----------------------------------------------------------------------


def _filter(step: Step, found: Sequence[Found], given: Given) -> list[Found]:
    """Keep items of notes that pass."""
    try:
        passing = with_fields(given.snapshot.fields, _filters(step))
    except InvalidParams:
        return []
    note_ids = given.snapshot.graph.note_ids
    return [each for each in found if each.path and passing[note_ids[each.path]]]


def _rank(step: Step, found: Sequence[Found], given: Given) -> list[Found]:
    by = step.text("by", "score")

    def value(each: Found) -> float:
        if by == "score" or each.path is None:
            return each.score
        if by == "importance":
            return given.snapshot.facts[each.path].importance
        return given.snapshot.dates(each.path).changed_s

    ranked = sorted(found, key=value, reverse=True)
    return ranked[: int(step.number("limit", ITEMS_MAX))]


def _format(step: Step, found: Sequence[Found], _: Given) -> list[Found]:
    if step.text("template", "full") == "full":
        return list(found)
    return [
        replace(each, item=replace(each.item, text=f"- {each.title}: `{each.item.ref}`"))
        for each in found
    ]


_CHANGES: Mapping[str, Callable[[Step, Sequence[Found], Given], list[Found]]] = {
    "filter": _filter,
    "rank": _rank,
    "format": _format,
}
