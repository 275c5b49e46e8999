"""Cache of the siblings of concepts, valid for one graph, one partition and one configuration."""

from typing import TypeAlias

from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.engine.settings import SiblingConfig
from clew.index.structures.lru import CacheCounts, LruCache
from clew.values.replies import CommunitySibling

Siblings: TypeAlias = tuple[CommunitySibling, ...]

CONCEPTS_MAX = 10_000


class SiblingCache:
    """The siblings of the ``CONCEPTS_MAX`` most recently used concepts, by concept name.

    A changed graph gets a new cache; other communities or another configuration clear it.
    """

    def __init__(self, counts: CacheCounts) -> None:
        self._communities = NO_COMMUNITIES
        self._rules = SiblingConfig()
        self.lru: LruCache[str, Siblings] = LruCache(CONCEPTS_MAX, lambda _siblings: 1, counts)

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

    def _use(self, communities: Communities, rules: SiblingConfig) -> None:
        if communities is not self._communities or rules != self._rules:
            self.lru.clear()
            self._communities, self._rules = communities, rules
