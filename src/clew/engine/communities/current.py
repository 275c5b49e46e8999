"""The communities that queries see: those of one revision, which may not be the latest one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from clew.values.communities import LABEL_NAMES, Community


@dataclass(frozen=True, slots=True)
class Communities:
    """All communities of one revision."""

    revision: int | None  # None before the first partition
    by_id: Mapping[int, Community]  # largest first
    ids: Mapping[str, int]  # by concept name
    modularity: float  # weighted, -0.5..1


@dataclass(frozen=True, slots=True)
class ShownNames:
    """The names of one community that a reply may show."""

    label: tuple[str, ...]
    central: tuple[str, ...]
    bridges: tuple[str, ...]


def shown_names(community: Community, is_mentioned: Callable[[str], bool]) -> ShownNames:
    """Return the names of a community without those that no note mentions.

    A partition may be older than the notes, and includes private notes, which the caller may not
    see. If no central member is left, the first members of the community replace them.
    """
    central = tuple(filter(is_mentioned, community.central))
    if not central:
        members = filter(is_mentioned, community.members)
        central = tuple(islice(members, len(community.central)))
    bridges = tuple(filter(is_mentioned, community.bridges))
    return ShownNames(central[:LABEL_NAMES], central, bridges)


NO_COMMUNITIES = Communities(None, {}, {}, 0.0)
