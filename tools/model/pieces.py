"""Functions shared by all training steps: read texts, count wordpieces, reduce vectors."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from tokenizers import Tokenizer

CHARACTERS_MAX = 700


def log(*said: object) -> None:
    """Print a line with the seconds since this process started."""
    print(f"[{time.process_time():6.0f}s]", *said, flush=True)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file with one object per line."""
    with path.open() as lines:
        return [json.loads(line) for line in lines]


def unit(rows: np.ndarray) -> np.ndarray:
    """Return rows of unit length; zero rows stay zero."""
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Return the wordpiece ids of the texts, truncated."""
    cut = [text[:CHARACTERS_MAX] for text in texts]
    return [found.ids for found in tokenizer.encode_batch_fast(cut, add_special_tokens=False)]


def matrix(ids: Sequence[Sequence[int]], width: int, weights: np.ndarray | None = None) -> Any:
    """Return the weighted count of each piece (column) in each text (row)."""
    ends = np.concatenate([[0], np.cumsum([len(one) for one in ids])])
    columns = np.concatenate([np.asarray(one, np.int32) for one in ids])
    values = np.ones(len(columns), np.float32) if weights is None else weights[columns]
    return sp.csr_matrix((values, columns, ends), shape=(len(ids), width))


def held_out(ids: Sequence[Sequence[int]]) -> int:
    """Return how many of the first texts are held out from training."""
    return min(2_000, len(ids) // 10)


def usual_length(vectors: np.ndarray, ids: Sequence[Sequence[int]]) -> float:
    """Return the mean length of the texts' mean vectors."""
    texts = matrix(ids, len(vectors))[:20_000]
    means = (texts @ vectors) / np.maximum(1, texts.getnnz(1))[:, None]
    return float(np.mean(np.linalg.norm(means, axis=1)))


def reduced(vectors: np.ndarray, ids: Sequence[Sequence[int]], dims: int) -> np.ndarray:
    """Return the vectors projected on the main directions of the texts, without centring."""
    texts = unit(matrix(ids, len(vectors)) @ vectors)
    values, directions = np.linalg.eigh(texts.T @ texts / len(texts))
    kept = np.sort(values)[::-1][:dims].sum() / values.sum()
    log(f"PCA {vectors.shape[1]} -> {dims} keeps {kept:.4f}")
    return np.ascontiguousarray(vectors @ directions[:, ::-1][:, :dims], dtype=np.float32)
