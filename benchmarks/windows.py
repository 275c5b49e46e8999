"""Measure the method ``assemble``: how long windows take, and whether they hold the answer.

Run as ``python -m benchmarks.windows DATA [--only NAME]...``. Each folder below DATA with a vault,
``turns.jsonl`` and questions with ``gold_turns`` is a collection of conversations. Each question is
asked as a task: alone; with the last ten turns of its conversation as the history that a client
brings; and in the conversation as a session, all of whose turns were appended. After each figure
stand those of both halves of the questions, the even and the odd ones.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from benchmarks.context_quality import cell
from benchmarks.context_scores import Question, load_questions
from benchmarks.daemon import Served, ask, move_home, request, result, served
from benchmarks.figures import Figure, figure, percentile
from benchmarks.quality import data_sets
from benchmarks.searches import WARM_UP, queries, wait_for_vectors

BUDGET = 2_048
LATENCY_BUDGET = 4_000
HISTORY = 10  # turns
BOUNDS_MS = (25.0, 80.0)  # p50 and p99 at 10,000 notes
AS_OF = "2026-01-01"


def assemble_latency(
    server: Served, count: int, bounds_ms: tuple[float | None, float | None] = BOUNDS_MS
) -> Iterator[Figure]:
    """Yield the latency of windows of 4,000 tokens, and that of the same window again."""
    texts = queries(server.vault, count + WARM_UP)
    for text in texts[count:]:
        _latency_ms(server, text)
    made_ms, again_ms = [], []
    for text in texts[:count]:
        made_ms.append(_latency_ms(server, text))
        again_ms.append(_latency_ms(server, text))
    yield figure("assemble_p50_ms", median(made_ms), "ms", bounds_ms[0], queries=count)
    yield figure("assemble_p99_ms", percentile(made_ms, 0.99), "ms", bounds_ms[1])
    yield figure("assemble_again_p50_ms", median(again_ms), "ms")


def _latency_ms(server: Served, text: str) -> float:
    task = {"text": text}
    line = request("assemble", task=task, tokenBudget=LATENCY_BUDGET, asOf=AS_OF)
    began_s = time.perf_counter()
    ask(server.peer, line)
    return 1000 * (time.perf_counter() - began_s)


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.windows")
    parser.add_argument("data", help="folder of collections")
    parser.add_argument("--only", action="append", default=[], help="names of collections")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-") as temporary:
        move_home(os.path.realpath(temporary))
        print(f"| collection | text | {BUDGET:,} tokens |\n|---|---|---|")
        for name, folder, vault in data_sets(arguments.data):
            turns = os.path.join(folder, "turns.jsonl")
            is_wanted = not arguments.only or name in arguments.only
            if is_wanted and os.path.exists(turns):
                with served(vault) as server:
                    wait_for_vectors(server)
                    for label, row in _rows(server, folder, turns):
                        print(f"| {name} | {label} | {row} |", flush=True)
    return 0


def _rows(server: Served, folder: str, turns: str) -> Iterator[tuple[str, str]]:
    questions, histories = load_questions(folder), _histories(turns)

    def pack(question: Question, budget: int) -> str:
        params = {"query": question.text, "tokenBudget": budget, "template": "compact"}
        return _text(server, "context", params, "context")

    def window(question: Question, budget: int) -> str:
        params = {"task": {"text": question.text}, "tokenBudget": budget}
        return _text(server, "assemble", params, "text")

    def window_with_history(question: Question, budget: int) -> str:
        history = histories[question.conversation]
        params = {"task": {"text": question.text}, "tokenBudget": budget, "history": history}
        return _text(server, "assemble", params, "text")

    def window_in_session(question: Question, budget: int) -> str:
        session = {"id": question.conversation}
        params = {"task": {"text": question.text}, "tokenBudget": budget, "session": session}
        return _text(server, "assemble", params, "text")

    yield "context, compact", cell(questions, pack, BUDGET)
    yield "assemble", cell(questions, window, BUDGET)
    yield "assemble, history given", cell(questions, window_with_history, BUDGET)
    for row in _turns(turns):
        append = {"role": row["speaker"], "content": row["text"]}
        result(server.peer, "session.append", sessionId=row["conversation"], **append)
    yield "assemble, in a session", cell(questions, window_in_session, BUDGET)


def _text(server: Served, method: str, params: dict[str, Any], field: str) -> str:
    try:
        return str(result(server.peer, method, **params)[field])
    except RuntimeError:
        return ""  # The query has only stop words.


def _histories(path: str) -> Mapping[str, list[dict[str, str]]]:
    """Return the last turns of each conversation, as items of a history, the newest first."""
    turns: dict[str, list[dict[str, str]]] = {}
    for row in _turns(path):
        text = f"{row['speaker']}: {row['text']}"
        turns.setdefault(row["conversation"], []).append({"text": text})
    return {name: rows[-HISTORY:][::-1] for name, rows in turns.items()}


def _turns(path: str) -> Iterator[dict[str, str]]:
    """Yield the turns with a text, each with its conversation."""
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, filter(None, file.read().split("\n"))):
            if row["text"]:
                yield {**row, "conversation": row["id"].partition(":")[0]}


if __name__ == "__main__":
    sys.exit(main())
