"""Cache of the concept ids of a community's members.

Communities name their members, and looking up thousands of names takes milliseconds. An id keeps
its meaning in all copies of a graph, so the ids are kept through changes.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.index.graph import ConceptGraph
from clew.values.arrays import Int64Array

NAMES_AT_ONCE = 256  # that a step of a query looks up


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

    def get(
        self, graph: ConceptGraph, communities: Communities, community_id: int
    ) -> Generator[None, None, Int64Array]:
        """Return the ids of a community's members; notes may mention some of them no longer.

        Pauses after each ``NAMES_AT_ONCE`` names that are looked up.
        """
        members = self._valid_for(graph, communities).get(community_id)
        if members is None:
            members = yield from _looked_up(graph, communities.by_id[community_id].members)
            self._valid_for(graph, communities)[community_id] = members
        ids = members.ids
        if members.unknown:
            added = yield from _looked_up(graph, members.unknown)
            ids = np.concatenate((ids, added.ids))
        # A later revision may have looked them up, with concepts that this one does not have.
        return ids[ids < graph.concept_slots]

    def _valid_for(self, graph: ConceptGraph, communities: Communities) -> dict[int, _Members]:
        """Return the members that are kept, none if they are of other communities or graphs.

        Call it before each use: another request may have changed both in between.
        """
        if communities is not self._communities or graph.lineage is not self._lineage:
            self._members = {}
            self._communities, self._lineage = communities, graph.lineage
        return self._members


def _looked_up(graph: ConceptGraph, names: tuple[str, ...]) -> Generator[None, None, _Members]:
    ids: dict[str, int | None] = {}
    for first in range(0, len(names), NAMES_AT_ONCE):
        some = names[first : first + NAMES_AT_ONCE]
        ids.update(zip(some, map(graph.concept_id, some), strict=True))
        yield
    known = [concept for concept in ids.values() if concept is not None]
    unknown = (name for name, concept in ids.items() if concept is None)
    return _Members(np.array(known, np.int64), tuple(unknown))
