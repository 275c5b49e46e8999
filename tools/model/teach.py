"""Save the teacher's vector of each text, and for each piece the sum of its vectors in context.

Writes a file for every 2,048 texts, in order. If it is stopped, the next run continues from there.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertModel

TEXTS_PER_FILE = 2_048
PIECES_AT_ONCE = 4_096


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", required=True, help="the folder of the teacher")
    parser.add_argument("--corpus", type=Path, required=True, help="what gather.py wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--max-len", type=int, default=128, help="pieces of a text that are read")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after this many")
    return parser.parse_args()


def main() -> None:
    """Write the files that are missing."""
    given = arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(f"{given.teacher}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(given.max_len)
    teacher = BertModel.from_pretrained(
        given.teacher, add_pooling_layer=False, local_files_only=True
    ).eval()
    with given.corpus.open() as lines:
        texts = [json.loads(line)["text"] for line in lines]
    began_s = time.monotonic()
    for start in range(0, len(texts), TEXTS_PER_FILE):
        path = given.out / f"shard{start // TEXTS_PER_FILE:04d}.npz"
        if path.exists():
            continue
        portion = texts[start : start + TEXTS_PER_FILE]
        ids = [found.ids for found in tokenizer.encode_batch_fast(portion)]
        unfinished = path.with_suffix(".tmp.npz")
        np.savez(unfinished, **taught(teacher, ids))
        unfinished.rename(path)
        taken_s = time.monotonic() - began_s
        print(f"{start + len(portion)}/{len(texts)} texts, {taken_s:.0f}s", flush=True)
        if taken_s > given.minutes * 60:
            break


def taught(teacher: BertModel, ids: list[list[int]]) -> dict[str, np.ndarray]:
    """Return the vectors of texts, their pieces, and the sums of the vectors of each piece."""
    token_count, dimensions = teacher.embeddings.word_embeddings.weight.shape
    vectors = np.zeros((len(ids), dimensions), np.float32)
    sums = np.zeros((token_count, dimensions), np.float32)
    counts = np.zeros(token_count, np.int32)
    order = np.argsort([len(one) for one in ids], kind="stable")
    place = 0
    while place < len(order):
        length = len(ids[order[min(place + 8, len(order) - 1)]])
        batch = order[place : place + max(8, PIECES_AT_ONCE // max(8, length))]
        means, hidden = read(teacher, [ids[one] for one in batch])
        vectors[batch] = means
        for row, one in enumerate(batch):
            inner = np.asarray(ids[one])[1:-1]  # without the special tokens at both ends
            np.add.at(sums, inner, hidden[row, 1 : len(ids[one]) - 1])
            np.add.at(counts, inner, 1)
        place += len(batch)
    used = np.flatnonzero(counts)
    return {
        "emb": vectors.astype(np.float16),
        "flat": np.concatenate([np.asarray(one[1:-1], np.uint16) for one in ids]),
        "lens": np.array([len(one) - 2 for one in ids], np.int16),
        "u": used.astype(np.int32),
        "ctx": sums[used],
        "cnt": counts[used],
    }


def read(teacher: BertModel, ids: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors of texts, and those of their pieces; the former are sums of the latter."""
    length = max(len(one) for one in ids)
    padded = torch.zeros(len(ids), length, dtype=torch.long)
    mask = torch.zeros(len(ids), length, dtype=torch.long)
    for row, one in enumerate(ids):
        padded[row, : len(one)] = torch.tensor(one)
        mask[row, : len(one)] = 1
    with torch.inference_mode():
        hidden = teacher(input_ids=padded, attention_mask=mask).last_hidden_state
        there = mask[..., None].float()
        mean = (hidden * there).sum(1) / there.sum(1)
        norm = mean.norm(dim=1, keepdim=True)
        return (mean / norm).numpy(), (hidden / norm[:, None]).numpy()


if __name__ == "__main__":
    main()
