"""Rank judged collections by models, by BM25 and by both, and print the measures.

A set of documents, queries and judgements has one measure; conversations with questions have three:
recall among single turns, and of turns and sessions among windows of six. The two rankings are
combined by weighted reciprocal rank fusion (Cormack et al., SIGIR 2009).
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import Stemmer
from model2vec import StaticModel

Scorer = Callable[[Sequence[str], Sequence[str]], np.ndarray]  # queries, texts: of shape (q, t)

FIGURES = {
    "nfcorpus-dev": "ndcg@10",
    "nfcorpus-test": "ndcg@10",
    "cranfield": "ndcg@10",
    "cisi": "ndcg@10",
    "2wiki": "recall@5",
    "xquad-en": "recall@1",
}
WINDOW_TURNS = 6
WINDOW_STEP = 3
RANKS_MAX = 100
WEIGHTS = (1.0, 0.5, 0.25)


@dataclass(frozen=True, slots=True)
class Task:
    """Texts to rank for queries; ``judge`` returns the measures of one query's ranking."""

    queries: list[str]
    texts: list[str]
    judge: Callable[[int, np.ndarray], Mapping[str, float]]


def main() -> None:
    """Print a line of measures for each way to rank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, help="a file as README.md describes it")
    parser.add_argument("models", nargs="*", help="folders of models")
    given = parser.parse_args()
    data = json.loads(given.sets.read_text())
    tasks = list(all_tasks(data))
    words = [by_words(task.queries, task.texts) for task in tasks]
    tell("BM25", tasks, words)
    for name in given.models:
        model = by_model(StaticModel.from_pretrained(Path(name).resolve(strict=True)))
        found = [model(task.queries, task.texts) for task in tasks]
        tell(name[-30:], tasks, found)
        for weight in WEIGHTS:
            mixed = [
                weight * reciprocal_ranks(ours) + reciprocal_ranks(other)
                for ours, other in zip(found, words, strict=True)
            ]
            tell(f"   + BM25, weight {weight}", tasks, mixed)


def tell(name: str, tasks: Sequence[Task], scores: Sequence[np.ndarray]) -> None:
    """Print the mean of every measure over the queries, in hundredths."""
    figures: dict[str, list[float]] = defaultdict(list)
    for task, found in zip(tasks, scores, strict=True):
        for query, ranking in enumerate(np.argsort(-found, axis=1, kind="stable")):
            for figure, value in task.judge(query, ranking).items():
                figures[figure].append(value)
    means = (f"{figure} {100 * np.mean(values):.1f}" for figure, values in figures.items())
    print(f"{name:30s}", "  ".join(means), flush=True)


def all_tasks(data: Mapping[str, Any]) -> Iterator[Task]:
    """Yield every task of the file."""
    for name in FIGURES:
        if name in data["ir"]:
            yield judged(name, data["ir"][name])
    for conversation in data["locomo"]:
        yield turns(conversation)
        yield windows(conversation)


def judged(name: str, found: Mapping[str, Any]) -> Task:
    """Return the task of documents that were judged for queries."""
    ids, queries = list(found["docs"]), list(found["queries"])
    kind, most = FIGURES[name].split("@")

    def judge(query: int, ranking: np.ndarray) -> Mapping[str, float]:
        relevant = found["qrels"][queries[query]]
        ranked = [ids[place] for place in ranking[: int(most)]]
        if kind == "recall":
            return {name: len(set(ranked) & set(relevant)) / len(relevant)}
        ideal = sorted(relevant.values(), reverse=True)[: int(most)]
        return {name: gain([relevant.get(one, 0) for one in ranked]) / gain(ideal)}

    return Task(list(found["queries"].values()), list(found["docs"].values()), judge)


def gain(grades: Sequence[int]) -> float:
    """Return the discounted cumulative gain (Burges et al., ICML 2005)."""
    return float(sum((2**grade - 1) / np.log2(place + 2) for place, grade in enumerate(grades)))


def turns(conversation: Mapping[str, Any]) -> Task:
    """Return the task of finding the turns that answer a question."""
    ids = [turn[0] for turn in conversation["turns"]]
    asked = conversation["qa"]

    def judge(query: int, ranking: np.ndarray) -> Mapping[str, float]:
        evidence = set(asked[query][2])
        found = {ids[place] for place in ranking[:10]}
        return {"turn@10": len(evidence & found) / len(evidence)}

    return Task([one[0] for one in asked], [turn[2] for turn in conversation["turns"]], judge)


def windows(conversation: Mapping[str, Any]) -> Task:
    """Return the task of finding windows of turns, which are as long as chunks of notes."""
    sessions: dict[int, list[Any]] = defaultdict(list)
    for turn in conversation["turns"]:
        sessions[turn[1]].append(turn)
    cut = [
        (session, said[start : start + WINDOW_TURNS])
        for session, said in sessions.items()
        for start in range(0, max(1, len(said) - WINDOW_TURNS + WINDOW_STEP), WINDOW_STEP)
    ]
    asked = conversation["qa"]

    def judge(query: int, ranking: np.ndarray) -> Mapping[str, float]:
        evidence = set(asked[query][2])
        wanted = {int(one[1:].split(":")[0]) for one in evidence}
        near = list(dict.fromkeys(cut[place][0] for place in ranking))[:5]
        found = {turn[0] for place in ranking[:5] for turn in cut[place][1]}
        return {
            "window turns@5": len(evidence & found) / len(evidence),
            "window sessions@5": len(wanted & set(near)) / len(wanted),
        }

    texts = ["\n".join(turn[2] for turn in said) for _, said in cut]
    return Task([one[0] for one in asked], texts, judge)


def by_words(queries: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    """Return the BM25 scores of the texts for each query, over stemmed words."""

    def cut(said: Sequence[str], **more: Any) -> Any:
        stemmer = Stemmer.Stemmer("english")
        return bm25s.tokenize(said, stopwords="en", stemmer=stemmer, show_progress=False, **more)

    index = bm25s.BM25(method="lucene")
    index.index(cut(texts), show_progress=False)
    nothing = np.zeros(len(texts), np.float32)
    asked = cut(queries, return_ids=False)
    return np.stack([index.get_scores(words) if words else nothing for words in asked])


def by_model(model: StaticModel) -> Scorer:
    """Return a scorer that uses the cosines of a model's vectors."""

    def unit(texts: Sequence[str]) -> np.ndarray:
        found = model.encode(list(texts), max_length=None, use_multiprocessing=False)
        vectors = found.astype(np.float32)
        return vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)

    return lambda queries, texts: unit(queries) @ unit(texts).T


def reciprocal_ranks(scores: np.ndarray) -> np.ndarray:
    """Return 1 / (60 + rank) for the best of each query, 0 for all others."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :RANKS_MAX]
    values = (1 / (61 + np.arange(best.shape[1]))).astype(np.float32)
    ranks = np.zeros_like(scores, dtype=np.float32)
    np.put_along_axis(ranks, best, np.broadcast_to(values, best.shape), 1)
    return ranks


if __name__ == "__main__":
    main()
