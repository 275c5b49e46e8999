"""Cache of the siblings of concepts, valid for one graph, one partition and one configuration.

Siblings of a concept follow from the rows that mention members of its community. So a cache for a
changed graph takes over those of the communities that the changed rows do not mention, and the rows
themselves (``MemberRows``): to gather them takes longer than to find siblings in them.
"""

from typing import TypeAlias

from clew.engine.caches.changed import changed_concepts
from clew.engine.caches.member_rows import MemberRows
from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.engine.settings import SiblingConfig
from clew.index.graph import ConceptGraph
from clew.index.structures.lru import CacheCounts, LruCache
from clew.values.replies import CommunitySibling

Siblings: TypeAlias = tuple[CommunitySibling, ...]

CONCEPTS_MAX = 10_000
MEMBERS_BYTES_MAX = 6 * 1024 * 1024  # of the rows of all cached communities together


class SiblingCache:
    """What was computed for the most recently used concepts and communities.

    ``lru``: the siblings of ``CONCEPTS_MAX`` concepts, by name. ``members``: the rows of the
    members of communities, by id. Other communities or another configuration clear both.
    """

    def __init__(
        self, graph: ConceptGraph, counts: CacheCounts, earlier: "SiblingCache | None" = None
    ) -> None:
        """``earlier``: the cache of an earlier revision."""
        self.graph = graph
        self.communities = NO_COMMUNITIES  # as long as it is not used
        self.rules = SiblingConfig()
        # It is read when this one is first used, and not kept any longer.
        self.earlier: SiblingCache | None = earlier
        if earlier is not None and earlier.communities is NO_COMMUNITIES:
            self.earlier = earlier.earlier
        self.lru: LruCache[str, Siblings] = LruCache(CONCEPTS_MAX, lambda _siblings: 1, counts)
        self.members = LruCache[int, MemberRows](
            MEMBERS_BYTES_MAX, lambda rows: rows.nbytes, counts
        )

    def valid_for(self, communities: Communities, rules: SiblingConfig) -> "SiblingCache":
        """Return the cache itself, cleared if it has values for others than these.

        It is to be asked for at each use: another request may have come in between.
        """
        if communities is self.communities and rules == self.rules:
            return self
        self.lru.clear()
        self.members.clear()
        self.communities, self.rules = communities, rules
        earlier, self.earlier = self.earlier, None
        if earlier is not None and earlier.communities is communities and earlier.rules == rules:
            self._follow(earlier)
        return self

    def _follow(self, earlier: "SiblingCache") -> None:
        """Take over the siblings that the notes changed since cannot concern."""
        changed = changed_concepts(earlier.graph, self.graph)
        if changed is None:
            return
        community_ids = self.communities.ids
        touched = {community_ids.get(self.graph.name(concept)) for concept in changed.tolist()}
        for concept, siblings in earlier.lru.items():
            if community_ids.get(concept) not in touched:
                self.lru.put(concept, siblings)
        for community_id, rows in earlier.members.items():
            if community_id not in touched:
                self.members.put(community_id, rows)
