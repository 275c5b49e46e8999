"""Evidence rows: every candidate with its scores, and why it is in the pack or not."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct

from clew.query.context.formulas.rerank import Pick
from clew.query.context.insights import Insight
from clew.query.context.passages import Passage
from clew.query.context.selection import Candidate
from clew.query.context.shown.references import span_reference
from clew.values.replies import rounded
from clew.values.search_replies import (
    CodeEvidence,
    Evidence,
    ExclusionReason,
    GraphEvidence,
    MemoryEvidence,
    MorePassage,
    RerankerBreakdown,
)

if TYPE_CHECKING:
    from clew.query.code.related import CodeInsight

MORE_MAX = 10
TERMS_MAX = 20  # words of the query in one row
_REASONS: Mapping[str | None, str] = {
    None: "fits the budget",
    "token_budget": "does not fit into the budget",
    "duplicate": "another passage has nearly the same words",
    "delivered": "this session has it already",
    "filtered": "the caller holds it already",
    "below_threshold": "too little evidence that it answers the query",
}


class Row(Struct, frozen=True, eq=False, gc=False):
    """A candidate with its scores, and why it cannot enter the pack, if so."""

    candidate: Candidate
    pick: Pick
    reason: ExclusionReason | None


def evidence_rows(
    rows: Sequence[Row],
    shown: Mapping[int, AbstractSet[int]],
    cut_tokens: Mapping[int, int],
    words: Sequence[str],
) -> tuple[Evidence, ...]:
    """Return a row for each candidate, in their order.

    ``shown`` has the pieces in the pack by index of the candidate, and ``cut_tokens`` the tokens of
    what is shown of a single one that was cut; ``words`` are those of the query, by term.
    """
    return tuple(
        _evidence(index + 1, row, shown.get(index), cut_tokens.get(index), words)
        for index, row in enumerate(rows)
    )


def more_passages(
    rows: Sequence[Row], shown: Mapping[int, AbstractSet[int]]
) -> tuple[MorePassage, ...]:
    """Return the best passages that did not fit, whole."""
    left = (
        (row.candidate.passage, row.candidate.tokens)
        for index, row in enumerate(rows)
        if row.reason is None and index not in shown
    )
    found = (
        MorePassage(ref=passage_reference(passage), title=passage.note.title, tokens=tokens)
        for passage, tokens in left
        if passage is not None
    )
    return tuple(islice(found, MORE_MAX))  # no other reference is made, as each hashes its lines


def passage_reference(passage: Passage) -> str:
    """Return the reference of the whole passage."""
    note, lines = passage.note, (passage.first_line, passage.last_line)
    return span_reference(note.uri, note.text, passage.start, passage.end, lines)


def _evidence(
    rank: int,
    row: Row,
    pieces: AbstractSet[int] | None,
    cut_tokens: int | None,
    words: Sequence[str],
) -> Evidence:
    candidate, pick = row.candidate, row.pick
    reason: ExclusionReason | None = row.reason
    if pieces is None and reason is None:
        reason = "token_budget"
    held = frozenset[int]().union(*(piece.terms for piece in candidate.pieces))
    passage, insight, code = candidate.passage, candidate.insight, candidate.code
    tokens = candidate.tokens
    if cut_tokens is not None:
        tokens = cut_tokens
    elif pieces:
        tokens = sum(candidate.pieces[each].tokens for each in pieces)
    is_part = pieces is not None and len(pieces) < len(candidate.pieces)
    told = "the lines with evidence fit the budget" if is_part else _REASONS[reason]
    reference = passage_reference(passage) if passage else ""  # which hashes its lines
    return Evidence(
        id=reference or _id_of_insight(candidate),
        title=_title(candidate),
        source=candidate.source,
        rank=rank,
        relevance=rounded(candidate.relevance),
        reranker_score=rounded(pick.score),
        reranker_breakdown=RerankerBreakdown(
            semantic=rounded(pick.semantic),
            source_balance=rounded(pick.balance),
            novelty=rounded(pick.novelty),
            redundancy_penalty=rounded(pick.redundancy),
        ),
        tokens=tokens,
        included=reason is None,
        exclusion_reason=reason,
        reason="its beginning fits the budget" if cut_tokens is not None else told,
        query_terms=tuple(words[index] for index in sorted(held))[:TERMS_MAX],
        memory=_memory(passage, reference) if passage else UNSET,
        code=_code(code) if code else UNSET,
        graph=_graph(insight) if insight else UNSET,
    )


def _id_of_insight(candidate: Candidate) -> str:
    if candidate.code is not None:
        return candidate.code.symbol_id
    return candidate.insight.entity if candidate.insight else ""


def _title(candidate: Candidate) -> str:
    if candidate.passage is not None:
        return candidate.passage.note.title
    if candidate.code is not None:
        return candidate.code.name
    return candidate.insight.title if candidate.insight else ""


def _code(insight: "CodeInsight") -> CodeEvidence:
    return CodeEvidence(
        node_id=insight.symbol_id,
        node_type=insight.kind,
        file_path=insight.file,
        matched_entity=insight.matched,
        callers=tuple(end.name for end in (*insight.callers, *insight.member_callers)),
        calls=tuple(end.name for end in insight.calls),
        implementations=tuple(end.name for end in insight.implementations),
    )


def _memory(passage: Passage, reference: str) -> MemoryEvidence:
    note = passage.note
    return MemoryEvidence(
        id=reference,
        uri=note.uri,
        lines=(passage.first_line, passage.last_line),
        type=note.type,
        tags=note.tags,
        importance=note.importance,
        related_files=note.related_files,
    )


def _graph(insight: Insight) -> GraphEvidence:
    uris = insight.uris or tuple(dict.fromkeys(each.uri for each in insight.relations))
    return GraphEvidence(
        entity_id=insight.entity,
        entity_type=insight.entity_type,
        mention_count=insight.mention_count,
        relationship_count=insight.relation_count,
        community_ids=insight.community_ids,
        source_memory_ids=uris,
    )
