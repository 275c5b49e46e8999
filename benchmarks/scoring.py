"""Scores of a ranking against judged notes: recall, reciprocal rank and nDCG.

As in trec_eval and MTEB, only the first rank of a note counts, gains are grades, and each score is
the mean over all queries with a relevant note.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Grades = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and the relevant notes with their grades, all above 0."""

    id: str
    text: str
    grades: Grades


def load_queries(folder: str) -> list[Query]:
    """Return the queries of ``queries.jsonl``, with the grades of ``qrels.tsv`` if it exists."""
    graded: dict[str, dict[str, int]] = {}
    qrels = os.path.join(folder, "qrels.tsv")
    if os.path.exists(qrels):
        with open(qrels, encoding="utf-8") as file:
            for line in filter(None, file.read().split("\n")):
                query_id, note, grade = line.split("\t")
                graded.setdefault(query_id, {})[note] = int(grade)
    with open(os.path.join(folder, "queries.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file.read().split("\n") if line]
    queries = []
    for row in rows:
        grades = graded.get(row["id"]) or dict.fromkeys(row["gold"], 1)
        kept = {note: grade for note, grade in grades.items() if grade > 0}
        if kept:
            queries.append(Query(row["id"], row["query"], kept))
    return queries


def recall(hits: Sequence[str], grades: Grades, first: int) -> float:
    """Return the share of the relevant notes that are among the ``first`` hits."""
    return len(set(hits[:first]) & grades.keys()) / len(grades)


def reciprocal_rank(hits: Sequence[str], grades: Grades) -> float:
    """Return 1 over the rank of the first relevant note; 0.0 when there is none."""
    return next((1 / rank for rank, note in enumerate(hits, 1) if note in grades), 0.0)


def discounted_gain(hits: Sequence[str], grades: Grades, first: int = 10) -> float:
    """Return nDCG: the gain of the ``first`` hits, discounted by rank, over the best possible.

    Source: Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques", 2002.
    """
    best = sorted(grades.values(), reverse=True)[:first]
    return _gain([grades.get(note, 0) for note in hits[:first]]) / _gain(best)


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))
