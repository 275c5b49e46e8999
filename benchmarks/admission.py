"""Measure how well search tells the questions of a vault from those of others.

Run as ``python -m benchmarks.admission DATA [--model NAME] [--only NAME]``. Each folder below DATA
with ``queries.jsonl`` and a vault is a collection, as for ``benchmarks.quality``. Every vault is
asked its own questions, and 200 of other collections, as many of each. Collections with a name in
common, up to a slash, a hyphen or a bracket, are versions or translations of one another: they
lend each other no questions, and lend to others those with most words in common.

Prints the noise of the model, and for each collection: the area under the ROC curve of the answer's
confidence (the probability that an own question has a higher one than a foreign one), the shares
of own and of foreign questions that are answered ``no``, and the share of the relevant notes among
the first ten that admission leaves out.
"""

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np

from benchmarks.quality import data_sets
from benchmarks.scoring import Query, load_queries
from clew.embed.encoder import Encoder
from clew.embed.models import open_model
from clew.embed.noise import measured_noise
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.engine.snapshot import Snapshot
from clew.query.highest import highest_in_slices
from clew.query.search.finding.judge import find_and_judge
from clew.query.search.finding.setting import Setting
from clew.query.search.search_config import SearchConfig
from clew.query.slices import finished
from clew.values.arrays import Int8Array
from clew.values.errors import InvalidParams
from clew.values.requests import Search

FOREIGN_QUESTIONS = 200
FIRST = 10
SEED = 1
NOW_S = 1_795_000_000.0  # 2026-11-18
HEADING = (
    "| collection | own | AUC | own: no | foreign: no | foreign: yes | relevant left out |\n"
    "|---|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question."""

    confidence: float  # of the best note
    answered: str
    relevant: int  # relevant notes among the first ten without admission
    left_out: int  # of which admission leaves out so many


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.admission", description=__doc__)
    parser.add_argument("data", help="folder of collections")
    parser.add_argument("--model", default="builtin", help="as in the config")
    parser.add_argument("--only", action="append", default=[], help="names of collections")
    arguments = parser.parse_args()
    encoder = open_model(arguments.model)
    sys.stdout.write(f"noise of the model: {measured_noise(encoder.encode):.6f}\n\n{HEADING}")
    sets = list(data_sets(arguments.data))
    questions = {name: load_queries(folder) for name, folder, _ in sets}
    for name, _, vault in sets:
        if arguments.only and not any(part in name for part in arguments.only):
            continue
        snapshot = read_anew(IndexerSettings(vault), encoder=encoder)
        setting = _setting(encoder)
        own = [outcome(snapshot, query, setting) for query in questions[name]]
        others = foreign(questions, name)
        sys.stdout.write(_row(name, own, [outcome(snapshot, query, setting) for query in others]))
        sys.stdout.flush()
    return 0


def _setting(encoder: Encoder) -> Setting:
    def encode(text: str) -> Int8Array:
        codes: Int8Array = encoder.encode([text]).rows[0].copy()
        return codes

    noise, is_word = encoder.noise, encoder.has_word
    return Setting(NOW_S, UTC, SearchConfig(), encode, noise=noise, is_word=is_word)


def foreign(questions: dict[str, list[Query]], name: str) -> list[Query]:
    """Return questions of other collections, as many of each, without relevant notes."""
    families: dict[str, list[str]] = defaultdict(list)
    for each in questions:
        families[family(each)].append(each)
    families.pop(family(name))
    words = _words(questions[name])
    chosen: list[Query] = []
    for number, key in enumerate(sorted(families)):
        lender = max(families[key], key=lambda each: len(words & _words(questions[each])))
        count = (FOREIGN_QUESTIONS - len(chosen)) // (len(families) - number)
        lent = questions[lender]
        drawn = random.Random(SEED).sample(lent, min(count, len(lent)))  # noqa: S311 - no secret
        chosen += [Query(query.id, query.text, {}) for query in drawn]
    return chosen


def family(name: str) -> str:
    """Return the part of a collection's name that its versions and translations share."""
    return re.split(r"[-/ (]", name)[0]


def _words(queries: Iterable[Query]) -> set[str]:
    return {word for query in queries for word in query.text.casefold().split()}


def outcome(snapshot: Snapshot, query: Query, setting: Setting) -> Outcome:
    """Return what becomes of a question; one without any word is answered ``no``."""
    request = Search(query=query.text)
    try:
        _, judged = finished(find_and_judge(snapshot, request, setting))
    except InvalidParams:
        return Outcome(0.0, "no", 0, 0)
    path_of = snapshot.graph.path
    first = finished(highest_in_slices(judged.note_ids, judged.order, path_of, FIRST))
    relevant = query.grades.keys() & map(path_of, first.tolist())
    left_out = relevant - set(map(path_of, judged.admission.of(first).tolist()))
    best = judged.admission.best_confidence
    return Outcome(best, judged.admission.answered, len(relevant), len(left_out))


def _row(name: str, own: Sequence[Outcome], others: Sequence[Outcome]) -> str:
    relevant = max(1, sum(each.relevant for each in own))
    cells = [
        f"{len(own)}",
        f"{area([e.confidence for e in own], [e.confidence for e in others]):.3f}",
        f"{_share(own, 'no'):.3f}",
        f"{_share(others, 'no'):.3f}",
        f"{_share(others, 'yes'):.3f}",
        f"{sum(each.left_out for each in own) / relevant:.3f}",
    ]
    return f"| {name} | {' | '.join(cells)} |\n"


def area(own: Sequence[float], others: Sequence[float]) -> float:
    """Return the probability that a number of ``own`` is above one of ``others``; ties count half.

    This is the area under the ROC curve (Mann-Whitney U over the number of pairs).
    """
    differences = np.subtract.outer(np.array(own), np.array(others))
    return float((differences > 0).mean() + 0.5 * (differences == 0).mean())


def _share(outcomes: Sequence[Outcome], answered: str) -> float:
    return sum(each.answered == answered for each in outcomes) / len(outcomes)


if __name__ == "__main__":
    sys.exit(main())
