"""Measure whether packs hold what answers a question, and print a table.

Run as ``python -m benchmarks.context_quality DATA [--only NAME]... [--template NAME]...``. Each
folder below DATA with a vault and questions that have answers (``answer`` in ``queries.jsonl``) or
lines that answer them (``gold_turns``, with ``turns.jsonl``) is a collection. The baselines are
whole notes one after the other, cut at the budget: by BM25, and in the order of search. After each
figure stand those of both halves of the questions, the even and the odd ones.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from benchmarks.context_scores import Question, load_questions, means, note_texts, whole_notes
from benchmarks.daemon import Served, move_home, result, served
from benchmarks.plain_bm25 import PlainBm25
from benchmarks.quality import data_sets
from benchmarks.searches import wait_for_vectors
from clew.text.tokens import count_tokens

BUDGETS = (512, 1_024, 4_096)
TEMPLATES = ("compact", "default", "detailed")
NOTES_MAX = 100  # of a baseline
_URI = "memory://"

TextOf = Callable[[Question, int], str]


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.context_quality")
    parser.add_argument("data", help="folder of collections")
    parser.add_argument("--only", action="append", default=[], help="names of collections")
    parser.add_argument("--template", action="append", choices=TEMPLATES, help="of the packs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-") as temporary:
        move_home(os.path.realpath(temporary))
        columns = [f"{budget:,} tokens" for budget in BUDGETS]
        print(f"| collection | text | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
        for name, folder, vault in data_sets(arguments.data):
            is_wanted = not arguments.only or any(part in name for part in arguments.only)
            questions = load_questions(folder) if is_wanted else []
            if questions:
                with served(vault) as server:
                    wait_for_vectors(server)
                    for label, text_of in _texts(server, arguments.template or TEMPLATES):
                        cells = [cell(questions, text_of, budget) for budget in BUDGETS]
                        print(f"| {name} | {label} | {' | '.join(cells)} |", flush=True)
    return 0


def _texts(server: Served, templates: Sequence[str]) -> Iterator[tuple[str, TextOf]]:
    """Yield the name of each kind of text, and the function that makes it."""
    texts = note_texts(server.vault)
    ranked = PlainBm25(texts).ranked
    yield (
        "whole notes, BM25",
        lambda question, budget: whole_notes(
            ranked(question.text)[:NOTES_MAX], texts, budget, count_tokens
        ),
    )
    yield (
        "whole notes, search",
        lambda question, budget: whole_notes(
            _searched(server, question.text), texts, budget, count_tokens
        ),
    )
    for template in templates:
        yield template, _packs(server, template)


def _packs(server: Served, template: str) -> TextOf:
    def text(question: Question, budget: int) -> str:
        params = {"query": question.text, "tokenBudget": budget, "template": template}
        return str(_reply(server, "context", params).get("context", ""))

    return text


def _searched(server: Served, query: str) -> list[str]:
    rows = _reply(server, "search", {"query": query, "limit": NOTES_MAX}).get("results", [])
    return [unquote(row["uri"].removeprefix(_URI)) for row in rows]


def _reply(
    server: Served, method: str, params: dict[str, object]
) -> dict[str, list[dict[str, str]]]:
    try:
        reply: dict[str, list[dict[str, str]]] = result(server.peer, method, **params)
    except RuntimeError:
        return {}  # The query has only stop words.
    return reply


def cell(questions: Sequence[Question], text_of: TextOf, budget: int) -> str:
    """Return the figures of a kind of text, and those of both halves of the questions."""
    texts = [text_of(question, budget) for question in questions]
    halves = [_figures(texts[half::2], questions[half::2]) for half in (0, 1)]
    return f"{_figures(texts, questions)} ({', '.join(halves)})"


def _figures(texts: Sequence[str], questions: Sequence[Question]) -> str:
    return "/".join(f"{figure:.3f}" for figure in means(texts, questions))


if __name__ == "__main__":
    sys.exit(main())
