"""Cache of the concept ids of a community's members.

Communities name their members, and looking up thousands of names takes milliseconds. An id keeps
its meaning in all copies of a graph, so the ids are kept through changes.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.index.graph import ConceptGraph
from clew.values.arrays import Int64Array


@dataclass(frozen=True, slots=True)
class _Members:
    """The members of one community."""

    ids: Int64Array
    unknown: tuple[str, ...]  # names without an id: no note has mentioned them yet


class MemberIds:
    """The ids of the members of communities; other communities or another graph clear it."""

    def __init__(self) -> None:
        self._communities, self._lineage = NO_COMMUNITIES, object()
        self._members: dict[int, _Members] = {}  # by community id

    def get(self, graph: ConceptGraph, communities: Communities, community_id: int) -> Int64Array:
        """Return the ids of a community's members; notes may mention some of them no longer."""
        if communities is not self._communities or graph.lineage is not self._lineage:
            self._members = {}
            self._communities, self._lineage = communities, graph.lineage
        members = self._members.get(community_id)
        if members is None:
            names = communities.by_id[community_id].members
            members = self._members[community_id] = _looked_up(graph, names)
        if not members.unknown:
            return members.ids
        return np.concatenate((members.ids, _looked_up(graph, members.unknown).ids))


def _looked_up(graph: ConceptGraph, names: tuple[str, ...]) -> _Members:
    ids = {name: graph.concept_id(name) for name in names}
    known = [concept for concept in ids.values() if concept is not None]
    unknown = (name for name, concept in ids.items() if concept is None)
    return _Members(np.array(known, np.int64), tuple(unknown))
