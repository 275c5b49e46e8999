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
    """The siblings of the ``CONCEPTS_MAX`` most recently used concepts, by concept name.

    Other communities or another configuration clear it.
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
        self.members: LruCache[int, MemberRows] = LruCache(
            MEMBERS_BYTES_MAX, lambda rows: rows.nbytes, counts
        )

    def get(self, concept: str, communities: Communities, rules: SiblingConfig) -> Siblings | None:
        """Return the siblings of ``concept``, or ``None`` if they are not cached."""
        self._use(communities, rules)
        return self.lru.get(concept)

    def put(
        self, concept: str, communities: Communities, rules: SiblingConfig, siblings: Siblings
    ) -> None:
        """Keep the siblings of ``concept``."""
        self._use(communities, rules)
        self.lru.put(concept, siblings)

    def get_members(
        self, community_id: int, communities: Communities, rules: SiblingConfig
    ) -> MemberRows | None:
        """Return the members of a community, or ``None`` if they are not cached."""
        self._use(communities, rules)
        return self.members.get(community_id)

    def put_members(
        self, community_id: int, communities: Communities, rules: SiblingConfig, rows: MemberRows
    ) -> None:
        """Keep the members of a community, unless they are too many to be cached."""
        self._use(communities, rules)
        if rows.nbytes <= MEMBERS_BYTES_MAX:
            self.members.put(community_id, rows)

    def _use(self, communities: Communities, rules: SiblingConfig) -> None:
        if communities is self.communities and rules == self.rules:
            return
        self.lru.clear()
        self.members.clear()
        self.communities, self.rules = communities, rules
        earlier, self.earlier = self.earlier, None
        if earlier is not None and earlier.communities is communities and earlier.rules == rules:
            self._follow(earlier)

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
