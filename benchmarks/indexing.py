"""From a vault to the CPU of its first index, beside the least that reading Markdown costs.

The least is markdown-it-py's block rules run once over every text. Both sides run in fresh
processes, ``python -m benchmarks.indexing (index|blocks) VAULT``, which print what they measured
after their imports were done.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from benchmarks.figures import Figure, figure, ratio_figure, rounded

CPU_RATIO_MAX = 1.5

Measured = dict[str, Any]


def first_index(vault: str, repeats: int) -> Iterator[Figure]:
    """Yield the figures of ``repeats`` first indexes, each beside its counterpart."""
    paths = note_paths(vault)
    note_bytes = sum(len(_data(path)) for path in paths)  # and the page cache is warm
    runs = [(_child("index", vault), _child("blocks", vault)) for _ in range(repeats)]
    pairs = [(ours["cpu_s"], theirs["cpu_s"]) for ours, theirs in runs]
    ratios = [rounded(ours / theirs) for ours, theirs in pairs]
    yield ratio_figure("first_index_cpu_ratio", pairs, CPU_RATIO_MAX, all=ratios)
    wall_s = median(ours["wall_s"] for ours, _ in runs)
    megabytes = note_bytes / 1e6
    yield figure("notes_per_second", len(paths) / wall_s, "notes/s", wall_s=rounded(wall_s))
    yield figure("mb_per_second", megabytes / wall_s, "MB/s", megabytes=rounded(megabytes))


def note_paths(vault: str) -> list[str]:
    """Return the full paths of the notes of a vault, sorted."""
    return sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(vault)
        for name in names
        if name.endswith(".md")
    )


def _child(side: str, vault: str) -> Measured:
    words = [sys.executable, "-m", "benchmarks.indexing", side, vault]
    measured: Measured = json.loads(subprocess.check_output(words))
    return measured


def _measure(work: Callable[[], None]) -> Measured:
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    work()
    return {"cpu_s": time.process_time() - cpu_s, "wall_s": time.perf_counter() - wall_s}


def _index(vault: str) -> Measured:
    from clew.engine.indexer import Indexer, drained  # noqa: PLC0415 - one side's own
    from clew.engine.settings import IndexerSettings  # noqa: PLC0415

    def work() -> None:
        indexer = Indexer(IndexerSettings(vault))
        now_ns = time.time_ns()
        drained(indexer.absorb(indexer.look(now_ns), now_ns))

    return _measure(work)


def _blocks(vault: str) -> Measured:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - one side's own

    paths = note_paths(vault)

    def work() -> None:
        parser = MarkdownIt("commonmark")
        for path in paths:
            parser.block.parse(_data(path).decode(), parser, {}, [])

    return _measure(work)


def _data(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    print(json.dumps({"index": _index, "blocks": _blocks}[sys.argv[1]](sys.argv[2])))
