"""Make the window that fits its budget from the gathered inputs, with the facts for its trace.

It needs no snapshot, so it may run on any thread.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice

from msgspec import structs

from clew.query.assemble.contribution import Contribution
from clew.query.assemble.fitting import (
    HISTORY,
    SUGGESTIONS,
    Losses,
    Reserve,
    Sections,
    below_live,
    fit,
    frame,
    reserve,
    within_caps,
    without_oversized,
    without_repeated,
)
from clew.query.assemble.gathered import SESSION, Gathered
from clew.query.assemble.mentions import WARNING, has_left_out
from clew.query.assemble.procedural import SOURCE as PROCEDURAL
from clew.query.assemble.rendering import rendered_context, rendered_window, section_blocks
from clew.query.assemble.window import CONCEPT, SEARCH, WindowItem, section_order
from clew.query.context.evidence import passage_reference
from clew.query.context.gather import Material
from clew.query.context.insights import Insight
from clew.query.context.pack import Chosen, chosen
from clew.query.context.rendering import Entry, EntryBlocks, Pack
from clew.query.context.shown.concepts import insight_block, without_what_is_shown
from clew.query.context.shown.runs import has_text_between
from clew.query.quoting.note_text import one_line
from clew.query.references.forms import line_fragment
from clew.text.chunks import line_starts
from clew.text.counting import CountTokens, TokenParts
from clew.text.masking.secrets import masked

CONSTRAINTS_SHARE = 0.2  # of the budget, for procedural notes in ``constraints``
# The shares of the budget that are kept free of knowledge for sections below it that have items.
RESERVED_SHARES: Mapping[str, float] = {"suggestions": 0.0, "working_memory": 0.1}
# Of the history, the newest turns, by which an agent goes on, have a share of the whole budget. All
# others have one of what the budget has beyond a size: below it, what knowledge loses to them costs
# answers (docs/quality.md).
NEWEST_TURNS, NEWEST_SHARE = 2, 0.1
HISTORY_FROM, HISTORY_SHARE = 2_000, 0.1
PACKED_MAX = 4  # cached packs of one contribution
KNOWLEDGE_MIN = 100  # tokens; passages are not packed into less
SUGGESTED_MAX = 10
# From this budget on, this share of it is kept free for suggestions.
SUGGESTED_FROM, SUGGESTED_SHARE = 4_000, 0.05
TEMPLATE = "compact"


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A window that fits its budget, with the facts for its trace."""

    text: str
    context_text: str  # the text before the task
    task: str
    tokens: int
    sections: Mapping[str, Sequence[WindowItem]]
    losses: Losses
    item_counts: Mapping[int, int]  # by index of the contribution


def assembled(
    gathered: Gathered, contributions: Sequence[Contribution], parts: TokenParts
) -> Window:
    """Return the window made of all ``contributions``, those of pipelines included."""
    count = parts.count
    request, outcome, losses = gathered.request, gathered.outcome, Losses()
    task = masked(request.task.text)[0]
    sections: Sections = {section: [] for section in section_order(outcome.priorities)}
    counts: Counter[int] = Counter()
    for index, each in enumerate(contributions):
        items = _allowed(each, gathered, request.token_budget, losses, count)
        counts[index] = len(each.items)
        sections[each.section] += items
        if each.error is not None:
            warning = WindowItem(f"{one_line(each.source)}: {one_line(each.error, 300)}", WARNING)
            sections["warnings"].append(warning)
    sections = without_repeated(sections, losses)
    source_caps = _lowest(request.caps, outcome.caps("source"))
    section_caps = outcome.caps("section")

    def cap(section: str) -> None:
        most = section_caps.get(section)
        sections[section] = within_caps(
            section, sections[section], most, source_caps, losses, count
        )

    for section in sections:
        if section != SUGGESTIONS:
            cap(section)
    shown_task, entities = frame(gathered.entities, task, request.token_budget, count)
    room = request.token_budget - count(rendered_window({}, entities, shown_task))
    sections = without_oversized(sections, room, losses, count)
    if losses.warning is not None:
        room -= count(rendered_context({"warnings": [losses.warning]}, ()))
    for index, each in enumerate(contributions):
        if each.material is not None:
            left = _knowledge_room(sections, room, gathered, section_caps, source_caps, count)
            packed = _packed(each, each.material, left, gathered.excluded, parts)
            passages_and_concepts = _knowledge_items(
                packed.entries, packed.insights, gathered.excluded, packed.blocks
            )
            added = within_caps(
                "knowledge", [*chain(*passages_and_concepts)], None, source_caps, losses, count
            )
            sections["knowledge"] += added
            sections[SUGGESTIONS] += _suggested(each.material, packed)
            sections[HISTORY] = _not_shown(sections[HISTORY], packed.entries, losses)
            counts[index] = len(added)
            losses.duplicates += packed.repeated
    sections = without_repeated(sections, losses)
    sections = {section: below_live(items) for section, items in sections.items()}
    cap(SUGGESTIONS)
    sections |= _with_reserved(sections, request.token_budget, count)
    text, shown, shown_task = fit(
        sections, gathered.entities, task, request.token_budget, losses, count
    )
    context_text = rendered_context(shown, entities)
    if not text.startswith(context_text):
        context_text = rendered_context(shown, ())
    return Window(text, context_text, shown_task, count(text), shown, losses, counts)


def _allowed(
    contribution: Contribution,
    gathered: Gathered,
    budget: int,
    losses: Losses,
    count_tokens: CountTokens,
) -> list[WindowItem]:
    """Return the items that no rule excludes, within the token limit of their source."""
    items = [
        item
        for item in contribution.items
        if item.ref is None
        or not {item.ref, item.ref.partition("#")[0]}.intersection(gathered.excluded)
    ]
    # A turn is shown whole or not at all; items of other sources lack the excluded lines.
    items = [
        item
        for item in items
        if item.source != SESSION or not has_left_out(item.ref, gathered.left_out)
    ]
    most = contribution.tokens_max
    if contribution.source == PROCEDURAL:
        most = int(CONSTRAINTS_SHARE * budget)
    if most is None:
        return items
    return within_caps(contribution.section, items, most, {}, losses, count_tokens)


def _knowledge_room(
    sections: Sections,
    room: int,
    gathered: Gathered,
    section_caps: Mapping[str, int],
    source_caps: Mapping[str, int],
    count_tokens: CountTokens,
) -> int:
    """Return how many tokens passages may take beside what other sections need or may claim.

    ``room``: the tokens for all sections.
    """
    budget = gathered.request.token_budget
    names = list(sections)
    above = names[: names.index("knowledge") + 1]
    room -= count_tokens(rendered_context({name: sections[name] for name in above}, ()))
    reserved = 0
    for name in names[len(above) :]:
        if sections[name]:
            reserved += _reserve(name, sections[name], budget, count_tokens).tokens
    if budget >= SUGGESTED_FROM:
        reserved += int(SUGGESTED_SHARE * budget)
    room -= min(reserved, max(0, room) // 2)
    caps = [source_caps[SEARCH]] if SEARCH in source_caps else []
    if "knowledge" in section_caps:
        taken = sum(count_tokens(item.block) for item in sections["knowledge"])
        caps.append(section_caps["knowledge"] - taken)
    return min([room, *caps])


def _with_reserved(sections: Sections, budget: int, count_tokens: CountTokens) -> Sections:
    """Return the sections below knowledge, with the items marked for which it leaves room."""
    marked: Sections = {}
    for name in islice(sections, list(sections).index("knowledge") + 1, None):
        reserved = {id(item) for item in _reserve(name, sections[name], budget, count_tokens).items}
        marked[name] = [
            structs.replace(item, is_reserved=id(item) in reserved) for item in sections[name]
        ]
    return marked


def _reserve(
    section: str, items: Sequence[WindowItem], budget: int, count_tokens: CountTokens
) -> Reserve:
    """Return what is kept free of knowledge for a section below it."""
    if section != HISTORY:
        most = int(RESERVED_SHARES.get(section, 0.1) * budget)
        return reserve(section, items, most, count_tokens)
    of_newest = int(NEWEST_SHARE * budget)
    of_all = int(HISTORY_SHARE * max(0, budget - HISTORY_FROM))
    return max(
        reserve(section, items, of_newest, count_tokens, NEWEST_TURNS),
        reserve(section, items, of_all, count_tokens),
        key=lambda each: each.tokens,
    )


def _not_shown(
    items: Sequence[WindowItem], entries: Sequence[Entry], losses: Losses
) -> list[WindowItem]:
    """Return the items of the history without recalled turns of which the passages show all."""
    text_by_uri = {entry.note.uri: entry.note.text for entry in entries}
    shown_by_uri: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for entry in entries:
        shown_by_uri[entry.note.uri] += [(piece.start, piece.end) for piece in entry.pieces]

    def is_shown(item: WindowItem) -> bool:
        uri, _, fragment = (item.ref or "").partition("#")
        lines = line_fragment(fragment) if uri in text_by_uri else None
        if lines is None:
            return False
        text = text_by_uri[uri]
        below_heading, end = line_starts(text, [lines.first, lines.last])
        return below_heading < end and _shows(text, below_heading, end, shown_by_uri[uri])

    kept = [item for item in items if item.source != SESSION or not is_shown(item)]
    losses.duplicates += len(items) - len(kept)
    return kept


def _shows(text: str, start: int, end: int, shown: Iterable[tuple[int, int]]) -> bool:
    """Return whether the spans ``shown`` have all that ``text[start:end]`` says.

    A passage may have some sentences of a line, so that lines do not tell.
    """
    for first, last in sorted(shown):
        if has_text_between(text, start, min(first, end)):
            return False
        start = max(start, last)
    return not has_text_between(text, start, end)


def _suggested(material: Material, packed: Chosen) -> list[WindowItem]:
    """Return references to the best search results that are not in the window."""
    below = (
        (passage_reference(each), each.note.title)
        for each in material.below
        if not material.held.has_all(each)
    )
    references = chain(((each.ref, each.title) for each in packed.more), below)
    return [
        WindowItem(f"- {one_line(title, 80)}: `{ref}`", SEARCH, ref, "low")
        for ref, title in islice(references, SUGGESTED_MAX)  # none is made that is not shown
    ]


def _lowest(caps: Mapping[str, int], other_caps: Mapping[str, int]) -> dict[str, int]:
    """Return the caps of both mappings; the lower cap where both have the source."""
    return {
        source: min(each[source] for each in (caps, other_caps) if source in each)
        for source in {**caps, **other_caps}
    }


def _knowledge_items(
    entries: Sequence[Entry],
    insights: Sequence[Insight],
    excluded: Sequence[str],
    kept: EntryBlocks,
) -> tuple[list[WindowItem], list[WindowItem]]:
    """Return passages and concepts as the window shows them."""
    passages = [
        WindowItem(kept.block(entry, TEMPLATE), SEARCH, kept.reference(entry)) for entry in entries
    ]
    allowed = [_without_excluded(each, excluded) for each in insights]
    new_insights = without_what_is_shown(allowed, [item.text for item in passages], kept.said)
    concepts = [
        WindowItem(insight_block(each, TEMPLATE), CONCEPT, each.entity.partition(" ")[0])
        for each in new_insights
    ]
    return passages, concepts


def _knowledge_blocks(pack: Pack, kept: EntryBlocks, excluded: Sequence[str]) -> list[str]:
    """Return the section of a window, as blocks."""
    passages, concepts = _knowledge_items(pack.entries, pack.insights, excluded, kept)
    return section_blocks("knowledge", (*passages, *concepts))


def _packed(
    contribution: Contribution,
    material: Material,
    room: int,
    excluded: tuple[str, ...],
    parts: TokenParts,
) -> Chosen:
    """Pack ``material`` into ``room`` tokens; the contribution caches its packs."""
    # If there is too little room, nothing is packed, and the best passages become suggestions.
    room = room if room >= KNOWLEDGE_MIN else 0
    request = structs.replace(material.request, token_budget=room, template=TEMPLATE)
    packs, key = contribution.packed, (room, excluded)
    packed = packs.get(key)
    if packed is None:
        blocks = partial(_knowledge_blocks, excluded=excluded)
        packed = chosen(replace(material, request=request), parts, blocks)
        if len(packs) >= PACKED_MAX:
            packs.clear()
        packs[key] = packed
    return packed


def _without_excluded(insight: Insight, excluded: Sequence[str]) -> Insight:
    """Return an insight without references to notes that a rule excludes."""
    return structs.replace(
        insight,
        uris=tuple(uri for uri in insight.uris if uri not in excluded),
        central_uris=tuple(uri for uri in insight.central_uris if uri not in excluded),
        relations=tuple(each for each in insight.relations if each.uri not in excluded),
    )
