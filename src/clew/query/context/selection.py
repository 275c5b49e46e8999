"""Which pieces of which passages enter a pack, within an estimate of their tokens.

Estimates add up tokens of parts; a text as a whole may have a few more or less, so ``pack`` counts
it again. A selection remembers the order in which it grew, and shrinks in the reverse order.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from clew.query.context.formulas.shares import GRAPHRAG, KAG, RAG
from clew.query.context.insights import Insight
from clew.query.context.passages import Passage
from clew.query.context.pieces import Piece
from clew.query.context.rendering import Entry, live_first
from clew.query.context.shown.leads import heads_above, with_leads
from clew.query.context.shown.together import (
    ANNOUNCED_TOKENS_MAX,
    all_announced,
    announced,
    best_run,
    code_of,
    is_label,
    list_of,
    numbered_lists,
    only_fills,
    only_points,
    says_nothing_alone,
    with_short,
    without_lone_steps,
)
from clew.values.search_replies import ContextSource

if TYPE_CHECKING:
    from clew.query.code.related import CodeInsight

PASSAGE_SHARE = 3  # a passage takes at most a third of the room by itself, and is cut if longer
MISSES_MAX = 200  # after this many pieces that do not fit, no shorter one is looked for
LIST_PART_SHARE = 2  # the steps of a long list up to one may take half as many tokens
BLOCK_SHARE = 8  # code, or what a line announces, is whole if it takes this part of a list's most
ROOM_MIN = 6  # tokens; nothing fits into less


class Candidate(Struct, frozen=True, eq=False, gc=False):
    """A passage and its pieces, or an insight into concepts or code, as the reranker ordered it."""

    passage: Passage | None
    insight: Insight | None
    pieces: Sequence[Piece]  # none of an insight
    words: Sequence[str]  # of its text, folded
    relevance: float  # 0..1
    tokens: int  # of the whole candidate, without its label
    label_tokens: int
    is_faint: bool = False  # it has too little of what is asked for
    score: float = 0.0  # by the reranker
    code: "CodeInsight | None" = None
    briefer: "Sequence[tuple[CodeInsight, int]]" = ()  # forms with their tokens, longest first

    @property
    def source(self) -> ContextSource:
        """Where it comes from."""
        if self.passage is not None:
            return RAG
        return KAG if self.code is not None else GRAPHRAG


class Grown(NamedTuple):
    """One step of growth: pieces of a candidate, or the whole of an insight."""

    candidate: int
    pieces: tuple[int, ...]
    tokens: int
    form: int | None = None  # of an insight into code: the briefer form that is shown


_Chosen = tuple[tuple[int, tuple[int, ...]], ...]  # candidates of an entry, each with its pieces


@dataclass(slots=True, eq=False)
class Selection:
    """The chosen pieces, by candidate, and the steps in which they were chosen."""

    candidates: Sequence[Candidate]
    is_compact: bool
    list_tokens_max: int = 0  # of a numbered list that is chosen as a whole
    gap_tokens: int = 0  # what is left of a pack that is full enough
    pieces: dict[int, set[int]] = field(default_factory=dict)  # an insight has an empty set
    steps: list[Grown] = field(default_factory=list)
    _briefer: dict[int, int] = field(default_factory=dict)  # by candidate: the form of its code
    _labelled: dict[tuple[str, int], int] = field(default_factory=dict)  # uses of each label
    # Tokens beyond the estimate, by candidate and piece; ``None``: of the first pieces added.
    _unforeseen: dict[tuple[int, int | None], int] = field(default_factory=dict)
    _lists: dict[int, list[range]] = field(default_factory=dict)  # numbered ones, by candidate
    _entries: list[Entry] | None = None  # None: not known since the last step
    _entry_by_pieces: dict[_Chosen, Entry] = field(default_factory=dict)  # of all drafts

    def cost(self, index: int, pieces: Iterable[int]) -> int:
        """Return about how many tokens these pieces of a candidate would add."""
        candidate, pieces = self.candidates[index], tuple(pieces)
        keys = [(index, each) for each in (pieces if index in self.pieces else (None,))]
        unforeseen = sum(self._unforeseen.get(key, 0) for key in keys)
        if candidate.passage is None:
            form = self._briefer.get(index)
            tokens = candidate.tokens if form is None else candidate.briefer[form][1]
            return tokens + unforeseen
        tokens = sum(candidate.pieces[each].tokens for each in pieces) + unforeseen
        return tokens + (0 if self._has_label(candidate) else candidate.label_tokens)

    def add(self, index: int, pieces: Iterable[int], form: int | None = None) -> int:
        """Add pieces of a candidate; return about how many tokens that took.

        ``form``: the briefer form in which an insight into code is shown; ``None``: the whole.
        """
        added = tuple(pieces)
        if form is not None:
            self._briefer[index] = form
        tokens = self.cost(index, added)
        self._entries = None
        self.pieces.setdefault(index, set()).update(added)
        self.steps.append(Grown(index, added, tokens, form))
        for key in self._keys(self.candidates[index]):
            self._labelled[key] = self._labelled.get(key, 0) + 1
        return tokens

    def shrink(self) -> int:
        """Undo the last step; return about how many tokens that frees."""
        self._entries = None
        step = self.steps.pop()
        self.pieces[step.candidate].difference_update(step.pieces)
        if not self.pieces[step.candidate]:
            del self.pieces[step.candidate]
            self._briefer.pop(step.candidate, None)
        for key in self._keys(self.candidates[step.candidate]):
            self._labelled[key] -= 1
        return step.tokens

    def keep_what_fits(
        self, before: int, tokens: int, render: Callable[[], int], most: int
    ) -> None:
        """Keep as many of the steps after the first ``before`` as fit into ``most`` tokens.

        ``tokens``: the count with all of them, which is too many; ``render`` counts the present
        selection. If the first step that does not fit takes more than its estimate, as with a
        long fence, the excess is added to later estimates of its last piece.
        """
        added = self.steps[before:]
        fitting, too_many, with_misfit = 0, len(added), tokens
        while too_many - fitting > 1:
            middle = (fitting + too_many) // 2
            self.replace(before, added[:middle])
            if (tokens := render()) <= most:
                fitting = middle
            else:
                too_many, with_misfit = middle, tokens
        self.replace(before, added[:fitting])
        misfit = added[fitting]
        unforeseen = with_misfit - render() - misfit.tokens
        key = misfit.candidate, misfit.pieces[-1] if misfit.candidate in self.pieces else None
        self._unforeseen[key] = self._unforeseen.get(key, 0) + unforeseen

    def replace(self, before: int, steps: Iterable[Grown]) -> None:
        """Take these steps instead of those after the first ``before``."""
        while len(self.steps) > before:
            self.shrink()
        for step in steps:
            self.add(step.candidate, step.pieces, step.form)

    def _keys(self, candidate: Candidate) -> list[tuple[str, int]]:
        """Return the keys under which the label of a candidate's entry is counted."""
        if candidate.passage is None:
            return []
        path, part = candidate.passage.note.path, candidate.passage.part
        return [(path, 0 if self.is_compact else part)]

    def _has_label(self, candidate: Candidate) -> bool:
        """Return whether an entry that the candidate would join has a label already."""
        if candidate.passage is None:
            return True
        path, part = candidate.passage.note.path, candidate.passage.part
        near = (0,) if self.is_compact else (part - 1, part, part + 1)
        return any(self._labelled.get((path, each), 0) > 0 for each in near)

    # -- growing --------------------------------------------------------------------------------

    def grow_insights(self, room: int, share: float, sources: Sequence[ContextSource]) -> int:
        """Add insights in their order within ``share`` of ``room``; return the tokens taken.

        An insight into code is shown in a briefer form where the whole does not fit, or would leave
        no room for the briefest forms of the insights after it.
        """
        quota, taken = int(share * room), 0
        left = [
            index for index, candidate in enumerate(self.candidates)
            if candidate.source in sources and index not in self.pieces
        ]  # fmt: skip
        kept = sum(_briefest(self.candidates[index]) for index in left)  # for those that follow
        for index in left:
            candidate = self.candidates[index]
            briefest = _briefest(candidate)
            kept -= briefest
            most, form = quota - taken, None
            if candidate.briefer:
                most = max(most - kept, min(most, briefest))
            most -= self._unforeseen.get((index, None), 0)
            if candidate.tokens > most:
                forms = (form for form, (_, size) in enumerate(candidate.briefer) if size <= most)
                if (form := next(forms, None)) is None:
                    continue
            taken += self.add(index, (), form)
        return taken

    def grow_passages(self, room: int) -> int:
        """Add passages in their order, cut if they are long; return the tokens taken."""
        left, most = room, max(room // PASSAGE_SHARE, 1)
        for index, candidate in enumerate(self.candidates):
            if candidate.passage is None or index in self.pieces:
                continue
            if left < ROOM_MIN:
                break
            whole = range(len(candidate.pieces))
            tokens = self.cost(index, whole)
            label = tokens - sum(candidate.pieces[each].tokens for each in whole)
            is_whole = tokens <= min(left, most)
            run = whole if is_whole else sorted(best_run(candidate.pieces, min(left, most) - label))
            run = run if is_whole else without_lone_steps(candidate.pieces, run)
            while run and says_nothing_alone(candidate.pieces, run):
                run = run[:-1]  # nothing below it is shown
            if run and not (left <= self.gap_tokens and only_points(candidate.pieces, run)):
                left -= self.add(index, run)
        return room - left

    def grow_pieces(self, room: int, order: Sequence[tuple[int, int]]) -> int:
        """Add single pieces in this order; return the tokens taken."""
        left, misses = room, 0
        for index, piece in order:
            if left < ROOM_MIN or misses > MISSES_MAX:
                break
            if piece in self.pieces.get(index, ()):
                continue
            way = self._way_to_show(index, piece, left)
            if not way or (left <= self.gap_tokens and self._only_fills(index, piece, way)):
                misses += 1
            else:
                left -= self.add(index, way)
        return room - left

    def _only_fills(self, index: int, place: int, way: Sequence[int]) -> bool:
        """Return whether pieces would only fill the end of a pack, and tell a reader nothing.

        So does an entry without a term of the query that has less text than its label.
        """
        candidate = self.candidates[index]
        if only_fills(candidate.pieces, place, way, self.pieces.get(index, ())):
            return True
        is_short = self._tokens(index, way) < candidate.label_tokens
        has_terms = any(candidate.pieces[each].terms for each in way)
        return is_short and not has_terms and not self._has_label(candidate)

    def _way_to_show(self, index: int, place: int, room: int) -> list[int]:
        """Return the pieces to add so that a piece is understood, as many as fit; else none."""
        candidate, chosen = self.candidates[index], self.pieces.get(index, ())
        assert candidate.passage is not None
        pieces = candidate.pieces
        if (lists := self._lists.get(index)) is None:
            lists = self._lists[index] = numbered_lists(pieces)
        if not lists and self.cost(index, [place]) > room:  # as of most that are tried in the end
            return []
        whole = list_of(pieces, place, lists) if lists else ()
        steps = [each for each in whole if each not in chosen]
        if len(steps) > 1:
            above = [each for each in steps if each <= place]
            limits = (self.list_tokens_max, self.list_tokens_max // LIST_PART_SHARE)
            parts = [
                part
                for part, most in zip((steps, above), limits, strict=True)
                if part and self._tokens(index, part) <= most
            ]
            if parts and room <= ANNOUNCED_TOKENS_MAX:  # a single step does not fill up a pack
                return parts[0] if self.cost(index, parts[0]) <= room else []
            for part in parts:
                if self.cost(index, part) <= room:
                    return part
            if not pieces[place].terms and above:
                place = above[0]  # what is only a step tells nothing without those above it
        heads = heads_above(candidate.passage.note.text, pieces, place)
        wanted = [*(each for each in heads if each not in chosen), place]
        if with_block := self._way_to_block(index, place, wanted, room):
            return with_block
        told = [each for each in announced(pieces, place) if each not in chosen]
        if self.cost(index, [*wanted, *told]) <= room:
            return [*wanted, *told]
        is_enough = told and room > ANNOUNCED_TOKENS_MAX and not is_label(pieces, place)
        is_enough = is_enough and self.cost(index, wanted) <= room
        return wanted if is_enough else []

    def _way_to_block(self, index: int, place: int, wanted: list[int], room: int) -> list[int]:
        """Return the pieces ``wanted`` with all code or items beside them; none if too many."""
        pieces, chosen = self.candidates[index].pieces, self.pieces.get(index, ())
        for block in (all_announced(pieces, place), code_of(pieces, place)):
            left = [each for each in block if each not in chosen and each not in wanted]
            way = sorted([*wanted, *left])
            is_short = self._tokens(index, left) <= self.list_tokens_max // BLOCK_SHARE
            if left and is_short and self.cost(index, way) <= room:
                return way
        return []

    def _tokens(self, index: int, pieces: Iterable[int]) -> int:
        return sum(self.candidates[index].pieces[each].tokens for each in pieces)

    # -- the result -----------------------------------------------------------------------------

    def insights(self) -> list[Insight]:
        """Return the chosen insights in their order."""
        chosen = (self.candidates[index].insight for index in sorted(self.pieces))
        return [insight for insight in chosen if insight is not None]

    @property
    def insight_count(self) -> int:
        """How many insights are chosen, into concepts and code."""
        return sum(self.candidates[index].passage is None for index in self.pieces)

    def code(self) -> "list[CodeInsight]":
        """Return the chosen insights into code in their order."""
        chosen = (self._code(index) for index in sorted(self.pieces))
        return [insight for insight in chosen if insight is not None]

    def _code(self, index: int) -> "CodeInsight | None":
        form = self._briefer.get(index)
        candidate = self.candidates[index]
        return candidate.code if form is None else candidate.briefer[form][0]

    def entries(self) -> list[Entry]:
        """Return the entries: notes by their best one, which stands first, then others in order.

        Neighbours are one entry. Those of live notes stand above those of notes that they replace.
        """
        if self._entries is None:
            self._entries = self._made_entries()
        return self._entries

    def _made_entries(self) -> list[Entry]:
        groups: list[list[int]] = []
        passages = [i for i in self.pieces if self.candidates[i].passage is not None]
        for index in sorted(passages, key=self._place):
            group = [index]
            while groups and self._is_joined(groups[-1], group):
                group = [*groups.pop(), *group]
            groups.append(group)
        best: dict[str, int] = {}  # of each note, by its path
        for group in groups:
            path, _ = self._place(group[0])
            best[path] = min(*group, best.get(path, group[0]))
        groups.sort(key=lambda group: ((top := best[self._place(group[0])[0]]), top not in group))
        return live_first([self._entry(group) for group in groups])

    def _place(self, index: int) -> tuple[str, int]:
        passage = self.candidates[index].passage
        assert passage is not None
        return passage.note.path, passage.part

    def _is_joined(self, group: Sequence[int], later: Sequence[int]) -> bool:
        """Return whether later passages go on with a group, or have lines above in common."""
        (path, part), (later_path, later_part) = self._place(group[-1]), self._place(later[0])
        if path != later_path or self.is_compact or later_part == part + 1:
            return path == later_path
        return self._entry(later).pieces[0].start < self._entry(group).pieces[-1].end

    def _entry(self, group: Sequence[int]) -> Entry:
        """Return the entry of neighbours; drafts share most entries, so each is made once."""
        key = tuple((index, tuple(sorted(self.pieces[index]))) for index in group)
        entry = self._entry_by_pieces.get(key)
        if entry is None:
            entry = self._entry_by_pieces[key] = self._made_entry(group)
        return entry

    def _made_entry(self, group: Sequence[int]) -> Entry:
        best = self.candidates[min(group)]
        assert best.passage is not None
        pieces = [
            piece for i in group for piece in with_short(self.candidates[i].pieces, self.pieces[i])
        ]
        pieces.sort(key=lambda piece: piece.start)
        return Entry(
            note=best.passage.note,
            pieces=tuple(with_leads(best.passage.note, pieces)),
            relevance=max(self.candidates[i].relevance for i in group),
            score=best.score,
        )


def _briefest(candidate: Candidate) -> int:
    """Return the tokens of the briefest form of an insight into code; 0 for others."""
    return candidate.briefer[-1][1] if candidate.briefer else 0
