"""The candidates of a pack: passages with their pieces, and insights into concepts and code."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from clew.query.context.formulas.coverage import covering_relevance
from clew.query.context.formulas.emptiness import emptiness
from clew.query.context.formulas.faintness import faint_passages
from clew.query.context.gather import Material
from clew.query.context.linking.passage_links import PassageLink
from clew.query.context.passages import Passage
from clew.query.context.pieces import Piece, pieces_of, with_worths
from clew.query.context.rendering import (
    FILE_CHARACTERS_MAX,
    HEADINGS_MAX,
    TAG_CHARACTERS_MAX,
    TAGS_MAX,
)
from clew.query.context.selection import Candidate
from clew.query.context.shown.concepts import insight_block
from clew.query.context.shown.property_facts import without_empty_facts
from clew.query.context.shown.runs import HEADING_CHARACTERS_MAX
from clew.query.quoting.note_text import TITLE_CHARACTERS_MAX
from clew.query.successors import superseded_line
from clew.text.counting import CountTokens, TokenParts
from clew.text.filename import stem_of
from clew.text.similarity.folded_terms import folded_words, terms_in, weight_of

if TYPE_CHECKING:
    from clew.query.code.related import CodeInsight


EMPTY = 0.5  # of the relevance of a passage that is nothing but links, or lines of data
LABEL_TOKENS, LABEL_CHARACTERS = 20, 3  # of a label: at least, and characters a token


def candidates_of(material: Material, count_tokens: CountTokens) -> list[Candidate]:
    """Return all candidates: passages, insights, code; the best relevance of each source is 1."""
    template = material.request.template
    all_pieces = [(each, pieces_of(each, material.terms)) for each in material.passages]
    split = without_empty_facts(all_pieces)
    highest = max((piece.evidence for _, pieces in split for piece in pieces), default=0.0)
    shown = [
        (passage, with_worths(pieces, highest, is_short=passage.is_whole))
        for passage, pieces in split
        if pieces
    ]
    said = [terms_said(material, passage, pieces) for passage, pieces in shown]
    linked = _linked(material.links, material.passages, [passage for passage, _ in shown])
    faint = _faint(material, shown, said, linked)
    relevances = _relevances(material, shown, said, linked)
    candidates = [
        passage_candidate(passage, pieces, relevance, template, is_faint=index in faint)
        for index, ((passage, pieces), relevance) in enumerate(zip(shown, relevances, strict=True))
    ]
    for insight in material.insights:
        tokens = count_tokens(insight_block(insight, template)) + 2
        names = (insight.title, *(each.name for each in insight.relations))
        words = folded_words(" ".join(names))
        candidates.append(Candidate(None, insight, (), words, insight.relevance, tokens, 0))
    return candidates + [_code_candidate(each, template, count_tokens) for each in material.code]


def _code_candidate(insight: "CodeInsight", template: str, count_tokens: CountTokens) -> Candidate:
    from clew.query.context.shown.relations import (  # noqa: PLC0415 - see ``gather``
        briefer_forms,
        code_block,
    )

    def sized(form: "CodeInsight") -> tuple["CodeInsight", int]:
        return form, count_tokens(code_block(form, template)) + 2

    _, tokens = sized(insight)
    briefer = tuple(map(sized, briefer_forms(insight)))
    ends = (*insight.callers, *insight.member_callers, *insight.passed, *insight.calls)
    names = (insight.name, *(end.name for end in ends))
    words = folded_words(" ".join(names))
    return Candidate(
        None, None, (), words, insight.relevance, tokens, 0, code=insight, briefer=briefer
    )


def _faint(
    material: Material,
    shown: Sequence[tuple[Passage, Sequence[Piece]]],
    said: Sequence[AbstractSet[int]],
    linked: Mapping[int, Mapping[int, float]],
) -> AbstractSet[int]:
    """Return the indexes of the passages that are too faint for a pack."""
    whole = sum(weight for _, weight in material.terms) or 1.0
    shares = [weight_of(terms, material.terms) / whole for terms in said]
    return faint_passages([passage.relevance for passage, _ in shown], shares, linked)


def _relevances(
    material: Material,
    shown: Sequence[tuple[Passage, Sequence[Piece]]],
    said: Sequence[AbstractSet[int]],
    linked: Mapping[int, Mapping[int, float]],
) -> list[float]:
    raw = [passage.relevance * (1.0 - EMPTY * emptiness(pieces)) for passage, pieces in shown]
    highest = max(raw, default=0.0) or 1.0
    return covering_relevance(
        [relevance / highest for relevance in raw],
        said,
        [weight for _, weight in material.terms],
        linked,
    )


def terms_said(material: Material, passage: Passage, pieces: Sequence[Piece]) -> AbstractSet[int]:
    """Return the terms of the query in a passage, its title and the headings above it.

    These say what the passage is about, so that its text need not repeat them. In the same way, the
    date of a note says that it is of the period of the query.
    """
    above = "\n".join([passage.note.title, *passage.headings]).casefold()
    found = terms_in(above, [spelled for spelled, _ in material.terms])
    if passage.note.is_of_period:
        found |= material.terms_of_period
    return found.union(*(piece.terms for piece in pieces))


def _linked(
    links: Sequence[PassageLink], passages: Sequence[Passage], shown: Sequence[Passage]
) -> dict[int, dict[int, float]]:
    """Return the shares of links between ``passages``, by the indexes in ``shown`` of both ends."""
    index_by_passage = {id(passage): index for index, passage in enumerate(shown)}
    indexes = [index_by_passage.get(id(passage)) for passage in passages]
    linked: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for link in links:
        source, target = indexes[link.source], indexes[link.target]
        if source is not None and target is not None:
            linked[source][target] = link.share
    return linked


def passage_candidate(
    passage: Passage,
    pieces: Sequence[Piece],
    relevance: float,
    template: str,
    *,
    is_faint: bool = False,
) -> Candidate:
    """Return a passage with its pieces; ``relevance`` is 1 for the best."""
    return Candidate(
        passage=passage,
        insight=None,
        pieces=pieces,
        words=folded_words("\n".join(piece.text for piece in pieces)),
        relevance=relevance,
        tokens=sum(piece.tokens for piece in pieces),
        label_tokens=_label_tokens(passage, template),
        is_faint=is_faint,
    )


def add_count(parts: TokenParts, candidate: Candidate) -> None:
    """Use the counts of the parts of a passage, which are stored with its note."""
    passage = candidate.passage
    if passage is not None and passage.part_tokens:
        parts.add_counted(passage.note.text[passage.start : passage.end], passage.part_tokens)


def _label_tokens(passage: Passage, template: str) -> int:
    """Return about how many tokens an entry has besides its content."""
    note, is_short = passage.note, template == "compact"
    above = [heading for heading in passage.headings if heading != note.title]
    is_in_uri = is_short and not above and note.title == stem_of(note.path)
    label = len(note.uri) + (0 if is_in_uri else _length([note.title], TITLE_CHARACTERS_MAX))
    label += len(superseded_line(note.superseded_by))
    label += len(note.day) and len(note.day) + (5 if note.is_of_period else 30)
    if is_short:
        label += _length(above[-1:], HEADING_CHARACTERS_MAX)
    else:
        label += len(note.type) + _length(above[-HEADINGS_MAX:], HEADING_CHARACTERS_MAX) + 30
        label += _length(note.tags[:TAGS_MAX], TAG_CHARACTERS_MAX)
    if template == "detailed":
        label += _length(note.related_files, FILE_CHARACTERS_MAX) + 100
    return LABEL_TOKENS + label // LABEL_CHARACTERS


def _length(names: Iterable[str], most: int) -> int:
    """Return how long names are together, of which each is cut at ``most`` characters."""
    return sum(min(len(name), most) for name in names)
