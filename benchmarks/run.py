"""Run all benchmarks: generate a vault, index it, serve it, query and change it.

Run as ``python -m benchmarks.run``; prints one JSON object per line.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.changes import cpu_per_change, idle_costs, save_to_queryable
from benchmarks.communities import query_while_partitioning, wait_for_communities
from benchmarks.concept_queries import choose_concepts, command_line, concept_latency
from benchmarks.contexts import context_latency
from benchmarks.daemon import move_home, served
from benchmarks.figures import Figure, figure
from benchmarks.generate import generate
from benchmarks.indexing import first_index
from benchmarks.restarts import concepts_while_reindexing, starts
from benchmarks.searches import search_latency, search_while_reindexing, wait_for_vectors
from benchmarks.windows import assemble_latency

SEED = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of a run."""

    notes: int
    queries: int
    index_pairs: int
    cli_pairs: int
    changes: int
    starts: int
    saves: int
    rest_s: float
    partitioned_notes: int  # notes of a vault used only for this figure


FULL = Plan(
    10_000,
    2_000,
    index_pairs=3,
    cli_pairs=30,
    changes=30,
    starts=5,
    saves=100,
    rest_s=5.0,
    partitioned_notes=2_000,
)
SHORT = Plan(
    200,
    30,
    index_pairs=1,
    cli_pairs=3,
    changes=3,
    starts=1,
    saves=5,
    rest_s=1.0,
    partitioned_notes=100,
)


def figures(folder: str, plan: Plan) -> Iterator[Figure]:
    """Yield all figures of a run; all its files go into ``folder``, which must be empty."""
    vault = os.path.join(folder, "vault")
    move_home(folder)
    generate(vault, plan.notes, SEED)
    yield from first_index(vault, plan.index_pairs)
    with served(vault) as server:
        yield figure("first_vectors_s", wait_for_vectors(server), "s")
        yield figure("first_communities_s", wait_for_communities(server), "s")
        yield from idle_costs(server, plan.rest_s)
        names = choose_concepts(server, plan.queries, plan.cli_pairs)
        yield from concept_latency(server, names)
        yield from search_latency(server, plan.queries)
        yield from context_latency(server, plan.queries // 2)
        yield from assemble_latency(server, plan.queries // 4)
        yield from command_line(server, names)
        yield from cpu_per_change(server, plan.changes, plan.rest_s)
        yield from save_to_queryable(server, plan.saves)
    yield from starts(vault, plan.starts)
    with served(vault) as server:
        yield from concepts_while_reindexing(
            server, choose_concepts(server, plan.queries, plan.cli_pairs)
        )
        yield from search_while_reindexing(server, plan.queries)
    smaller = os.path.join(folder, "smaller")
    generate(smaller, plan.partitioned_notes, SEED)
    with served(smaller) as server:
        yield from query_while_partitioning(
            server, choose_concepts(server, plan.queries, plan.cli_pairs)
        )


def main() -> int:
    """Print all figures; return 1 if one misses its bound, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--notes", type=int)
    parser.add_argument("--queries", type=int)
    parser.add_argument("--short", action="store_true", help="a small vault; never fails")
    parser.add_argument(
        "--no-fail", action="store_true", help="exit with 0 even if a bound is missed"
    )
    arguments = parser.parse_args()
    plan = SHORT if arguments.short else FULL
    plan = replace(
        plan, notes=arguments.notes or plan.notes, queries=arguments.queries or plan.queries
    )
    missed = False
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        for measured in figures(os.path.realpath(folder), plan):
            print(json.dumps(measured), flush=True)
            missed = missed or measured["ok"] is False
    return int(missed and not (arguments.short or arguments.no_fail))


if __name__ == "__main__":
    sys.exit(main())
