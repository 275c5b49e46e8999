"""Build the approximate index of a stored index: takes minutes on a large vault.

A trial with some of the vectors estimates the recall first. If that is too low, the index is not
built, and the file says so.

Imports usearch, so the indexer does not import this module.
"""

import numpy as np
import usearch

from clew.disk.durable import DISK, Disk
from clew.engine.approximate.approximate_file import LAYOUT, Header, write_new
from clew.engine.approximate.build_job import BuildJob
from clew.engine.persist.generation_files import map_index_file
from clew.index.approximate import (
    RECALL_MIN,
    build_graph,
    choose_candidate_count,
    graph_bytes,
    trial_recall,
)
from clew.index.structures.columns import split_file
from clew.index.vectors import VectorIndex
from clew.values.arrays import Int8Array

SAMPLE = 256  # queries that measure the recall


def run_build(job: BuildJob, disk: Disk = DISK) -> Header:
    """Write the file of the approximate index; return its header. The indexer publishes it.

    Raises:
        OSError, ValueError, LookupError: the stored index is gone or damaged, or the disk is full.
    """
    columns = split_file(map_index_file(job.folder, job.generation))
    vectors = VectorIndex.read(columns.of("passages.vectors"))
    names = VectorIndex.read(columns.of("nameVectors.vectors"))
    # Names are short texts, as queries are. With passages as queries the recall would be too high:
    # they find their nearest neighbours more easily.
    queries = sample(names)
    if len(queries) < SAMPLE:
        queries += sample(vectors)
    count, recall, data = 0, trial_recall(vectors, queries), b""
    if recall >= RECALL_MIN:
        graph = build_graph(vectors)
        count, recall = choose_candidate_count(graph, vectors, queries)
        data = graph_bytes(graph) if count else b""
        del graph  # otherwise the graph and its bytes would both be in memory during the write
    header = Header(LAYOUT, usearch.__version__, vectors.coverage(), count, recall)
    write_new(job.folder, header, data, disk)
    return header


def sample(vectors: VectorIndex) -> list[Int8Array]:
    """Return up to ``SAMPLE`` vectors, spread evenly over the slots."""
    slots = np.flatnonzero(vectors.is_embedded)
    chosen = slots[np.linspace(0, len(slots) - 1, min(SAMPLE, len(slots))).astype(np.int64)]
    return [np.ascontiguousarray(vectors.rows(slice(slot, slot + 1))[0]) for slot in chosen]
