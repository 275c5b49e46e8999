"""Measure how well sessions' turns are recalled.

Run as ``python -m benchmarks.recall DATA``. Each folder below DATA with ``turns.jsonl`` and
``queries.jsonl`` is a collection: turns with an id, a note, a speaker and a text, and questions
with the ids of the turns that answer them. All turns of a collection are candidates for each
question.

Prints recall@5 of a plain BM25 over turns, of the ranking, and of what is recalled at the
threshold; and the shares of the answering and of the other turns that the threshold lets pass.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.plain_bm25 import PlainBm25
from benchmarks.scoring import recall
from clew.embed.encoder import Encoder
from clew.embed.models import open_model
from clew.query.sessions.features import TurnModel
from clew.query.sessions.recall import ranked
from clew.query.sessions.relevance import SIMILARITY_MIN
from clew.query.slices import finished
from clew.text.languages.languages import Languages
from clew.values.memory.turns import Turn, new_turn

FIRST = 5
HEADING = (
    "| collection | turns | questions | BM25 | ranked | recalled | gold passes | others pass |\n"
    "|---|---|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the turns that answer it."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question; shares in [0, 1]."""

    plain: float
    ranked: float
    recalled: float
    gold_passing: float
    others_passing: float


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("data", help="folder of collections")
    arguments = parser.parse_args()
    encoder = open_model("builtin")
    sys.stdout.write(HEADING)
    for folder in sorted(os.listdir(arguments.data)):
        path = os.path.join(arguments.data, folder)
        if os.path.exists(os.path.join(path, "turns.jsonl")):
            sys.stdout.write(row(folder, path, encoder))
            sys.stdout.flush()
    return 0


def row(name: str, folder: str, encoder: Encoder) -> str:
    """Return the row of a collection in the table."""
    turns = {each["id"]: _turn(number, each) for number, each in enumerate(_rows(folder, "turns"))}
    questions = [
        Question(each["query"], frozenset(each["gold_turns"]))
        for each in _rows(folder, "queries")
        if each.get("gold_turns") and turns.keys() >= set(each["gold_turns"])
    ]
    outcomes = list(measured(turns, questions, encoder))
    means = [
        sum(getattr(outcome, field) for outcome in outcomes) / len(outcomes)
        for field in Outcome.__dataclass_fields__
    ]
    shown = " | ".join(f"{mean:.3f}" for mean in means)
    return f"| {name} | {len(turns)} | {len(questions)} | {shown} |\n"


def measured(
    turns: dict[str, Turn], questions: Sequence[Question], encoder: Encoder
) -> Iterator[Outcome]:
    """Yield what becomes of each question."""
    plain = PlainBm25({name: f"{turn.role}: {turn.text}" for name, turn in turns.items()})
    languages = Languages(("english",))
    model = TurnModel(languages, encoder.encode, encoder.fingerprint, encoder.noise)
    id_of = {turn: name for name, turn in turns.items()}
    for question in questions:
        found = finished(ranked(list(turns.values()), question.text, model))
        order = [id_of[turn] for turn in found.turns]
        passing = [
            name
            for name, similarity in zip(order, found.similarities, strict=True)
            if similarity >= SIMILARITY_MIN
        ]
        grades = dict.fromkeys(question.gold, 1)
        gold_passing = len(question.gold.intersection(passing))
        yield Outcome(
            recall(plain.ranked(question.text), grades, FIRST),
            recall(order, grades, FIRST),
            recall(passing, grades, FIRST),
            gold_passing / len(question.gold),
            (len(passing) - gold_passing) / (len(turns) - len(question.gold)),
        )


def _turn(number: int, fields: dict[str, Any]) -> Turn:
    return new_turn(fields["note"], number + 1, fields["speaker"], fields["text"], 0.0)


def _rows(folder: str, name: str) -> list[dict[str, Any]]:
    with open(os.path.join(folder, f"{name}.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file.read().split("\n") if line]


if __name__ == "__main__":
    sys.exit(main())
