"""Values that the queries of one revision share: each is computed when first asked for.

Two of them take long in a large vault, the vocabulary and the importance of nodes. The functions
that compute these, ``count_vocabulary`` and ``weigh_nodes``, may run on any thread.
"""

from typing import TYPE_CHECKING

from clew.engine.derived.layout import Layout
from clew.engine.derived.nodes import Nodes
from clew.engine.derived.word_list import word_list
from clew.engine.passages import Passages
from clew.index.formulas.pagerank import Links, importance, pagerank
from clew.index.graph import ConceptGraph
from clew.values.arrays import Float64Array

if TYPE_CHECKING:
    from clew.text.fuzzy import Vocabulary


class Derived:
    """Values derived from the indexes of one revision, which never change."""

    def __init__(
        self,
        passages: Passages,
        graph: ConceptGraph,
        earlier: "Derived | None" = None,
    ) -> None:
        """``earlier`` has the values of an earlier revision, if any were asked for."""
        self._passages, self._graph = passages, graph
        self._layout: Layout | None = None
        self._nodes: Nodes | None = None
        self._vocabulary: Vocabulary | None = None
        self._links: Links | None = None
        # Links, and their importance; until the links are asked for, those of an earlier revision.
        self._importance: tuple[Links, Float64Array] | None = None
        if earlier is not None:
            self._importance = earlier.latest_importance

    @property
    def layout(self) -> Layout:
        """Notes and chunks as arrays."""
        if self._layout is None:
            self._layout = Layout(self._passages, self._graph)
        return self._layout

    @property
    def nodes(self) -> Nodes:
        """Notes and concepts as the nodes of one graph."""
        if self._nodes is None:
            self._nodes = Nodes(self._graph)
        return self._nodes

    @property
    def links(self) -> Links:
        """The links of ``nodes``."""
        if self._links is None:
            self._links = self.nodes.links(self._graph)
            # Most edits do not change the links, so the latest importance is still right.
            if self._importance is not None and self._importance[0].equals(self._links):
                self._importance = (self._links, self._importance[1])
        return self._links

    @property
    def vocabulary(self) -> "Vocabulary | None":
        """The words with their frequencies; ``None`` until they are counted."""
        return self._vocabulary

    def count_vocabulary(self) -> None:
        """Count the words, unless that is done; takes 0.1 s in a large vault."""
        if self._vocabulary is None:
            self._vocabulary = word_list(self._passages).vocabulary()

    @property
    def latest_importance(self) -> tuple[Links, Float64Array] | None:
        """The latest importance computed, of this revision or one before, and its links."""
        return self._importance

    @property
    def has_importance(self) -> bool:
        """Whether ``importance`` is computed already; computing it takes time for each link."""
        links = self.links
        return self._importance is not None and self._importance[0] is links

    def weigh_nodes(self) -> None:
        """Compute the importance of all nodes, unless that is done."""
        if not self.has_importance:
            self._importance = (self.links, importance_of(self.links))

    @property
    def importance(self) -> Float64Array:
        """The importance of each node, 0..1, computed from its PageRank."""
        self.weigh_nodes()
        assert self._importance is not None
        return self._importance[1]


def importance_of(links: Links) -> Float64Array:
    """Return the importance of each node, 0..1; safe on any thread."""
    return importance(pagerank(links))
