"""Siblings that were told already, kept while nothing changes."""

from clew.engine.communities.current import NONE_YET, Communities
from clew.engine.settings import SiblingRules
from clew.values.replies import CommunitySibling

CONCEPTS_MAX = 10_000


class SiblingCache:
    """The siblings of concepts in one graph, by one division and one set of rules."""

    def __init__(self) -> None:
        self._communities = NONE_YET
        self._rules = SiblingRules()
        self._told: dict[str, tuple[CommunitySibling, ...]] = {}
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._told)

    def clear(self) -> None:
        """Forget everything, since the graph has changed."""
        self._told.clear()

    def get(
        self, concept: str, communities: Communities, rules: SiblingRules
    ) -> tuple[CommunitySibling, ...] | None:
        """Return the siblings of ``concept``; ``None`` if they are not known."""
        is_same = communities is self._communities and rules == self._rules
        told = self._told.get(concept) if is_same else None
        if told is not None:
            self.hits += 1
        else:
            self.misses += 1
        return told

    def put(
        self,
        concept: str,
        communities: Communities,
        rules: SiblingRules,
        siblings: tuple[CommunitySibling, ...],
    ) -> None:
        """Keep the siblings of ``concept``, and of all others only what goes with them."""
        is_same = communities is self._communities and rules == self._rules
        if not is_same or len(self._told) >= CONCEPTS_MAX:
            self._told.clear()
        self._communities, self._rules = communities, rules
        self._told[concept] = siblings
