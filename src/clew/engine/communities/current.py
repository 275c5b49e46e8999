"""The communities that queries see: those of one revision, which may not be the latest one."""

from collections.abc import Mapping
from dataclasses import dataclass

from clew.values.communities import Community


@dataclass(frozen=True, slots=True)
class Communities:
    """All communities of one revision."""

    revision: int | None  # None before the first partition
    by_id: Mapping[int, Community]  # largest first
    ids: Mapping[str, int]  # by concept name
    modularity: float  # weighted, -0.5..1


NO_COMMUNITIES = Communities(None, {}, {}, 0.0)
