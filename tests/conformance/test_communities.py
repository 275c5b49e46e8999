"""Communities of real vaults: modularity at least that of other tools, and stable ids."""

import json

import igraph
import numpy as np
import pytest

from clew.engine.apply import Engine
from clew.engine.communities.partition_job import SavedCommunities, new_job, rows_to_partition
from clew.engine.communities.run_partition import run_job
from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.formulas.community_edges import Edges
from clew.index.formulas.leiden import CARRY_JACCARD_MIN, partition
from clew.index.graph_rows import all_edges
from clew.values.communities import MAX_CONCEPTS, EdgeWeights
from clew.values.vault import Batch
from tests.conformance.conftest import DATA
from tests.conformance.test_history import batches, histories
from tests.conformance.test_vaults import DIFFERING, names, read_vault
from tests.edge_rows import modularity

NORMALIZED_OTHERWISE = 0.005  # effect of the reference's simpler normalization on modularity


def reference_modularity(name: str) -> float:
    summary = json.loads((DATA / "vaults" / f"{name}.graph.json").read_text())
    return float(summary["modularity"])


def reference_edges(name: str) -> Edges:
    rows = [line.split("\t") for line in (DATA / "vaults" / f"{name}.edges.tsv").open()]
    counted = [(a, b, int(count)) for a, b, count in rows if count.strip().isdecimal()]
    concepts = sorted({concept for a, b, _ in counted for concept in (a, b)})
    places = {concept: place for place, concept in enumerate(concepts)}
    pairs = sorted((*sorted((places[a], places[b])), count) for a, b, count in counted)
    first, second, counts = np.array(pairs, dtype=np.int64).T
    return Edges(len(concepts), first, second, counts.astype(np.float64))


def louvain_modularity(edges: Edges) -> float:
    """Return the modularity that an algorithm of another library reaches."""
    graph = igraph.Graph(edges.vertex_count, np.stack([edges.first, edges.second], 1).tolist())
    weights = edges.weights.tolist()
    found = graph.community_multilevel(weights=weights)
    return float(graph.modularity(found.membership, weights=weights))


@pytest.mark.parametrize("name", names())
def test_the_partition_of_the_reference_edges_is_at_least_as_good(name: str) -> None:
    edges = reference_edges(name)
    reached = modularity(edges, partition(edges))
    assert reached >= reference_modularity(name) - NORMALIZED_OTHERWISE
    assert reached >= louvain_modularity(edges) - NORMALIZED_OTHERWISE


@pytest.mark.parametrize("name", names())
def test_the_partition_of_the_vault_is_at_least_as_good(name: str) -> None:
    engine = Engine(EngineSettings(sources=frozenset({ConceptSource.LINKS})))
    engine.apply(Batch(put=tuple(read_vault(name).values())))
    rows, left_out = rows_to_partition(engine.indexes.graph, EdgeWeights.RAW, MAX_CONCEPTS)
    assert not left_out
    reached = run_job(new_job(rows, SavedCommunities())).partition.modularity
    if any(vault == name for vault, _ in DIFFERING):
        # The links of these notes differ from the reference, so compare with another algorithm on
        # the same edges.
        own = [(a, b, count) for a, b, count in all_edges(engine.indexes.graph).tolist()]
        first, second, counts = np.array(own, dtype=np.int64).T
        edges = Edges(engine.indexes.graph.concept_slots, first, second, counts.astype(float))
        assert reached >= louvain_modularity(edges) - NORMALIZED_OTHERWISE
    else:
        assert reached >= reference_modularity(name) - NORMALIZED_OTHERWISE


@pytest.mark.parametrize("name", histories())
def test_ids_are_stable_over_a_history(name: str) -> None:
    """A community that is similar enough to only one earlier community has the id of that one."""
    engine = Engine(EngineSettings())
    known = SavedCommunities()
    carried = 0
    for batch, _ in batches(name):
        engine.apply(batch)
        rows, _ = rows_to_partition(engine.indexes.graph, EdgeWeights.SHARED, MAX_CONCEPTS)
        found = run_job(new_job(rows, known))
        before = {row.id: set(row.members) for row in known.partition.communities}
        after = {row.id: set(row.members) for row in found.partition.communities}
        likes = {
            (old, new): len(before[old] & after[new]) / len(before[old] | after[new])
            for old in before
            for new in after
        }
        for new in after:
            like = [old for old in before if likes[old, new] >= CARRY_JACCARD_MIN]
            rivals = [
                other for old in like for other in after if likes[old, other] >= CARRY_JACCARD_MIN
            ]
            if len(like) == 1 and rivals == [new]:
                assert new == like[0]
                carried += 1
        fresh = after.keys() - before.keys()
        assert all(new >= known.next_id for new in fresh)
        known = found
    assert carried > 0
