"""Cache of the siblings of concepts, valid for one graph, one partition and one configuration.

Siblings of a concept follow from the rows that mention members of its community. So the new cache
of a changed graph takes over the siblings of all communities without a changed row, and the notes
of their members (``MemberNotes``).
"""

from typing import TypeAlias

from clew.engine.caches.changed import changed_concepts
from clew.engine.caches.hub_notes import HubNotes
from clew.engine.caches.member_notes import MemberNotes
from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.engine.settings import SiblingConfig
from clew.index.graph import ConceptGraph
from clew.index.structures.lru import CacheCounts, LruCache
from clew.values.replies import CommunitySibling

Siblings: TypeAlias = tuple[CommunitySibling, ...]

SIBLINGS_BYTES_MAX = 2 * 1024 * 1024  # of the siblings of all cached concepts together
_BYTES_A_CONCEPT, _BYTES_A_SIBLING = 300, 250
MEMBERS_BYTES_MAX = 12 * 1024 * 1024  # of the notes of all cached communities together


class SiblingCache:
    """The siblings of recently used concepts, and the notes of recently used communities.

    ``lru``: siblings by concept name, in ``SIBLINGS_BYTES_MAX``. ``members``: notes by community
    id. Another partition or configuration clears both.
    """

    def __init__(
        self, graph: ConceptGraph, counts: CacheCounts, earlier: "SiblingCache | None" = None
    ) -> None:
        """``earlier``: the cache of an earlier revision."""
        self.graph = graph
        self.communities = NO_COMMUNITIES  # until the first use
        self.rules = SiblingConfig()
        self.hub_notes: HubNotes = HubNotes() if earlier is None else earlier.hub_notes
        # Its values are taken over at the first use; then it is dropped.
        self.earlier: SiblingCache | None = earlier
        if earlier is not None and earlier.communities is NO_COMMUNITIES:
            self.earlier = earlier.earlier
        self.lru: LruCache[str, Siblings] = LruCache(
            SIBLINGS_BYTES_MAX,
            lambda siblings: _BYTES_A_CONCEPT + _BYTES_A_SIBLING * len(siblings),
            counts,
        )
        self.members = LruCache[int, MemberNotes](
            MEMBERS_BYTES_MAX, lambda members: members.nbytes, counts
        )

    def valid_for(self, communities: Communities, rules: SiblingConfig) -> "SiblingCache":
        """Return this cache, cleared first if its values are of other communities or rules.

        Call it before each use: another request may have changed both in between.
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
        """Take over the values of communities without a changed row."""
        changed = changed_concepts(earlier.graph, self.graph)
        if changed is None:
            return
        community_ids = self.communities.ids
        touched = {community_ids.get(self.graph.name(concept)) for concept in changed.tolist()}
        for concept, siblings in earlier.lru.items():
            if community_ids.get(concept) not in touched:
                self.lru.put(concept, siblings)
        for community_id, members in earlier.members.items():
            if community_id not in touched:
                self.members.put(community_id, members)
