"""Insights of the concept graph as a pack shows them: concepts, and paths between them.

What the passages of the pack say already is left out: relations between two names that stand
together in a passage, and references to notes that the pack shows.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from msgspec.structs import replace

from clew.query.context.insights import Insight, Relation
from clew.query.quoting.note_text import at_line_start


class _Said(NamedTuple):
    """What a passage says of an insight."""

    names: AbstractSet[str]  # of its relations
    uris: AbstractSet[str]  # of its notes


_Key = tuple[str, str]  # the passage, and the concept of the insight
SaidByPassage = dict[_Key, _Said]  # drafts of a pack share most passages


def without_what_is_shown(
    insights: Sequence[Insight], passages: Sequence[str], known: SaidByPassage
) -> list[Insight]:
    """Return the insights without what ``passages``, as the pack shows them, say already.

    ``known`` keeps what each passage says of each insight.
    """
    return [each if each.is_path else _reduced(each, passages, known) for each in insights]


def _reduced(insight: Insight, passages: Sequence[str], known: SaidByPassage) -> Insight:
    names, uris = set[str](), set[str]()
    for passage in passages:
        key = passage, insight.entity
        said = known.get(key)
        if said is None:
            said = known[key] = _said(insight, passage.casefold())
        names |= said.names
        uris |= said.uris
    return replace(
        insight,
        relations=tuple([each for each in insight.relations if each.name not in names]),
        uris=tuple([each for each in insight.uris if each not in uris]),
    )


def _said(insight: Insight, folded: str) -> _Said:
    """Return what a passage, folded, says of an insight."""
    names = set[str]()
    if _has_name(folded, insight.title.casefold()):
        related = (each.name for each in insight.relations)
        names.update(name for name in related if _has_name(folded, name.casefold()))
    return _Said(names, {uri for uri in insight.uris if f"{uri.casefold()}#l" in folded})


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
