"""Measure what the temporal leg gains for questions that name the time of their note.

Run as ``python -m benchmarks.periods DATA [--only SET]``. Each question of a set whose first answer
has a date in front matter is asked twice: with its month at the end ("... in May 2023?"), and a
week later with "last week". Prints recall@5, MRR and nDCG@10 with the leg and without it, and of
how many questions the period was understood.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import unquote

from benchmarks.daemon import Served, move_home, result, served
from benchmarks.quality import data_sets, score
from benchmarks.scoring import Query, load_queries
from benchmarks.searches import wait_for_vectors

DEPTH = 100
_DATE = re.compile(r"^(?:date|created): ['\"]?([0-9]{4}-[0-9]{2}-[0-9]{2})", re.MULTILINE)
_HEAD_CHARACTERS = 2_000  # of a note, which have its front matter
_URI = "memory://"
_ARMS = {"hybrid": "", "no temporal": "[search.weights]\ntemporal = 0.0\n"}


@dataclass(frozen=True, slots=True)
class Dated:
    """A question that says when its answer was written, and the day on which it is asked."""

    query: Query
    as_of: date


def _by_month(text: str, day: date) -> tuple[str, date]:
    return f"{text} in {day:%B %Y}", day + timedelta(days=365)


def _by_year(text: str, day: date) -> tuple[str, date]:
    return f"{text} in {day:%Y}", day + timedelta(days=365)


def _last_week(text: str, day: date) -> tuple[str, date]:
    return f"{text} last week", day + timedelta(days=7)


VARIANTS: dict[str, Callable[[str, date], tuple[str, date]]] = {
    "in May 2023": _by_month,
    "in 2023": _by_year,
    "last week": _last_week,
}


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.periods", description=__doc__)
    parser.add_argument("data", help="folder of data sets")
    parser.add_argument("--only", action="append", default=[], help="names of sets")
    arguments = parser.parse_args()
    sys.stdout.write(f"| set | time | questions | understood | {' | '.join(_ARMS)} |\n")
    with tempfile.TemporaryDirectory(prefix="clew-") as temporary:
        move_home(os.path.realpath(temporary))
        for name, folder, vault in data_sets(arguments.data):
            if not arguments.only or any(part in name for part in arguments.only):
                _measure(name, vault, load_queries(folder), os.path.realpath(temporary))
    return 0


def _measure(name: str, vault: str, queries: Sequence[Query], folder: str) -> None:
    """Print the rows of one set, if its notes have dates."""
    asked = {label: list(_dated(vault, queries, rewrite)) for label, rewrite in VARIANTS.items()}
    if not any(asked.values()):
        return
    cells: dict[str, list[str]] = {label: [] for label in asked}
    understood: dict[str, int] = {}
    for config in _ARMS.values():
        with _served(vault, folder, config) as server:
            for label, questions in asked.items():
                replies = [_ask(server, question) for question in questions]
                understood[label] = sum(period for period, _ in replies)
                means = score([each.query for each in questions], [hits for _, hits in replies])
                cells[label].append(
                    f"{means.recall_at_5:.3f} {means.reciprocal_rank:.3f} {means.gain_at_10:.3f}"
                )
    for label, row in cells.items():
        counts = f"{len(asked[label])} | {understood[label]}"
        sys.stdout.write(f"| {name} | {label} | {counts} | {' | '.join(row)} |\n")
    sys.stdout.flush()


def _dated(
    vault: str, queries: Sequence[Query], rewrite: Callable[[str, date], tuple[str, date]]
) -> Iterator[Dated]:
    """Yield the questions whose first answer has a date, each with that time at its end."""
    for query in queries:
        with open(os.path.join(vault, next(iter(query.grades))), encoding="utf-8") as file:
            match = _DATE.search(file.read(_HEAD_CHARACTERS))
        if match:
            text, as_of = rewrite(query.text.rstrip("?. "), date.fromisoformat(match[1]))
            yield Dated(Query(query.id, f"{text}?", query.grades), as_of)


@contextmanager
def _served(vault: str, folder: str, config: str) -> Iterator[Served]:
    """Serve ``vault`` with this config, once its vectors are ready."""
    path = os.path.join(folder, "config.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(config)
    os.environ["CLEW_CONFIG"] = path
    with served(vault) as server:
        wait_for_vectors(server)
        yield server


def _ask(server: Served, question: Dated) -> tuple[bool, list[str]]:
    """Return whether a period was understood, and the paths of the notes found, best first."""
    reply = result(
        server.peer,
        "search",
        query=question.query.text,
        limit=DEPTH,
        asOf=question.as_of.isoformat(),
    )
    paths = [unquote(row["uri"].removeprefix(_URI)) for row in reply["results"]]
    return reply["period"] is not None, paths


if __name__ == "__main__":
    sys.exit(main())
