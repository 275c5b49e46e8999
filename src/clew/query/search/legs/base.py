"""The interface of a leg of search: a way to rank notes by one kind of evidence.

To add a leg, write a module with a class that has the members of ``Leg``, and name it in
``registry.LEGS``. Config, fusion and replies know legs by their names alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from clew.engine.snapshot import Snapshot
from clew.query.search.legs.comparison import Comparison, Encode
from clew.query.search.passage_hits import PassageHits
from clew.query.search.query_terms import QueryTerms
from clew.text.dates.intent import Period
from clew.values.arrays import BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A query as legs see it: parsed, its misspelt words corrected."""

    terms: QueryTerms  # without the words that name the period
    word_hits: PassageHits  # the notes that contain the words
    period: Period | None  # the period that the query names; ``None``: no period
    now_s: float
    encode: Encode | None  # makes the vector of a text; ``None``: no model is loaded
    noise: float  # of the model: the cosine of unrelated texts
    weights: Mapping[str, float]  # of all legs, by name
    earlier_hits: Mapping[str, PassageHits]  # of the legs that ran before this one, by name
    comparison: Comparison | None = None  # of the text, if it was begun


class Leg(Protocol):
    """A way to rank notes; legs have no state."""

    @property
    def name(self) -> str:
        """The leg's key in ``[search.weights]`` and in ``legs`` of a reply."""

    @property
    def default_weight(self) -> float:
        """The weight of this leg if the config sets none; 0 or more."""

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        """Return the best notes among ``allowed`` (by note id; ``None``: all of them).

        A leg with no evidence for the query returns ``NO_HITS``.
        """
