"""Measure exact and approximate search of vectors: time, recall, and what the build takes.

Run as ``python -m benchmarks.vectors``; prints one JSON object per line. The vectors are those of
the paragraphs of text files below ``--text``, made by the built-in model. Queries are a few
consecutive words of a paragraph, as people type them. Without ``--text`` the vectors are made up,
in clusters, and a query is the sum of one and as much noise.
"""

import argparse
import gzip
import json
import os
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

import numpy as np

from benchmarks.figures import Figure, figure, percentile, rounded
from clew.embed.models import open_model
from clew.embed.quantized import quantize
from clew.engine.approximate.run_build import SAMPLE
from clew.index.approximate import (
    RECALL_MIN,
    ApproximateIndex,
    build_graph,
    choose_candidate_count,
    graph_bytes,
    mean_recall,
    open_graph,
    trial_recall,
)
from clew.index.vectors import VectorIndex
from clew.values.arrays import Float32Array, Int8Array

FULL = (10_000, 60_000, 200_000, 600_000)
SHORT = (2_000, 5_000)
QUERIES = 200
REPLACED = 200_000  # vectors of which each is replaced twice
SEED = 1

_DIMENSIONS = 256
_CLUSTERS = 2_000
_WORDS = range(2, 9)  # of a query
_PARAGRAPH_CHARACTERS = range(80, 1_500)
_LETTERS_MIN = 0.6  # the share of letters that makes a paragraph prose
_FILE_CHARACTERS_MAX = 2_000_000
_FILES = (".txt", ".md", ".rst", ".gz", ".html", ".py", ".h", ".pm", ".pod")
_BATCH = 1_024  # paragraphs
_DISTINCT_SPARE = 1.15  # paragraphs read, as a multiple of the distinct vectors wanted
_BLANK_LINES = re.compile(r"\n\s*\n")
_MARKUP = re.compile(r"(?m)^[.'].*$|\\f.|<[^>]+>")


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The vectors to search, and queries: those that measure, and those that a build may see."""

    vectors: Int8Array
    queries: Int8Array
    sample: Int8Array


def figures(material: Material, counts: Sequence[int], replaced: int) -> Iterator[Figure]:
    """Yield the figures for each number of vectors, and those after edits."""
    if replaced * 3 <= len(material.vectors):
        yield from _compared(f"vectors_replaced_{replaced}", _edited(material, replaced), material)
    for count in counts:
        if count <= len(material.vectors):
            vectors = _index_of(_some(material.vectors, count))
            yield from _compared(f"vectors_{count}", vectors, material)


def _compared(name: str, vectors: VectorIndex, material: Material) -> Iterator[Figure]:
    """Yield the figures of one index."""
    began_s = time.process_time()
    recall = trial_recall(vectors, list(material.sample))
    trial_s = time.process_time() - began_s
    yield figure(f"{name}_trial_recall", recall, "share", cpu_s=rounded(trial_s))
    began_s = time.process_time()
    graph = build_graph(vectors)
    build_s = time.process_time() - began_s
    # Like a build, this chooses by other queries than those that measure.
    count, expected = choose_candidate_count(graph, vectors, list(material.sample))
    chosen = {"candidates": count, "build_recall": rounded(expected)}
    data = graph_bytes(graph)
    del graph
    yield figure(f"{name}_build_cpu_s", build_s, "s", mb=rounded(len(data) / 1e6), **chosen)
    exact_ms = _milliseconds(material.queries, vectors.similarities)
    yield figure(f"{name}_exact_p50_ms", median(exact_ms), "ms", p99=_p99(exact_ms))
    if not count:
        return
    approximate = open_graph(memoryview(data), vectors.coverage(), count)
    vectors.use_approximate(approximate)
    near_ms = _milliseconds(material.queries, vectors.near)
    yield figure(f"{name}_approximate_p50_ms", median(near_ms), "ms", p99=_p99(near_ms))
    yield _recall(f"{name}_recall_at_10", approximate, vectors, material.queries)


def _recall(
    name: str, approximate: ApproximateIndex, vectors: VectorIndex, queries: Int8Array
) -> Figure:
    """Return the recall, which is ok from ``RECALL_MIN`` on: other figures have upper bounds."""
    recall = mean_recall(approximate, vectors, list(queries))
    return figure(name, recall, "share") | {"bound": RECALL_MIN, "ok": recall >= RECALL_MIN}


def _milliseconds(queries: Int8Array, search: Callable[[Int8Array], object]) -> list[float]:
    """Return the CPU time of each query, since wall time would count other processes too."""
    took_ms = []
    for query in queries:
        began_ns = time.thread_time_ns()
        search(query)
        took_ms.append((time.thread_time_ns() - began_ns) / 1e6)
    return took_ms


def _p99(took_ms: Sequence[float]) -> float:
    return rounded(percentile(took_ms, 0.99))


def _index_of(rows: Int8Array) -> VectorIndex:
    index = VectorIndex()
    index.set_model("model", rows.shape[1])
    _append(index, rows)
    return index


def _append(index: VectorIndex, rows: Int8Array) -> None:
    first = len(index)
    index.extend(len(rows))
    index.put(slice(first, first + len(rows)), rows)


def _edited(material: Material, count: int) -> VectorIndex:
    """Return an index of ``count`` vectors of which each was replaced twice, not compacted."""
    generations = np.array_split(_some(material.vectors, 3 * count), 3)
    index = _index_of(generations[0])
    for rows in generations[1:]:
        index.drop(slice(0, len(index)))
        _append(index, rows)
    return index


def _some(rows: Int8Array, count: int) -> Int8Array:
    """Return a random choice of rows, in a random order."""
    chosen: Int8Array = rows[np.random.default_rng(SEED).permutation(len(rows))[:count]]
    return chosen


# -- vectors ----------------------------------------------------------------------------------


def made_up(count: int) -> Material:
    """Return vectors in clusters, and queries that share a part with some vector."""
    rng = np.random.default_rng(SEED)
    centres = rng.standard_normal((_CLUSTERS, _DIMENSIONS)).astype(np.float32)
    rows = [
        quantize(centres[rng.integers(_CLUSTERS, size=1_000)] + _noise(rng, 1_000)).rows
        for _ in range(-(-count // 1_000))
    ]
    vectors = np.concatenate(rows)[:count]
    of_queries = vectors[rng.integers(count, size=QUERIES + SAMPLE)].astype(np.float32)
    lengths = np.linalg.norm(of_queries, axis=1, keepdims=True) / _DIMENSIONS**0.5
    queries = quantize(of_queries / lengths + _noise(rng, len(of_queries))).rows
    return Material(vectors, queries[:QUERIES], queries[QUERIES:])


def _noise(rng: np.random.Generator, count: int) -> Float32Array:
    return rng.standard_normal((count, _DIMENSIONS)).astype(np.float32)


def of_text(folders: Sequence[str], count_max: int) -> Material:
    """Return the vectors of distinct paragraphs of text files, and of a few words of some."""
    encoder, rng = open_model("builtin"), np.random.default_rng(SEED)
    rows: list[Int8Array] = []
    phrases: set[str] = set()
    for batch in _batches(_paragraphs(folders)):
        rows.append(encoder.encode(batch).rows)
        words = batch[0].split()
        first = int(rng.integers(max(1, len(words) - max(_WORDS))))
        phrases.add(" ".join(words[first : first + int(rng.choice(_WORDS))]))
        if len(rows) * _BATCH > count_max * _DISTINCT_SPARE:
            break
    vectors = np.unique(np.concatenate(rows), axis=0)
    queries = _some(encoder.encode(sorted(phrases)).rows, QUERIES + SAMPLE)
    return Material(vectors, queries[SAMPLE:], queries[:SAMPLE])


def _batches(paragraphs: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(paragraphs, _BATCH)):
        yield batch


def _paragraphs(folders: Sequence[str]) -> Iterator[str]:
    """Yield the paragraphs of prose of all text files below ``folders``, with the file's name."""
    for path in _text_files(folders):
        open_text = gzip.open if path.endswith(".gz") else open
        try:
            with open_text(path, "rt", encoding="utf-8", errors="replace") as file:
                text = _MARKUP.sub(" ", file.read(_FILE_CHARACTERS_MAX))
        except (OSError, EOFError, zlib.error):
            continue
        name = os.path.basename(path).partition(".")[0]
        for paragraph in map(" ".join, map(str.split, _BLANK_LINES.split(text))):
            letters = sum(map(str.isalpha, paragraph))
            if len(paragraph) in _PARAGRAPH_CHARACTERS and letters > _LETTERS_MIN * len(paragraph):
                yield f"{name} {paragraph}"


def _text_files(folders: Sequence[str]) -> Iterator[str]:
    """Yield the text files below ``folders``; files in one folder are often alike, so shuffled."""
    paths = [
        os.path.join(folder, name)
        for top in folders
        for folder, _, names in os.walk(top)
        for name in sorted(names)
        if name.endswith(_FILES)
    ]
    return (paths[n] for n in np.random.default_rng(SEED).permutation(len(paths)))


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vectors", description=__doc__)
    parser.add_argument("--text", action="append", help="a folder of text files; may be repeated")
    parser.add_argument("--short", action="store_true", help="made-up vectors, in some seconds")
    arguments = parser.parse_args()
    counts = SHORT if arguments.short else FULL
    replaced = SHORT[0] // 2 if arguments.short else REPLACED
    count_max = max(*counts, 3 * replaced)
    material = of_text(arguments.text, count_max) if arguments.text else made_up(count_max)
    for measured in figures(material, counts, replaced):
        print(json.dumps(measured), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
