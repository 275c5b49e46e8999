"""Narrow a search to the notes that pass the request's filters and the clauses of its query.

Arrays and postings are used first, so that the texts of only few notes are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.query.references.locate import locate_concepts_shown
from clew.query.search.legs.keyword import notes_holding
from clew.query.search.narrowing.filters import notes_in
from clew.query.search.narrowing.operators import fulfilling
from clew.query.search.narrowing.phrases import candidate_slots, notes_with_phrase
from clew.query.slices import PAUSE, Slices
from clew.text.query_language import SEARCHED_CHARACTERS_MAX, Clause, ClauseKind
from clew.text.terms import query_words
from clew.text.uri import to_concept_uri
from clew.values.arrays import BoolArray, Int64Array, IntegerArray
from clew.values.errors import InvalidParams
from clew.values.requests import Filters

CLAUSES_MAX = 200  # distinct phrases, excluded words and operators of a query
PASSAGES_READ_MAX = 10_000  # to find the phrases of one query


@dataclass(frozen=True, slots=True, eq=False)
class Narrowed:
    """The notes that a search may show."""

    allowed: BoolArray | None = None  # by note id; ``None``: all notes
    # The slot with a phrase of the query, by note id.
    slot_by_note: Mapping[int, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()  # phrases with too many candidates, of which not all were read


def narrowed(
    snapshot: Snapshot, filters: Filters | None, clauses: Sequence[Clause], clock: Clock
) -> Slices[Narrowed]:
    """Return the notes that pass ``filters`` and ``clauses``.

    Raises:
        InvalidParams: the clauses are too many or too long, a date cannot be parsed, or a folder
            leads out of the vault.
    """
    clauses, filters = tuple(dict.fromkeys(clauses)), filters or Filters()
    _check_size(clauses)
    if filters == Filters() and not clauses:
        return Narrowed()
    names = yield from locate_concepts_shown(snapshot, filters.entity)
    entities = tuple(
        entity if name is None else to_concept_uri(name)
        for entity, name in zip(filters.entity, names, strict=True)
    )
    allowed = notes_in(snapshot, replace(filters, entity=entities), clock)
    words, phrases, operators = _sorted_out(clauses)
    for clause in operators:
        allowed &= fulfilling(snapshot.fields, clause)
        yield PAUSE
    _exclude_words(snapshot, words, allowed)
    yield PAUSE
    candidates = yield from _phrase_candidates(snapshot, phrases, allowed)
    return (yield from _with_phrases(snapshot, candidates, allowed))


def _check_size(clauses: Sequence[Clause]) -> None:
    characters = sum(len(clause.text) for clause in clauses)
    if len(clauses) > CLAUSES_MAX or characters > SEARCHED_CHARACTERS_MAX:
        message = (
            f"the query has {len(clauses)} phrases, excluded words and operators "
            f"with {characters} characters"
        )
        hint = f"leave some out: at most {CLAUSES_MAX}, with {SEARCHED_CHARACTERS_MAX} characters"
        raise InvalidParams(message, "query", hint)


def _sorted_out(clauses: Sequence[Clause]) -> tuple[list[Clause], list[Clause], list[Clause]]:
    """Return the clauses that exclude a single word, those with phrases, and the operators.

    An excluded word in several parts is a phrase: ``-tide-gauge`` excludes no other gauge.
    """
    words, phrases, operators = [], [], []
    for clause in clauses:
        if clause.kind is ClauseKind.WORD and len(query_words(clause.text)) == 1:
            words.append(clause)
        elif clause.kind in (ClauseKind.WORD, ClauseKind.PHRASE):
            phrases.append(clause)
        else:
            operators.append(clause)
    return words, phrases, operators


def _exclude_words(snapshot: Snapshot, clauses: Sequence[Clause], allowed: BoolArray) -> None:
    """Clear in ``allowed`` the notes with words of the same stems as those of the clauses."""
    term_of = snapshot.languages.term_of
    terms = {term_of(word) for clause in clauses for word in query_words(clause.text)}
    keyword = snapshot.passages.keyword
    word_ids = sorted(word_id for term in terms for word_id in keyword.ids_of_term(term))
    allowed[notes_holding(snapshot, word_ids)] = False


def _phrase_candidates(
    snapshot: Snapshot, clauses: Sequence[Clause], allowed: BoolArray
) -> Slices[list[tuple[Clause, Int64Array]]]:
    """Return the slots that may have each phrase; clear in ``allowed`` the notes that lack one."""
    candidates = []
    note_ids = snapshot.derived.layout.note_ids
    for clause in clauses:
        slots = yield from candidate_slots(snapshot, clause.text)
        candidates.append((clause, slots))
        if not clause.is_excluded:
            allowed &= _mask(note_ids[slots], len(allowed))
    return candidates


def _with_phrases(
    snapshot: Snapshot, candidates: Sequence[tuple[Clause, Int64Array]], allowed: BoolArray
) -> Slices[Narrowed]:
    """Return the ``allowed`` notes that have each phrase, and none that is excluded.

    Notes that may have an excluded phrase, but were not read, are left out.
    """
    slot_by_note: dict[int, int] = {}
    unread = []
    for clause, slots in candidates:
        most = PASSAGES_READ_MAX // len(candidates)
        notes = yield from notes_with_phrase(snapshot, clause.text, slots, allowed, most)
        if len(notes.unread):
            unread.append(clause.text)
        found = np.fromiter(notes.slot_by_note, np.int64)
        if clause.is_excluded:
            allowed[found] = allowed[notes.unread] = False
            continue
        allowed &= _mask(found, len(allowed))
        slot_by_note |= notes.slot_by_note
    return Narrowed(allowed, slot_by_note, tuple(unread))


def _mask(note_ids: IntegerArray, size: int) -> BoolArray:
    mask = np.zeros(size, np.bool_)
    mask[note_ids] = True
    return mask
