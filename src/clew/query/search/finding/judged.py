"""The notes that a search found, ranked and judged."""

from dataclasses import dataclass, field

import numpy as np

from clew.query.search.additive.additive_scores import AdditiveScores
from clew.query.search.admission.admitted import Admission
from clew.values.arrays import Float64Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The notes that some leg found, and which of them are admitted."""

    note_ids: Int64Array  # in no order
    order: Float64Array  # sort keys, highest first; by note id
    scores: Float64Array  # by note id
    admission: Admission
    additive: AdditiveScores | None  # if the request asks for them
    # Those ``note_ids`` that no leg found, and that replace an admitted note.
    brought_in: Int64Array = field(default_factory=lambda: np.zeros(0, np.int64))
