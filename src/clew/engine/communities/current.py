"""Communities as queries see them: of one revision, which may be older than the present one."""

from collections.abc import Mapping
from dataclasses import dataclass

from clew.values.communities import Community


@dataclass(frozen=True, slots=True)
class Communities:
    """All communities that were found for one revision."""

    revision: int | None  # None: none were found so far
    by_id: Mapping[int, Community]  # the largest first
    ids: Mapping[str, int]  # by concept
    modularity: float  # weighted, -0.5..1


NONE_YET = Communities(None, {}, {}, 0.0)
