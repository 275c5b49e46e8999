"""Find the types, folders, tags and sources that a query names: "latest decisions", "work notes".

Only names that the vault has are looked up, each in the singular and the plural. A query that names
a kind prefers its notes, and more so if it asks for the newest; one that asks for nothing else
lists them. Beside other words a kind is no filter, as its name may mean something else there.

Few notes may be marked with a kind although many are of it: if the titles of more other notes have
its name than notes are marked with it, these are listed too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.notes.note_lists import KINDS
from clew.query.search.legs.temporal import dates_within
from clew.query.search.narrowing.narrowed import Narrowed
from clew.query.slices import PAUSE, Slices
from clew.text.concept import name_words
from clew.text.dates.intent import Period
from clew.text.stopwords import STOP_WORDS
from clew.values.arrays import BoolArray, Float64Array, Int64Array

WORDS_MAX = 16  # words of a query that may name a kind
NAME_WORDS_MAX = 3  # words of a name
PREFERRED_MAX = 128  # of the best notes, so many are looked at
PREFERENCE = 1.1  # times the score of a note of a kind
NEWEST_PREFERENCE = 2.0  # the same if the query asks for the newest of the kind

_TYPE = KINDS.index("type")
# Words that ask for notes, whatever they are; a folder "notes" is no kind of them.
_PLAIN_WORDS = STOP_WORDS | {"note", "notes", "entry", "entries", "show", "list", "find", "first"}


class Named(NamedTuple):
    """What one name in a query means."""

    kinds: frozenset[tuple[str, int]]  # names, and indexes in ``KINDS``
    names: frozenset[str]  # the name in the singular and the plural


@dataclass(frozen=True, slots=True)
class NamedKinds:
    """The kinds that a query names."""

    named: tuple[Named, ...]
    is_all: bool  # the query names nothing else

    @property
    def kinds(self) -> frozenset[tuple[str, int]]:
        """The kinds of all names."""
        return frozenset().union(*(each.kinds for each in self.named))

    @property
    def names(self) -> frozenset[str]:
        """The names, each in the singular and the plural."""
        return frozenset().union(*(each.names for each in self.named))

    @property
    def shown(self) -> tuple[str, ...]:
        """The kinds as a reply shows them, such as "type:decision"."""
        return tuple(f"{KINDS[kind]}:{name}" for name, kind in sorted(self.kinds, key=_by_kind))


NO_KINDS = NamedKinds((), is_all=False)


def named_kinds(snapshot: Snapshot, text: str) -> NamedKinds:
    """Return the kinds that ``text``, a query without its period, names; longer names first."""
    words = name_words(text)
    if len(words) > WORDS_MAX:
        return NO_KINDS
    named: list[Named] = []
    at, is_all = 0, True
    while at < len(words):
        length, kinds = _longest_name(snapshot, words, at)
        if kinds:
            named.append(Named(frozenset(kinds), frozenset(_forms(words[at : at + length]))))
        is_all = is_all and (bool(kinds) or words[at] in _PLAIN_WORDS)
        at += length
    return NamedKinds(tuple(dict.fromkeys(named)), is_all and bool(named))


def types_named(snapshot: Snapshot, text: str) -> frozenset[str]:
    """Return the words of ``text`` that name types of notes, in lower case."""
    words = name_words(text)
    if len(words) > WORDS_MAX:
        return frozenset()
    counts = snapshot.lists.kind_counts
    return frozenset(
        word for word in words if any(counts.get(form, (0,))[_TYPE] for form in _forms([word]))
    )


def _longest_name(
    snapshot: Snapshot, words: Sequence[str], at: int
) -> tuple[int, set[tuple[str, int]]]:
    """Return the number of words of the longest name at ``at``, and its kinds; else 1 and none."""
    counts = snapshot.lists.kind_counts
    for length in range(min(NAME_WORDS_MAX, len(words) - at), 0, -1):
        kinds = {
            (form, kind)
            for form in _forms(words[at : at + length])
            for kind, count in enumerate(counts.get(form, ()))
            if count
        }
        if kinds:
            return length, kinds
    return 1, set()


def newest_of_kinds(
    snapshot: Snapshot, kept: Narrowed, named: NamedKinds, period: Period
) -> Slices[Narrowed]:
    """Narrow a search to the notes of these kinds, also by title, and of ``period``.

    Notes that fit all names are listed, as for "latest decision about the oven", or else those
    that fit any, as for "latest decisions and meetings".
    """
    graph, fields = snapshot.graph, snapshot.fields
    allowed = (graph.is_live if kept.allowed is None else kept.allowed).copy()
    note_ids = np.flatnonzero(allowed)
    allowed[note_ids] = dates_within(snapshot, note_ids, period) > -np.inf
    marked, fitting = [], []  # by name: which notes are marked with it, or have it in their title
    for each in named.named:
        is_of = [fields.of_kind(KINDS[kind], name) for name, kind in each.kinds]
        marked.append(allowed & np.logical_or.reduce(is_of))
        yield PAUSE
        is_titled = [fields.titled(name) for name in each.names]
        fitting.append(marked[-1] | allowed & np.logical_or.reduce(is_titled))
        yield PAUSE
    fits_all = np.logical_and.reduce(fitting)
    if fits_all.any():
        passing = _listed(fits_all, np.logical_and.reduce(marked))
    else:
        passing = _listed(np.logical_or.reduce(fitting), np.logical_or.reduce(marked))
    return replace(kept, allowed=passing)


def _listed(fits: BoolArray, is_marked: BoolArray) -> BoolArray:
    """Return the notes to list: those that fit only by title count if they are the majority."""
    is_most = np.count_nonzero(fits & is_marked) < np.count_nonzero(fits & ~is_marked)
    return fits if is_most else fits & is_marked


def prefer(
    snapshot: Snapshot,
    named: NamedKinds,
    note_ids: Int64Array,
    scores: Float64Array,
    period: Period | None,
) -> Float64Array:
    """Return the ``scores`` of these notes, higher for the best that are of these kinds."""
    kinds = named.kinds
    if not kinds:
        return scores
    best = (scores > 0).nonzero()[0]
    if len(best) > PREFERRED_MAX:
        # With all ties of the last, so that it does not matter how notes are numbered.
        best = (scores >= np.partition(scores, -PREFERRED_MAX)[-PREFERRED_MAX]).nonzero()[0]
    is_of = snapshot.fields.are_of_kinds(note_ids.take(best), kinds)
    scores = scores.copy()
    asks_for_newest = period is not None and period.newest_first
    scores[best[is_of]] *= NEWEST_PREFERENCE if asks_for_newest else PREFERENCE
    return scores


def _forms(words: Sequence[str]) -> list[str]:
    """Return a name in the singular and the plural; none if its words are those of any query."""
    if _PLAIN_WORDS.issuperset(words):
        return []
    name = " ".join(words)
    return list(dict.fromkeys((name, *_other_numbers(name))))


def _other_numbers(name: str) -> Iterator[str]:
    """Yield an English name in the plural and the singular, rightly or not."""
    yield f"{name}s"
    if name.endswith("y"):
        yield f"{name[:-1]}ies"
    if name.endswith("ies"):
        yield f"{name[:-3]}y"
    if name.endswith("es"):
        yield name[:-2]
    if name.endswith("s"):
        yield name[:-1]


def _by_kind(kind: tuple[str, int]) -> tuple[int, str]:
    return kind[1], kind[0]
