"""From nothing to figures: a vault is made up, indexed, served, asked and changed.

Run as ``python -m benchmarks.run``; prints one JSON object a line.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.asking import choose, command_line, concept_latency
from benchmarks.changing import at_rest, one_change, save_to_queryable
from benchmarks.dividing import wait_for_communities, while_dividing
from benchmarks.figures import Figure, figure
from benchmarks.generate import generate
from benchmarks.indexing import first_index
from benchmarks.living import starts, while_reindexing
from benchmarks.searching import search_latency, search_while_reindexing, wait_for_vectors
from benchmarks.served import move_home, served

SEED = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    notes: int
    queries: int
    index_pairs: int
    cli_pairs: int
    changes: int
    starts: int
    saves: int
    rest_s: float
    divided_notes: int  # of a vault of its own


FULL = Plan(
    10_000,
    2_000,
    index_pairs=3,
    cli_pairs=30,
    changes=30,
    starts=5,
    saves=100,
    rest_s=5.0,
    divided_notes=2_000,
)
SHORT = Plan(
    600,
    100,
    index_pairs=1,
    cli_pairs=3,
    changes=3,
    starts=1,
    saves=5,
    rest_s=1.0,
    divided_notes=300,
)


def figures(folder: str, plan: Plan) -> Iterator[Figure]:
    """Yield every figure of a run that keeps all its files in ``folder``, an empty one."""
    vault = os.path.join(folder, "vault")
    move_home(folder)
    generate(vault, plan.notes, SEED)
    yield from first_index(vault, plan.index_pairs)
    with served(vault) as server:
        yield figure("first_vectors_s", wait_for_vectors(server), "s")
        yield figure("first_communities_s", wait_for_communities(server), "s")
        yield from at_rest(server, plan.rest_s)
        asked = choose(server, plan.queries, plan.cli_pairs)
        yield from concept_latency(server, asked)
        yield from search_latency(server, plan.queries)
        yield from command_line(server, asked)
        yield from one_change(server, plan.changes, plan.rest_s)
        yield from save_to_queryable(server, plan.saves)
    yield from starts(vault, plan.starts)
    with served(vault) as server:
        yield from while_reindexing(server, choose(server, plan.queries, plan.cli_pairs))
        yield from search_while_reindexing(server, plan.queries)
    smaller = os.path.join(folder, "smaller")
    generate(smaller, plan.divided_notes, SEED)
    with served(smaller) as server:
        yield from while_dividing(server, choose(server, plan.queries, plan.cli_pairs))


def main() -> int:
    """Print the figures that the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--notes", type=int)
    parser.add_argument("--queries", type=int)
    parser.add_argument("--short", action="store_true", help="a small vault; never fails")
    parser.add_argument("--no-fail", action="store_true", help="end well whatever the figures")
    given = parser.parse_args()
    plan = SHORT if given.short else FULL
    plan = replace(plan, notes=given.notes or plan.notes, queries=given.queries or plan.queries)
    missed = False
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        for found in figures(os.path.realpath(folder), plan):
            print(json.dumps(found), flush=True)
            missed = missed or found["ok"] is False
    return int(missed and not (given.short or given.no_fail))


if __name__ == "__main__":
    sys.exit(main())
