"""Packing: the candidates as Markdown that never has more tokens than the budget.

Candidates are reranked, chosen greedily by estimates, and rendered. The text is then counted as a
whole: what was chosen last is dropped while it has too many tokens, and more is added while it has
few. The greedy choice goes on past what does not fit, so it holds the best single candidate that
does. Runs without the snapshot, so on any thread.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import UNSET, structs

from clew.query.context.candidates import add_count, candidates_of, passage_candidate
from clew.query.context.delivered import delivered_keys, pointers, without_delivered
from clew.query.context.evidence import Row, evidence_rows, more_passages
from clew.query.context.excluded import without_held
from clew.query.context.formulas.duplicates import near_duplicates
from clew.query.context.formulas.piece_order import piece_order
from clew.query.context.formulas.rerank import Pick, Rated, rerank
from clew.query.context.formulas.route import Routed, route_of
from clew.query.context.formulas.shares import GRAPHRAG, KAG, Shares, shares_of
from clew.query.context.gather import Material, words_matched
from clew.query.context.insights import Insight
from clew.query.context.pieces import Piece, pieces_of
from clew.query.context.rendering import Entry, EntryBlocks, Pack, blocks_of, numbers_of
from clew.query.context.selection import Candidate, Selection
from clew.query.context.shown.shortened import shortened
from clew.query.quoting.note_text import one_line
from clew.text.counting import BETWEEN, END, CountTokens, TokenParts
from clew.text.similarity.folded_terms import content_terms
from clew.values.search_replies import ContextMetadata, ContextReply, ExclusionReason, MorePassage

Blocks = Callable[[Pack, EntryBlocks], list[str]]  # as ``blocks_of``; at least one block

ROUNDS_MAX = 8  # of adding more after the text was counted
WHOLE_FROM = 1_500  # tokens of a budget; with fewer, lines are chosen rather than whole passages
FULL = 0.985  # of the budget: nothing more is added then
_QUERY_CHARACTERS = (200, 80, 30, 8, 1)  # tried in turn, so that the head leaves room
GAP_SHARE = 8  # of a budget is not filled up with what tells a reader nothing
LIST_SHARE = 2  # a numbered list is chosen as a whole if it has at most half of the budget
QUERY_TOKENS = 8  # a query of so few is not cut to leave room
_NO_PICK = Pick(index=0, score=0.0, semantic=0.0, balance=0.0, novelty=0.0, redundancy=0.0)
NAMES_WITH_CHARACTERS = 30  # if no more characters of the query are shown, no near names are


def packed(material: Material, count_tokens: CountTokens) -> tuple[ContextReply, frozenset[bytes]]:
    """Return the reply with a pack that has at most ``tokenBudget`` tokens.

    Also return the ``delivered_keys`` of the pieces in it, if a session asks.
    """
    routed = _routed(material)
    packer = _filled(material, routed, TokenParts(count_tokens), blocks_of)
    entries = () if material.request.session_id is None else packer.entries
    return _reply(material, routed, packer), delivered_keys(entries)


class Chosen(NamedTuple):
    """What a pack would show, for a text of another form."""

    entries: Sequence[Entry]
    insights: Sequence[Insight]
    more: Sequence[MorePassage]  # the best of what did not fit
    repeated: int  # candidates that others repeat, or that the caller holds
    blocks: EntryBlocks  # of the entries, and of those of drafts


def chosen(material: Material, parts: TokenParts, blocks: Blocks) -> Chosen:
    """Return what fits into a text of at most ``tokenBudget`` tokens, without code.

    ``blocks`` renders the text.
    """
    material = replace(material, code=())
    routed = _routed(material)
    packer = _filled(material, routed, parts, blocks)
    repeated = sum(row.reason in ("duplicate", "filtered") for row in packer.rows)
    more = more_passages(packer.rows, packer.shown)
    insights = packer.selection.insights()
    return Chosen(packer.entries, insights, more, repeated, packer.entry_blocks)


def _filled(material: Material, routed: Routed, parts: TokenParts, blocks: Blocks) -> "_Packer":
    shares = _shares(material, routed)
    rows = _ranked_rows(material, routed, shares, parts.count)
    packer = _Packer(material, rows, shares, parts, blocks)
    packer.fill()
    return packer


def _reply(material: Material, routed: Routed, packer: "_Packer") -> ContextReply:
    request, shown, entries = material.request, packer.shown, packer.entries
    return ContextReply(
        revision=material.revision,
        context=packer.text,
        # Search may find notes where the caller asks for concepts or code alone.
        answered=material.answered if packer.rows else "no",
        metadata=ContextMetadata(
            total_tokens=packer.tokens,
            token_budget=request.token_budget,
            sections_included=len(entries) + packer.selection.insight_count,
            rag_sections=len(entries),
            kag_sections=len(packer.selection.code()),
            graphrag_sections=len(packer.selection.insights()),
            truncated=packer.dropped > 0 or packer.has_parts,
            dropped_count=packer.dropped,
            delivered_count=len(packer.delivered),
            masked=sum(piece.masked for entry in entries for piece in entry.pieces),
            route=routed.route,
            route_reason=routed.reason,
            unknown_excluded=material.held.unknown,
            period=material.period,
            undated=material.undated or UNSET,
            empty_filter=material.empty_filter,
            cache_hit=False,
            stage_timings={},
        ),
        more=more_passages(packer.rows, shown),
        degraded=material.degraded,
        fuzzy_correction=material.correction,
        suggestions=material.suggestions,
        evidence=(
            evidence_rows(
                (*packer.rows, *_rows_below(material)), shown, packer.cut_tokens, material.asked
            )
            if request.include_evidence
            else UNSET
        ),
    )


def _routed(material: Material) -> Routed:
    request = material.request
    return route_of(
        request.query,
        has_code=request.include_code_graph,
        has_graph=request.include_graph_rag,
        known=words_matched(material.code),
    )


def _shares(material: Material, routed: Routed) -> Shares:
    request = material.request
    return shares_of(
        routed.route,
        has_code=request.include_code_graph,
        has_graph=request.include_graph_rag,
        has_memories=request.include_memories,
    )


def _ranked_rows(
    material: Material, routed: Routed, shares: Shares, count_tokens: CountTokens
) -> list[Row]:
    """Return a row for each candidate: those that may be packed in the order of the reranker."""
    candidates = candidates_of(material, count_tokens)
    kept: list[int] = []
    reasons: dict[int, ExclusionReason] = {}
    for index, candidate in enumerate(candidates):
        left = without_held(candidate, material.held)
        new = without_delivered(left, material.delivered)
        if candidate.passage is not None and not left.pieces:
            reasons[index] = "filtered"
        elif candidate.passage is not None and not new.pieces:
            reasons[index] = "delivered"
        elif candidate.is_faint:
            reasons[index] = "below_threshold"
        else:
            candidates[index] = new
            kept.append(index)
    # A near-duplicate of a passage that the session has is left out too.
    passages = [index for index, reason in reasons.items() if reason == "delivered"]
    passages += [index for index in kept if candidates[index].passage is not None]
    twins = near_duplicates([candidates[index].words for index in passages])
    for index in twins:
        reasons.setdefault(passages[index], "duplicate")
    kept = [index for index in kept if index not in reasons]
    rated = [_rated(candidates[index]) for index in kept]
    picks = rerank(rated, shares, routed.route)
    rows = [
        Row(structs.replace(candidates[kept[pick.index]], score=pick.score), pick, None)
        for pick in picks
    ]
    return rows + [
        Row(candidates[index], _NO_PICK, reason) for index, reason in sorted(reasons.items())
    ]


def _rows_below(material: Material) -> list[Row]:
    """Return rows for the passages that search found but did not admit."""
    highest = max((each.relevance for each in (*material.passages, *material.below)), default=1.0)
    template, rows = material.request.template, []
    for passage in material.below:
        pieces, relevance = pieces_of(passage, material.terms), passage.relevance / (highest or 1.0)
        candidate = passage_candidate(passage, pieces, relevance, template)
        rows.append(Row(candidate, _NO_PICK, "below_threshold"))
    return rows


def _rated(candidate: Candidate) -> Rated:
    return Rated(
        candidate.source, candidate.relevance, content_terms(candidate.words), candidate.tokens
    )


class _Packer:
    """The text of a pack, grown until it is full and shrunk until it fits."""

    def __init__(
        self,
        material: Material,
        rows: Sequence[Row],
        shares: Shares,
        parts: TokenParts,
        blocks: Blocks,
    ) -> None:
        self.rows, self._blocks_of = rows, blocks
        self._candidates = [row.candidate for row in rows if row.reason is None]
        self.delivered = [row.candidate for row in rows if row.reason == "delivered"]
        self._material, self._shares, self._parts = material, shares, parts
        self.budget = material.request.token_budget
        self._pointers = pointers(self.delivered, self.budget, parts.count)
        self._order = piece_order(self._candidates)
        self._best = self._order[:1]
        is_compact = material.request.template == "compact"
        most, gap = self.budget // LIST_SHARE, self.budget // GAP_SHARE
        self.selection = Selection(self._candidates, is_compact, most, gap)
        self._shortened: Entry | None = None
        self._counted: set[int] = set()  # candidates with counts that ``parts`` has
        self._query_characters = _QUERY_CHARACTERS[0]
        self._blocks: list[str] = []
        self.entry_blocks = EntryBlocks()
        self.tokens = 0

    @property
    def text(self) -> str:
        """The text as it was rendered last."""
        return BETWEEN.join(self._blocks) + END

    @property
    def dropped(self) -> int:
        """How many candidates did not fit."""
        return len(self._candidates) - len(self.selection.pieces) - (self._shortened is not None)

    @property
    def entries(self) -> list[Entry]:
        """The entries of the pack."""
        return [self._shortened] if self._shortened else self.selection.entries()

    @property
    def shown(self) -> Mapping[int, set[int]]:
        """The pieces in the pack, by index of the candidate."""
        if self._shortened is None:
            return self.selection.pieces
        index, place = self._best[0]
        return {index: {place}}

    @property
    def cut_tokens(self) -> Mapping[int, int]:
        """The tokens of a piece that is in the pack in part, by index of the candidate."""
        if self._shortened is None:
            return {}
        return {self._best[0][0]: self._parts.count(self._shortened.pieces[0].text)}

    @property
    def has_parts(self) -> bool:
        """Whether a passage is in the pack only in part."""
        return self._shortened is not None or any(
            len(pieces) < len(self._candidates[index].pieces)
            for index, pieces in self.selection.pieces.items()
        )

    def fill(self) -> None:
        """Make the text."""
        self._shorten_query()
        room = self.budget - self.tokens
        taken = 0
        for source in (KAG, GRAPHRAG):
            taken += self.selection.grow_insights(room, self._shares[source], (source,))
        if not self.selection.is_compact and self.budget >= WHOLE_FROM:
            taken += self.selection.grow_passages(room - taken)
        taken += self.selection.grow_pieces(room - taken, self._order)
        self.selection.grow_insights(room - taken, 1.0, (KAG, GRAPHRAG))
        self._drop_until_it_fits()
        self._fill_up()
        if self._best and not self._has_best and not self.selection.code():
            self._begin_with_best()
        if self._candidates and not self.selection.pieces:
            self._show_a_part()

    def _fill_up(self) -> None:
        for _ in range(ROUNDS_MAX):
            if self.tokens >= FULL * self.budget or not self._add_more():
                return

    @property
    def _has_best(self) -> bool:
        return all(place in self.selection.pieces.get(index, ()) for index, place in self._best)

    def _shorten_query(self) -> None:
        """Show as much of the query as leaves most of the budget to the rest."""
        for self._query_characters in _QUERY_CHARACTERS:
            self._render()
            query = one_line(self._material.request.query, self._query_characters)
            room = self.budget // (2 if self._pointers else 3)
            if self.tokens <= room or self._parts.count(query) <= QUERY_TOKENS:
                return

    def _render(self) -> int:
        """Make the text of what is selected; return its tokens."""
        for index in self.selection.pieces.keys() - self._counted:
            add_count(self._parts, self._candidates[index])
        self._counted |= self.selection.pieces.keys()
        if self._shortened:  # its parts begin where the whole piece does
            self.entry_blocks = EntryBlocks()
        self._blocks = self._blocks_of(self._pack(), self.entry_blocks)
        self.tokens = self._parts.count_joined(self._blocks)
        return self.tokens

    @property
    def _has_room_for_names(self) -> bool:
        """Whether near names can be shown: not if the query is cut to few characters."""
        return self._query_characters > NAMES_WITH_CHARACTERS

    def _pack(self) -> Pack:
        request = self._material.request
        chosen = self.selection.insights()
        pack = Pack(
            query=request.query,
            template=request.template,
            entries=self.entries,
            insights=chosen,
            code=self.selection.code(),
            dropped=self.dropped,
            has_candidates=bool(self.rows),
            numbers="",
            query_characters=self._query_characters,
            is_weak=self._material.answered == "weak",
            period=self._material.period,
            undated=self._material.undated,
            delivered=self._pointers,
            suggestions=self._material.suggestions if self._has_room_for_names else (),
        )
        return (
            replace(pack, numbers=numbers_of(pack, self.budget)) if request.embed_metadata else pack
        )

    def _drop_until_it_fits(self) -> None:
        self._render()
        while self.tokens > self.budget and self.selection.steps:
            over = self.tokens - self.budget
            while over > 0 and self.selection.steps:
                over -= self.selection.shrink()
            self._render()

    def _add_more(self) -> bool:
        """Add what fits into the tokens that are left; return whether there was anything to try."""
        before, room = len(self.selection.steps), self.budget - self.tokens
        room -= self.selection.grow_pieces(room, self._order)
        self.selection.grow_insights(room, 1.0, (KAG, GRAPHRAG))
        if len(self.selection.steps) == before:
            return False
        if self._render() > self.budget:
            self.selection.keep_what_fits(before, self.tokens, self._render, self.budget)
        return True

    def _begin_with_best(self) -> None:
        """Select the best piece alone, and more beside it, if it fits; else leave all as it is.

        Estimates may have left it out for others that say less.
        """
        steps = [*self.selection.steps]
        self.selection.replace(0, ())
        self.selection.grow_pieces(self.budget, self._best)
        if self.selection.steps and self._render() <= self.budget:
            self._fill_up()
            return
        self.selection.replace(0, steps)
        if not any(piece.terms for entry in self.entries for piece in entry.pieces):
            self.selection.replace(0, ())
        self._render()

    def _show_a_part(self) -> None:
        """Show a part of the best piece, which is longer than the budget."""
        if not self._best:
            return
        index, place = self._best[0]
        candidate = self._candidates[index]
        assert candidate.passage is not None
        note = candidate.passage.note

        def fits(part: Piece) -> bool:
            self._shortened = Entry(note, (part,), candidate.relevance, candidate.score)
            return self._render() <= self.budget

        part = shortened(candidate.pieces[place], self._material.terms, fits)
        if part is None or not fits(part):
            self._shortened = None
            self._render()
