"""How well search finds what people meant, on judged data sets: one table, leg by leg.

Run as ``python -m benchmarks.quality DATA [--runs FOLDER]``. Each folder below DATA that holds
``queries.jsonl`` and a vault is a set; it is served by a daemon of its own and asked through the
socket. FOLDER gets one run file for each set and mode: a line of JSON a query.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from urllib.parse import unquote

from benchmarks.scoring import Query, discounted_gain, load_queries, recall, reciprocal_rank
from benchmarks.served import Served, move_home, result, served

MODES = ("keyword", "semantic", "graph", "hybrid")
DEPTH = 100
_URI = "memory://"
_NO_GRAPH = "[search.weights]\ngraph = 0.0\n"


@dataclass(frozen=True, slots=True)
class Score:
    """The means over all queries of one set in one mode."""

    recall_at_5: float
    reciprocal_rank: float
    gain_at_10: float


def data_sets(folder: str) -> Iterator[tuple[str, str, str]]:
    """Yield each set below ``folder``: its name, its folder and its vault."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        if "queries.jsonl" in files:
            name = os.path.relpath(place, folder)
            for vault in sorted(each for each in folders if each.startswith("vault")):
                label = name if vault == "vault" else f"{name} ({vault.removeprefix('vault-')})"
                yield label, place, os.path.realpath(os.path.join(place, vault))
            folders.clear()


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("data", help="folder of data sets")
    parser.add_argument("--runs", help="folder for run files")
    parser.add_argument("--only", action="append", default=[], help="names of sets")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-") as made:
        folder = os.path.realpath(made)
        move_home(folder)
        sys.stdout.write(_heading())
        for name, place, vault in data_sets(given.data):
            if given.only and not any(each in name for each in given.only):
                continue
            queries = load_queries(place)
            with served(vault) as server:
                _wait_for_vectors(server)
                runs = {mode: _run(server, queries, mode) for mode in MODES}
            with _without_graph(folder), served(vault) as server:
                _wait_for_vectors(server)
                runs["no graph"] = _run(server, queries, "hybrid")
            sys.stdout.write(_row(name, queries, runs))
            sys.stdout.flush()
            if given.runs:
                _write(given.runs, name, queries, runs)
    return 0


class _without_graph:  # noqa: N801 - used as a context manager is
    """A configuration in which the graph leg counts nothing."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "no-graph.toml")

    def __enter__(self) -> None:
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(_NO_GRAPH)
        os.environ["CLEW_CONFIG"] = self._path

    def __exit__(self, *_: object) -> None:
        del os.environ["CLEW_CONFIG"]


def _wait_for_vectors(server: Served) -> None:
    while not result(server.peer, "status")["stages"]["vectors"]["ready"]:
        pass


def _run(server: Served, queries: Sequence[Query], mode: str) -> list[list[str]]:
    return [_hits(server, query, mode) for query in queries]


def _hits(server: Served, query: Query, mode: str) -> list[str]:
    try:
        found = result(server.peer, "search", query=query.text, mode=mode, limit=DEPTH)
    except RuntimeError:
        return []  # a query of stop words alone
    return [unquote(row["uri"].removeprefix(_URI)) for row in found["results"]]


def score(queries: Sequence[Query], run: Sequence[Sequence[str]]) -> Score:
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
        f"{each.recall_at_5:.3f} {each.reciprocal_rank:.3f} {each.gain_at_10:.3f}"
        for each in scores
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
