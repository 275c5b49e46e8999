"""Insights of the concept graph as a pack shows them: concepts, and paths between them.

What the passages of the pack say already is left out: relations between two names that stand
together in a passage, and references to notes that the pack shows.
"""

from collections.abc import Sequence
from dataclasses import replace

from clew.query.context.insights import Insight, Relation
from clew.query.quoting.note_text import at_line_start


def without_what_is_shown(insights: Sequence[Insight], passages: Sequence[str]) -> list[Insight]:
    """Return the insights without what ``passages``, as the pack shows them, say already."""
    folded = [passage.casefold() for passage in passages]
    whole = "\n".join(folded)
    return [each if each.is_path else _reduced(each, folded, whole) for each in insights]


def _reduced(insight: Insight, passages: Sequence[str], whole: str) -> Insight:
    """Return an insight without what passages say; ``whole``: all of them, one below the other."""
    title = insight.title.casefold()
    beside = "\n".join([passage for passage in passages if _has_name(passage, title)])
    relations = (
        relation
        for relation in insight.relations
        if not _has_name(beside, relation.name.casefold())
    )
    uris = (uri for uri in insight.uris if f"{uri.casefold()}#l" not in whole)
    return replace(insight, relations=tuple(relations), uris=tuple(uris))


def _has_name(folded: str, name: str) -> bool:
    """Return whether a folded text has a folded name that is no part of a longer word."""
    at = folded.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_is_in_word(folded[at - 1 : at]) or _is_in_word(folded[end : end + 1])):
            return True
        at = folded.find(name, at + 1)
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def insight_block(insight: Insight, template: str) -> str:
    """Return what a pack shows of a concept or of a path."""
    is_short = template == "compact"
    if insight.is_path:
        return f"- {_path_text(insight, is_short=is_short)}"
    if is_short:
        relations = "; ".join(f"{each.name} ({each.count})" for each in insight.relations)
        counted = relations or f"in {_notes(insight.mention_count)}"
        return f"- {at_line_start(insight.title)}: {counted}"
    is_detailed = template == "detailed"
    lines = [f"### {insight.title}", f"`{insight.entity}`, in {_notes(insight.mention_count)}"]
    if insight.relations:
        shown = (_relation_text(each, is_detailed=is_detailed) for each in insight.relations)
        lines.append(f"- Related: {'; '.join(shown)}")
    if insight.community:
        lines.append(f"- Community: {_community_text(insight)}")
    if insight.uris:
        lines.append(f"- Notes: {', '.join(insight.uris)}")
    return "\n".join(lines)


def _notes(count: int) -> str:
    return "1 note" if count == 1 else f"{count} notes"


def _relation_text(relation: Relation, *, is_detailed: bool) -> str:
    uri = f", {relation.uri}" if is_detailed else ""
    return f"{relation.name} ({_notes(relation.count)}{uri})"


def _community_text(insight: Insight) -> str:
    uris = f" ({', '.join(insight.central_uris)})" if insight.central_uris else ""
    return f"{', '.join(insight.community)}{uris}"


def _path_text(insight: Insight, *, is_short: bool) -> str:
    steps = (
        f"→ {step.name}" if is_short else f"→ {step.name} ({step.uri})"
        for step in insight.relations
    )
    return " ".join((at_line_start(insight.title), *steps))
