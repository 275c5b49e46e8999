"""Measure search quality on judged data sets, and print one table with a column for each mode.

Run as ``python -m benchmarks.quality DATA [--runs FOLDER] [--approximate]``. Each folder below DATA
with ``queries.jsonl`` and a vault is a data set, served by a daemon of its own. FOLDER receives one
run file for each set and mode, with one line of JSON for each query. With ``--approximate`` the
vectors are searched through an approximate index, however few they are.
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

MODES = ("keyword", "semantic", "graph", "hybrid")
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
        for name, data_set, vault in data_sets(arguments.data):
            if arguments.only and not any(part in name for part in arguments.only):
                continue
            queries = load_queries(data_set)
            config = _APPROXIMATE if arguments.approximate else ""
            with _served(vault, folder, config) as server:
                runs = {mode: _run(server, queries, mode) for mode in MODES}
            with _served(vault, folder, config + _NO_GRAPH) as server:
                runs["no graph"] = _run(server, queries, "hybrid")
            sys.stdout.write(_row(name, queries, runs))
            sys.stdout.flush()
            if arguments.runs:
                _write(arguments.runs, name, queries, runs)
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


def _run(server: Served, queries: Sequence[Query], mode: str) -> list[list[str]]:
    return [_hits(server, query, mode) for query in queries]


def _hits(server: Served, query: Query, mode: str) -> list[str]:
    try:
        reply = result(server.peer, "search", query=query.text, mode=mode, limit=DEPTH)
    except RuntimeError:
        return []  # The query has only stop words.
    return [unquote(row["uri"].removeprefix(_URI)) for row in reply["results"]]


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


def _row(name: str, queries: Sequence[Query], runs: Mapping[str, list[list[str]]]) -> str:
    scores = [score(queries, run) for run in runs.values()]
    cells = [
        f"{row.recall_at_5:.3f} {row.reciprocal_rank:.3f} {row.gain_at_10:.3f}" for row in scores
    ]
    return f"| {name} | {len(queries)} | {' | '.join(cells)} |\n"


def _write(
    folder: str, name: str, queries: Sequence[Query], runs: Mapping[str, list[list[str]]]
) -> None:
    os.makedirs(folder, exist_ok=True)
    for mode, run in runs.items():
        label = "".join(c if c.isalnum() or c in "-." else "_" for c in f"{name}.{mode}")
        with open(os.path.join(folder, f"{label}.jsonl"), "w", encoding="utf-8") as file:
            rows = zip(queries, run, strict=True)
            file.writelines(json.dumps({"id": q.id, "hits": hits}) + "\n" for q, hits in rows)


if __name__ == "__main__":
    sys.exit(main())
