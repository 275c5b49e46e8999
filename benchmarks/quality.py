"""Measure search quality on judged data sets, and print one table with a column for each mode.

Run as ``python -m benchmarks.quality DATA [--runs FOLDER] [--approximate]``. Each folder below DATA
with ``queries.jsonl`` and a vault is a data set, served by a daemon of its own. FOLDER receives one
run file for each set and mode, with one line of JSON for each query. With ``--approximate`` the
vectors are searched through an approximate index, however few they are.

Where the leg of a mode finds nothing, search falls back to parts of words. Such answers say nothing
of the leg: they count as no hits, and a cell tells how many there are. Below the table stands each
set where hybrid is further below its best leg than ``DRAG_MAX``.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean
from urllib.parse import unquote

from benchmarks.daemon import Served, move_home, result, served
from benchmarks.scoring import Query, discounted_gain, load_queries, recall, reciprocal_rank
from benchmarks.searches import wait_for_vectors

LEGS = ("keyword", "semantic", "graph")
MODES = (*LEGS, "hybrid")
FALLBACK = "keyword"  # the tier of a reply by parts of words
DRAG_MAX = 0.01
DEPTH = 100
_URI = "memory://"
_NO_GRAPH = "[search.weights]\ngraph = 0.0\n"
_APPROXIMATE = "[search]\napproximate_from = 1\n"
_BUILD_SECONDS_MAX = 600.0


@dataclass(frozen=True, slots=True)
class Score:
    """The means over all queries of one set in one mode."""

    recall_at_5: float
    reciprocal_rank: float
    gain_at_10: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The notes that one query found, best first."""

    hits: list[str]
    is_fallback: bool = False  # found by parts of words, as the mode's legs found nothing


def data_sets(folder: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the folder and the vault of each data set below ``folder``."""
    for path, folders, files in os.walk(folder):
        folders.sort()
        if "queries.jsonl" in files:
            name = os.path.relpath(path, folder)
            for vault in sorted(entry for entry in folders if entry.startswith("vault")):
                label = name if vault == "vault" else f"{name} ({vault.removeprefix('vault-')})"
                yield label, path, os.path.realpath(os.path.join(path, vault))
            folders.clear()


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("data", help="folder of data sets")
    parser.add_argument("--runs", help="folder for run files")
    parser.add_argument("--only", action="append", default=[], help="names of sets")
    parser.add_argument("--approximate", action="store_true", help="search vectors approximately")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-") as temporary:
        folder = os.path.realpath(temporary)
        move_home(folder)
        sys.stdout.write(_heading())
        drags: list[str] = []
        for name, data_set, vault in data_sets(arguments.data):
            if arguments.only and not any(part in name for part in arguments.only):
                continue
            queries = load_queries(data_set)
            config = _APPROXIMATE if arguments.approximate else ""
            with _served(vault, folder, config) as server:
                runs = {mode: _run(server, queries, mode) for mode in MODES}
            with _served(vault, folder, config + _NO_GRAPH) as server:
                runs["no graph"] = _run(server, queries, "hybrid")
            scores = {mode: score(queries, hits_of(mode, run)) for mode, run in runs.items()}
            sys.stdout.write(_row(name, runs, scores))
            sys.stdout.flush()
            drags += [f"{name}: {metric} {drag:.3f}" for metric, drag in drag_of(scores)]
            if arguments.runs:
                _write(arguments.runs, name, queries, runs)
        for line in drags:
            sys.stdout.write(f"hybrid is below its best leg: {line}\n")
    return 0


@contextmanager
def _served(vault: str, folder: str, config: str) -> Iterator[Served]:
    """Serve ``vault`` with this config, once its vectors are ready."""
    path = os.path.join(folder, "config.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(config)
    os.environ["CLEW_CONFIG"] = path
    with served(vault) as server:
        wait_for_vectors(server)
        if _APPROXIMATE in config:
            _wait_for_approximate(server)
        yield server


def _wait_for_approximate(server: Served) -> None:
    deadline_s = time.monotonic() + _BUILD_SECONDS_MAX
    while result(server.peer, "status")["vectorSearch"] != "approximate":
        if time.monotonic() > deadline_s:
            raise RuntimeError("there is no approximate index")
        time.sleep(0.1)


def _run(server: Served, queries: Sequence[Query], mode: str) -> list[Answer]:
    return [_answer(server, query, mode) for query in queries]


def _answer(server: Served, query: Query, mode: str) -> Answer:
    try:
        reply = result(server.peer, "search", query=query.text, mode=mode, limit=DEPTH)
    except RuntimeError:
        return Answer([])  # The query has only stop words.
    hits = [unquote(row["uri"].removeprefix(_URI)) for row in reply["results"]]
    return Answer(hits, reply["searchMetrics"]["tier"] == FALLBACK)


def hits_of(mode: str, run: Sequence[Answer]) -> list[list[str]]:
    """Return the hits of each query that count for ``mode``: for a single leg, no fallback."""
    return [[] if answer.is_fallback and mode in LEGS else answer.hits for answer in run]


def drag_of(scores: Mapping[str, Score]) -> list[tuple[str, float]]:
    """Return how far hybrid is below its best leg, for each metric where that is too much."""
    drags = {
        metric: max(getattr(scores[leg], metric) for leg in LEGS)
        - getattr(scores["hybrid"], metric)
        for metric in ("recall_at_5", "gain_at_10")
    }
    return [(metric, drag) for metric, drag in drags.items() if drag > DRAG_MAX]


def score(queries: Sequence[Query], run: Sequence[Sequence[str]]) -> Score:
    """Return the mean scores over ``queries``; ``run`` has the hits of each query, best first."""
    pairs = list(zip(run, (query.grades for query in queries), strict=True))
    return Score(
        fmean(recall(hits, grades, 5) for hits, grades in pairs),
        fmean(reciprocal_rank(hits, grades) for hits, grades in pairs),
        fmean(discounted_gain(hits, grades) for hits, grades in pairs),
    )


def _heading() -> str:
    columns = [*MODES, "no graph"]
    return f"| set | queries | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}\n"


def _row(name: str, runs: Mapping[str, Sequence[Answer]], scores: Mapping[str, Score]) -> str:
    cells = [_cell(runs[mode], row) for mode, row in scores.items()]
    return f"| {name} | {len(runs['hybrid'])} | {' | '.join(cells)} |\n"


def _cell(run: Sequence[Answer], row: Score) -> str:
    figures = f"{row.recall_at_5:.3f} {row.reciprocal_rank:.3f} {row.gain_at_10:.3f}"
    fallbacks = sum(answer.is_fallback for answer in run)
    return f"{figures} ({fallbacks} fell back)" if fallbacks else figures


def _write(
    folder: str, name: str, queries: Sequence[Query], runs: Mapping[str, Sequence[Answer]]
) -> None:
    os.makedirs(folder, exist_ok=True)
    for mode, run in runs.items():
        label = "".join(c if c.isalnum() or c in "-." else "_" for c in f"{name}.{mode}")
        with open(os.path.join(folder, f"{label}.jsonl"), "w", encoding="utf-8") as file:
            rows = zip(queries, run, strict=True)
            file.writelines(
                json.dumps({"id": q.id, "hits": a.hits, "fallback": a.is_fallback}) + "\n"
                for q, a in rows
            )


if __name__ == "__main__":
    sys.exit(main())
