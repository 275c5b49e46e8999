"""Run a pipeline of the vault on one snapshot, in slices.

Most kinds of steps add items; ``filter``, ``rank`` and ``format`` change the items added so far.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.mentions import KV_SCHEME, LeftOut, has_left_out, resolve
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
TITLE_CHARACTERS_MAX = 80  # of a turn that is shown as a line
EXPANDED_MAX = 10  # concepts two or more steps away that an item names
_SOURCE_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Given:
    """The inputs that the steps of all pipelines of one request share."""

    snapshot: Snapshot
    task: str
    held: tuple[str, ...]  # references that the window has already
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
class ScoredItem:
    """An item, with the note and score that later steps compare."""

    item: WindowItem
    path: str | None = None
    title: str = ""
    score: float = 0.0


def run_pipeline(pipeline: Pipeline, given: Given) -> Slices[Contribution]:
    """Return the items of a pipeline; steps that found nothing are listed in ``error``."""
    items: list[ScoredItem] = []
    most, errors = pipeline.max_tokens, []
    for step in pipeline.steps:
        if step.kind in _TRANSFORMS:
            items = _TRANSFORMS[step.kind](step, items, given)
        else:
            try:
                added = yield from _FINDERS[step.kind](step, given)
            except ClewError as error:
                errors.append(f"{step.kind}: {error}")
                continue
            if not added:
                errors.append(f"{step.kind} found nothing")
            items = (items + added)[:ITEMS_MAX]
        if step.kind == "format" and "maxTokens" in step.options:
            limit = int(step.number("maxTokens", _SOURCE_TOKENS))
            most = limit if most is None else min(most, limit)
        yield PAUSE
    window_items = [
        structs.replace(each.item, source=pipeline.id)
        for each in items
        if not _is_held(each, given)
    ]
    return Contribution(
        pipeline.id,
        pipeline.section,
        tuple(window_items),
        error="; ".join(errors) or None,
        tokens_max=most,
    )


def _is_held(scored: ScoredItem, given: Given) -> bool:
    """Return whether the window has the note of an item, or the same lines, already."""
    ref = scored.item.ref
    return ref is not None and bool({ref, ref.partition("#")[0]}.intersection(given.held))


# -- steps that find items ------------------------------------------------------------------------


def _search(step: Step, given: Given) -> Slices[list[ScoredItem]]:
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
    items = []
    for row in reply.results:
        if row.confidence >= step.number("minScore", 0.0):
            part = f"{row.uri}#L{row.lines[0]}-L{row.lines[1]}"
            items += yield from _part(part, given, row.confidence)
    return items


def _filters(step: Step) -> Filters:
    return Filters(
        type=step.text("type") or None,
        tags=step.texts("tags"),
        folder=step.text("folder") or None,
        min_importance=step.number("minImportance", 0.0) or None,
    )


def _part(ref: str, given: Given, score: float) -> Slices[list[ScoredItem]]:
    now_s = given.setting.now_s
    resolved = yield from resolve(
        given.snapshot, ref, given.remembered, now_s, left_out=given.left_out
    )
    if resolved.item is None:
        return []
    path = resolved.path
    title = one_line(masked(given.snapshot.title(path))[0]) if path else ref
    return [ScoredItem(structs.replace(resolved.item, priority="medium"), path, title, score)]


def _concept(step: Step, given: Given) -> Slices[list[ScoredItem]]:
    now_s = given.setting.now_s
    items = []
    for each in (yield from insights(given.snapshot, query_of(given.task), now_s)):
        text = insight_block(each, "compact")
        uri = each.entity.partition(" ")[0]
        if step.number("depth", 1) > 1 and not each.is_path:
            request = ConceptRequest(concept_name=uri, depth=int(step.number("depth", 1)))
            reply = yield from concept(given.snapshot, request, now_s, SiblingConfig())
            names = [path.display_path[-1] for path in reply.expanded_paths[:EXPANDED_MAX]]
            if names:
                text += f"; further: {', '.join(one_line(masked(name)[0], 80) for name in names)}"
        items.append(ScoredItem(WindowItem(text, "", uri), None, each.title, each.relevance))
    return items


def _recent(step: Step, given: Given) -> Slices[list[ScoredItem]]:
    request = Recent(since=step.text("since") or None, limit=int(step.number("limit", 10)))
    items: list[ScoredItem] = []
    reply = yield from recent(given.snapshot, request, given.setting.clock)
    for row in reply.notes:
        items += yield from _part(row.uri, given, 0.0)
    return items


def _recall(step: Step, given: Given) -> Slices[list[ScoredItem]]:
    most = int(step.number("limit", 5))
    turns = yield from given.remembered.recall(given.query(step), most)
    last = {item.key for item in given.remembered.turns}
    allowed = [
        item
        for item in turns
        if item.key not in last and not has_left_out(item.ref, given.left_out)
    ]
    return [ScoredItem(item, None, one_line(item.text, TITLE_CHARACTERS_MAX)) for item in allowed]


def _read(step: Step, given: Given) -> Slices[list[ScoredItem]]:
    return (yield from _part(step.text("ref"), given, 1.0))


def _kv(step: Step, given: Given) -> Slices[list[ScoredItem]]:
    return (yield from _part(f"{KV_SCHEME}{step.text('key')}", given, 1.0))


_FINDERS: Mapping[str, Callable[[Step, Given], Slices[list[ScoredItem]]]] = {
    "search": _search,
    "concept": _concept,
    "recent": _recent,
    "recall": _recall,
    "read": _read,
    "kv": _kv,
}


# -- steps that change items ----------------------------------------------------------------------


def _filter(step: Step, items: Sequence[ScoredItem], given: Given) -> list[ScoredItem]:
    """Return the items whose notes pass the filters of the step."""
    try:
        passing = with_fields(given.snapshot.fields, _filters(step))
    except InvalidParams:
        return []
    note_ids = given.snapshot.graph.note_ids
    return [each for each in items if each.path and passing[note_ids[each.path]]]


def _rank(step: Step, items: Sequence[ScoredItem], given: Given) -> list[ScoredItem]:
    by = step.text("by", "score")

    def value(each: ScoredItem) -> float:
        if by == "score" or each.path is None:
            return each.score
        if by == "importance":
            return given.snapshot.facts[each.path].importance
        return given.snapshot.dates(each.path).changed_s

    ranked = sorted(items, key=value, reverse=True)
    return ranked[: int(step.number("limit", ITEMS_MAX))]


def _format(step: Step, items: Sequence[ScoredItem], _: Given) -> list[ScoredItem]:
    if step.text("template", "full") == "full":
        return list(items)
    return [replace(each, item=structs.replace(each.item, text=_line(each))) for each in items]


def _line(scored: ScoredItem) -> str:
    """Return an item as a line: a turn that is in no note has no reference."""
    ref = scored.item.ref
    return f"- {scored.title}" + (f": `{ref}`" if ref else "")


_TRANSFORMS: Mapping[str, Callable[[Step, Sequence[ScoredItem], Given], list[ScoredItem]]] = {
    "filter": _filter,
    "rank": _rank,
    "format": _format,
}
