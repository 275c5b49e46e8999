"""Fit the items of a window: remove duplicates, and keep to the caps and to the budget.

Over the budget, suggestions of search are dropped first. Then whole items are dropped, from the
last section up, and in a section by lowest priority and then from its end. Items below knowledge
for which it left room go after the others there. An item of which a part fits is cut instead, at
the end of a paragraph.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from clew.query.assemble.cutting import cut_at_boundary, cut_at_words
from clew.query.assemble.rendering import rendered_context, rendered_window
from clew.query.assemble.window import SEARCH, WindowItem
from clew.query.references.forms import line_fragment
from clew.text.counting import CountTokens
from clew.values.windows.priorities import PRIORITIES

Sections = dict[str, list[WindowItem]]

CUT_TOKENS_MIN = 24  # that must be left of an item that is cut
TASK_SHARE = 2 / 3  # of the budget that the task may take
ENTITIES_SHARE = 0.1  # of the budget
KNOWLEDGE, HISTORY, SUGGESTIONS = "knowledge", "history", "suggestions"
MORE = "more"  # why a suggestion of search is dropped; no warning counts these
SLACK_TOKENS = 4  # counts of parts do not add up exactly


@dataclass(slots=True)
class Losses:
    """How many items were left out, by section and reason."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    duplicates: int = 0
    has_warning: bool = True  # False if there is no room even for the warning

    @property
    def warning(self) -> WindowItem | None:
        """The item that says how many items of each section did not fit; ``None`` if all did."""
        names = [
            f"{count} of {section}" + (" in part" if reason == "cut" else "")
            for (section, reason), count in sorted(self.counts.items())
            if count > 0 and section != "warnings" and reason != MORE
        ]
        if not names or not self.has_warning:
            return None
        return WindowItem(f"Did not fit: {', '.join(names)}.", "budget", None, "high")


def without_repeated(sections: Sections, losses: Losses) -> Sections:
    """Return the sections without items whose text an earlier item has, by section and priority.

    In ``knowledge``, an item is also left out if another item has all of its lines. Of two equal
    items in one section, one of which is spare, the item that is kept is not.
    """
    seen: set[bytes] = set()
    kept: Sections = {}
    for section, items in sections.items():
        kept[section] = []
        ordered = by_priority(items)
        repeated = _within_others(ordered) if section == KNOWLEDGE else frozenset[int]()
        keys = [item.key for item in ordered]
        needed = {key for key, item in zip(keys, ordered, strict=True) if not item.is_spare}
        for index, (key, item) in enumerate(zip(keys, ordered, strict=True)):
            if key in seen or index in repeated:
                losses.duplicates += 1
            else:
                seen.add(key)
                is_spare = item.is_spare and key not in needed
                kept[section].append(replace(item, is_spare=is_spare))
    return kept


def _within_others(items: Sequence[WindowItem]) -> frozenset[int]:
    """Return the indexes of items whose lines another item has too; of equal items, the later.

    Passages are made without the lines that other items have, so they are not compared.
    """
    spans: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for index, item in enumerate(items):
        uri, _, fragment = (item.ref or "").partition("#")
        lines = line_fragment(fragment) if fragment and item.source != SEARCH else None
        if lines is not None:
            spans[uri].append((lines.first, -lines.last, index))
    repeated: set[int] = set()
    for of_note in spans.values():
        end = 0  # last line of the items that begin earlier
        for _, minus_last, index in sorted(of_note):
            if -minus_last <= end:
                repeated.add(index)
            end = max(end, -minus_last)
    return frozenset(repeated)


def by_priority(items: Sequence[WindowItem]) -> list[WindowItem]:
    """Return items sorted by priority; items of one priority keep their order."""
    return sorted(items, key=lambda item: PRIORITIES.index(item.priority))


def below_live(items: Sequence[WindowItem]) -> list[WindowItem]:
    """Return items with those of superseded notes right below those of their live notes."""
    last = {(item.ref or "").partition("#")[0]: at for at, item in enumerate(items)}

    def place(at: int) -> float:
        return max([at, *(last[uri] + 0.5 for uri in items[at].live if uri in last)])

    return [items[at] for at in sorted(range(len(items)), key=place)]


def within_caps(
    section: str,
    items: Sequence[WindowItem],
    section_cap: int | None,
    left_by_source: dict[str, int],
    losses: Losses,
    count_tokens: CountTokens,
) -> list[WindowItem]:
    """Return the items of a section that fit its cap and the caps of their sources.

    Superseded notes get what the notes that replace them leave. ``left_by_source``: the tokens left
    of each source's cap; reduced by what is kept.
    """
    left = section_cap
    kept = []
    for item in below_live(items):
        rooms = [each for each in (left, left_by_source.get(item.source)) if each is not None]
        shown: WindowItem | None = item
        tokens = count_tokens(item.block) if rooms else 0
        if rooms and tokens > min(rooms):
            is_more = is_suggested(section, item)
            shown = None if is_more else _cut(item, min(rooms), count_tokens)
            reason = MORE if is_more else "cap" if shown is None else "cut"
            losses.counts[section, reason] += 1
            tokens = count_tokens(shown.block) if shown else 0
        if shown is None:
            continue
        kept.append(shown)
        if left is not None:
            left -= tokens
        if item.source in left_by_source:
            left_by_source[item.source] -= tokens
    return kept


def without_oversized(
    sections: Sections, room: int, losses: Losses, count_tokens: CountTokens
) -> Sections:
    """Return the sections without items of over ``room`` tokens, which are cut where possible."""
    kept: Sections = {}
    for section, items in sections.items():
        kept[section] = []
        for item in items:
            shown: WindowItem | None = item
            if count_tokens(item.block) > room:
                shown = _cut(item, room, count_tokens)
                losses.counts[section, "budget" if shown is None else "cut"] += 1
            if shown is not None:
                kept[section].append(shown)
    return kept


class Reserve(NamedTuple):
    """Items of a section for which room is kept, and that room."""

    items: Sequence[WindowItem]
    tokens: int


def reserve(
    section: str,
    items: Sequence[WindowItem],
    tokens_max: int,
    count_tokens: CountTokens,
    items_max: int | None = None,
) -> Reserve:
    """Return which of the ``items_max`` items kept longest fit into ``tokens_max`` tokens.

    These are whole items, and the next one if it can be cut, which takes all of the tokens. The
    warning that tells how many did not fit is counted too. An item that is too long alone, and
    cannot be cut, is left out.
    """
    kept_first = sorted(items, key=lambda item: (PRIORITIES.index(item.priority), item.is_spare))
    kept_first = [
        item
        for item in kept_first
        if count_tokens(item.block) <= tokens_max
        or _cut(item, tokens_max - SLACK_TOKENS, count_tokens) is not None
    ][:items_max]
    if not kept_first:
        return Reserve((), 0)

    def tokens_of(count: int) -> int:
        warning = Losses(Counter({(section, "budget"): len(items) - count})).warning
        warnings = [] if warning is None else [warning]
        return count_tokens(
            rendered_context({"warnings": warnings, section: kept_first[:count]}, ())
        )

    if (of_all := tokens_of(len(kept_first))) <= tokens_max:
        return Reserve(kept_first, of_all)
    # Bisection works: a further item takes more tokens than a lower number in the warning saves.
    count = bisect_right(range(1, len(kept_first)), tokens_max, key=tokens_of)
    taken = tokens_of(count) if count else 0
    cut = _cut(kept_first[count], tokens_max - taken - SLACK_TOKENS, count_tokens)
    if cut is None:
        return Reserve(kept_first[:count], taken)
    return Reserve(kept_first[: count + 1], tokens_max)


def fit(
    sections: Sections,
    entities: Sequence[str],
    task: str,
    budget: int,
    losses: Losses,
    count_tokens: CountTokens,
) -> tuple[str, Mapping[str, Sequence[WindowItem]], str]:
    """Return the text of at most ``budget`` tokens, its sections, and the task as shown in it."""
    shown_task, shown_entities = frame(entities, task, budget, count_tokens)
    while True:
        shown = _with_warning(sections, losses)
        text = rendered_window(shown, shown_entities, shown_task)
        over = count_tokens(text) - budget
        if over <= 0:
            return text, shown, shown_task
        if not _drop(sections, over, losses, count_tokens):
            assert losses.has_warning or shown_entities, "the task alone fits"
            losses.has_warning, shown_entities = False, []


def frame(
    entities: Sequence[str], task: str, budget: int, count_tokens: CountTokens
) -> tuple[str, list[str]]:
    """Return the task and the entities, cut to their shares of the budget."""
    head = count_tokens(rendered_window({}, (), ""))
    room = max(1, int(TASK_SHARE * budget) - head)
    shown_task = cut_at_words(task.strip(), room, count_tokens)
    shown: list[str] = []
    left = ENTITIES_SHARE * budget
    for line in entities:
        left -= count_tokens(f"{line}\n")
        if left < 0:
            break
        shown.append(line)
    return shown_task, shown


def _with_warning(sections: Sections, losses: Losses) -> dict[str, list[WindowItem]]:
    warning = losses.warning
    if warning is None:
        return dict(sections)
    return {
        section: [warning, *items] if section == "warnings" else items
        for section, items in sections.items()
    }


def is_suggested(section: str, item: WindowItem) -> bool:
    """Return whether an item is a suggestion of search."""
    return section == SUGGESTIONS and item.source == SEARCH


def _drop_suggested(
    sections: Sections, over: int, losses: Losses, count_tokens: CountTokens
) -> bool:
    """Drop suggestions of search, the last first, until about ``over`` tokens are saved."""
    items = sections.get(SUGGESTIONS, [])
    last_first = [item for item in reversed(items) if is_suggested(SUGGESTIONS, item)]
    dropped: list[WindowItem] = []
    for item in last_first:
        if over <= 0:
            break
        dropped.append(item)
        over -= count_tokens(f"{item.block}\n")
    losses.counts[SUGGESTIONS, MORE] += len(dropped)
    if dropped:
        sections[SUGGESTIONS] = [item for item in items if item not in dropped]
    return bool(dropped)


def _drop(sections: Sections, over: int, losses: Losses, count_tokens: CountTokens) -> bool:
    """Drop or cut items until about ``over`` tokens are saved; return whether any were saved."""
    if _drop_suggested(sections, over, losses, count_tokens):
        return True
    names = list(sections)
    below = names[names.index(KNOWLEDGE) + 1 :] if KNOWLEDGE in sections else []
    return any(
        _drop_from(section, sections, over, losses, count_tokens, spares_reserved=spares_reserved)
        for spares_reserved, some in ((True, below), (False, names))
        for section in reversed(some)
    )


def _drop_from(
    section: str,
    sections: Sections,
    over: int,
    losses: Losses,
    count_tokens: CountTokens,
    *,
    spares_reserved: bool,
) -> bool:
    """Drop or cut items of one section as ``_drop`` does; return whether any tokens were saved.

    With ``spares_reserved``, items that have room of their own stay.
    """
    items = sections[section]
    kept: list[WindowItem | None] = [*items]
    freed, dropped = 0, {}
    for at in _drop_order(items):
        item = items[at]
        if spares_reserved and item.is_reserved:
            continue
        tokens = count_tokens(f"{item.block}\n\n")
        if item.is_cut:
            losses.counts[section, "cut"] -= 1
        kept[at] = _cut(item, tokens - (over - freed) - SLACK_TOKENS, count_tokens)
        losses.counts[section, "budget" if kept[at] is None else "cut"] += 1
        freed += tokens
        if kept[at] is None and not item.is_cut:
            dropped[at] = tokens
        if freed >= over or kept[at] is not None:
            break
    for at, tokens in dropped.items():
        if freed - tokens >= over:  # the other dropped items free enough
            kept[at] = items[at]
            freed -= tokens
            losses.counts[section, "budget"] -= 1
    if freed:
        sections[section] = [item for item in kept if item is not None]
        return True
    return False


def _drop_order(items: Sequence[WindowItem]) -> list[int]:
    """Return the indexes of items in the order in which they are dropped.

    They go by lowest priority, then spare items before others, then from the end.
    """
    return sorted(
        range(len(items)),
        key=lambda at: (PRIORITIES.index(items[at].priority), items[at].is_spare, at),
        reverse=True,
    )


def _cut(item: WindowItem, tokens_max: int, count_tokens: CountTokens) -> WindowItem | None:
    """Return an item cut to ``tokens_max`` with its reference; ``None`` if too little is left."""
    room = tokens_max - (count_tokens(item.block) - count_tokens(item.text))
    if room < CUT_TOKENS_MIN:
        return None
    text = cut_at_boundary(item.text, room, count_tokens)
    if text is None or count_tokens(text) < CUT_TOKENS_MIN:
        return None
    return replace(item, text=text, is_cut=True)
