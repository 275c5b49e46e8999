"""Values that the queries of one revision share: each is computed when first asked for.

The importance of nodes takes long in a large vault. The function that computes it, ``weigh_nodes``,
may run on any thread.
"""

from clew.engine.derived.importance import Importance, LatestImportance, is_large
from clew.engine.derived.layout import Layout
from clew.engine.derived.nodes import LatestNodes, Nodes
from clew.engine.passages import Passages
from clew.index.formulas.pagerank import Links, importance, pagerank
from clew.index.graph import ConceptGraph
from clew.index.mentions.mention_index import MentionIndex
from clew.values.arrays import Float64Array


class Derived:
    """Values derived from the indexes of one revision; the indexes must not change."""

    def __init__(
        self,
        passages: Passages,
        graph: ConceptGraph,
        mentions: MentionIndex,
        revision: int,
        latest_importance: LatestImportance,
        latest_nodes: LatestNodes,
    ) -> None:
        self._passages, self._graph, self._revision = passages, graph, revision
        self._mentions = mentions
        self._layout: Layout | None = None
        self._mention_nodes: Nodes | None = None
        self._importance: Importance | None = None  # of this revision's links; None until computed
        self._latest_importance, self._latest_nodes = latest_importance, latest_nodes

    @property
    def layout(self) -> Layout:
        """Notes and chunks as arrays."""
        if self._layout is None:
            self._layout = Layout(self._passages, self._graph)
        return self._layout

    @property
    def nodes(self) -> Nodes:
        """Notes and concepts as the nodes of one graph."""
        return self._latest_nodes.of(self._graph)

    @property
    def mention_nodes(self) -> Nodes:
        """The same nodes with unlinked mentions as weak edges."""
        if self._mention_nodes is None:
            self._mention_nodes = self.nodes.with_mentions(self._mentions)
        return self._mention_nodes

    def _is_present(self, importance: Importance | None) -> bool:
        """Return whether ``importance`` was computed from the links of this revision."""
        return importance is not None and importance.link_changes == self._graph.link_changes

    @property
    def has_importance(self) -> bool:
        """Whether ``importance`` returns at once; computing it takes time for each link."""
        latest = self._latest_importance.value
        if self._importance is not None or self._is_present(latest):
            return True
        is_earlier = latest is not None and latest.link_changes < self._graph.link_changes
        return is_earlier and is_large(self._graph)

    @property
    def has_present_importance(self) -> bool:
        """Whether the importance of this revision's links is known, and not just an earlier one."""
        return self._is_present(self._latest_importance.value) or self._importance is not None

    def weigh_nodes(self) -> Importance:
        """Return the importance of this revision; it is computed if that was not done yet."""
        latest = self._latest_importance.value
        if self._importance is None and latest is not None and self._is_present(latest):
            self._importance = latest
        if self._importance is None:
            self._importance = self._computed()
            if latest is None or latest.link_changes < self._graph.link_changes:
                self._latest_importance.value = self._importance
        return self._importance

    def _computed(self) -> Importance:
        by_node = importance_of(self.nodes.links(self._graph))
        return Importance(
            by_note=by_node[: self.nodes.note_slots],
            by_concept=by_node[self.nodes.node_by_concept],
            link_changes=self._graph.link_changes,
            revision=self._revision,
        )

    @property
    def importance(self) -> Importance:
        """The importance of this revision; in a large vault, an earlier one if this is missing."""
        latest = self._latest_importance.value
        if self._importance is None and self.has_importance and latest is not None:
            return latest
        return self.weigh_nodes()


def importance_of(links: Links) -> Float64Array:
    """Return the importance of each node, 0..1; safe on any thread."""
    return importance(pagerank(links))
