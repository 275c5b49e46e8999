"""Fit vectors of pieces to the teacher's vectors of texts, in three stages.

Stage 0: the teacher's vector of a piece alone, blended with the mean of its vectors in context, and
weighed by a / (a + p), where p is how often it occurs (SIF: Arora et al., ICLR 2017).
Stage 1: weighted ridge regression, by conjugate gradients, so that the weighted mean of a text's
pieces gives the teacher's vector of the text; rare pieces stay near stage 0.
Stage 2: steps of Adam in fewer dimensions: similarities within a batch as the teacher has them, and
InfoNCE on pairs of names and texts, and of two parts of a text. Most batches are of one source,
where texts are harder to distinguish; on some, names of people are put before both, so that the
name of a speaker does not matter too much.

``pack.py`` mixes the three. As in tokenlearn, only the vectors of pieces are learnt.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from pieces import encoded, held_out, lines_of, log, matrix, unit, usual_length
from refine import Pairs, refined
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import BertModel

TEXTS_PER_FILE = 2_048  # as teach.py has it


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", required=True, help="the folder of the teacher")
    parser.add_argument("--corpus", type=Path, required=True, help="what gather.py wrote")
    parser.add_argument("--pairs", type=Path, action="append", default=[], help="more pairs")
    parser.add_argument("--enc", type=Path, required=True, help="what teach.py wrote")
    parser.add_argument("--cache", type=Path, required=True, help="for vectors of pieces alone")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--new-words", type=int, default=10_000, help="that become pieces")
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--sif", type=float, default=1e-3, help="the a of stage 0")
    parser.add_argument("--lam", type=float, default=5.0, help="how rare pieces hold to stage 0")
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--batch", type=int, default=768)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--kl", type=float, default=0.3, help="weight of the teacher's likenesses")
    parser.add_argument("--temp", type=float, default=0.05)
    parser.add_argument("--name-prefix", type=float, default=0.25, help="share of batches")
    parser.add_argument("--drop-src", default="", help="sources of text to leave out, by commas")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


def main() -> None:
    """Write the three stages and the other files that pack.py needs."""
    given = arguments()
    draw = np.random.default_rng(given.seed)
    torch.manual_seed(given.seed)
    dropped = set(filter(None, given.drop_src.split(",")))
    rows = [(row, row["src"] not in dropped) for row in lines_of(given.corpus)]
    vocabulary, tokenizer = vocabularies(given.teacher, rows, given.new_words)
    alone = vectors_alone(given, vocabulary)
    taught = lessons(given.enc, rows, vocabulary)
    log("vectors of pieces and texts", alone.shape, taught.targets.shape)
    ids = encoded(tokenizer, taught.texts)
    counts = (
        np.bincount(
            np.concatenate([np.asarray(one, np.int64) for one in ids]),
            minlength=len(vocabulary.pieces),
        )
        + 0.1
    )
    shares = counts / counts.sum()
    weights = (given.sif / (given.sif + shares)).astype(np.float32)
    stage0 = blend(alone, taught, 0.5) * weights[:, None]
    stage1 = regressed(alone, taught, ids, weights, given.lam) * weights[:, None]
    pairs = Pairs.gathered(given, rows, dropped, draw, tokenizer)
    stage2 = refined(given, stage1, counts, ids, taught.targets, pairs, draw)
    given.out.mkdir(parents=True, exist_ok=True)
    stages = {"s0": stage0, "s1": stage1, "s2": stage2}
    np.savez(
        given.out / "stages.npz",
        p=shares,
        **{key: stage.astype(np.float16) for key, stage in stages.items()},
    )
    tokenizer.save(str(given.out / "tokenizer.json"), pretty=False)
    lengths = {key: usual_length(stage, ids) for key, stage in stages.items()}
    (given.out / "rms.json").write_text(json.dumps(lengths))
    np.save(given.out / "sample_ids.npy", np.array(ids[:60_000], dtype=object), allow_pickle=True)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of the model, and how the teacher's tokenizer reads them."""

    pieces: list[str]
    old: Mapping[str, int]  # ids of the teacher's tokenizer
    teachers: Tokenizer

    def ids(self, piece: str) -> list[int]:
        """Return the teacher's ids of a piece, between its special tokens."""
        inner = [self.old[piece]] if piece in self.old else self.read(piece)
        return [self.old["[CLS]"], *inner, self.old["[SEP]"]]

    def read(self, word: str) -> list[int]:
        """Return the teacher's ids of a word."""
        return list(self.teachers.encode(word, add_special_tokens=False).ids)


def vocabularies(
    teacher: str, rows: Sequence[tuple[dict[str, Any], bool]], most: int
) -> tuple[Vocabulary, Tokenizer]:
    """Return the teacher's pieces with frequent whole words added, and a tokenizer of them."""
    written = json.loads(Path(teacher, "tokenizer.json").read_text())
    old = written["model"]["vocab"]
    teachers = Tokenizer.from_file(f"{teacher}/tokenizer.json")
    teachers.no_padding()
    teachers.no_truncation()
    needless = re.compile(r"\[unused\d+\]|\[CLS\]|\[SEP\]|\[MASK\]")
    kept = [piece for piece in sorted(old, key=old.__getitem__) if not needless.fullmatch(piece)]
    counts: Counter[str] = Counter()
    for row, is_used in rows:
        if is_used:
            plain = teachers.normalizer.normalize_str(row["text"])
            counts.update(re.findall(r"[a-z][a-z0-9]{2,23}", plain))
    frequent = [w for w, count in counts.most_common() if count >= 4 and w not in old][:most]
    vocabulary = Vocabulary(kept, old, teachers)
    vocabulary.pieces.extend(word for word in frequent if len(vocabulary.read(word)) >= 2)
    places = {piece: place for place, piece in enumerate(vocabulary.pieces)}
    written["model"]["vocab"] = places
    written["added_tokens"] = [
        added | {"id": places[added["content"]]}
        for added in written["added_tokens"]
        if added["content"] in ("[PAD]", "[UNK]")
    ]
    written["post_processor"] = written["truncation"] = written["padding"] = None
    return vocabulary, Tokenizer.from_str(json.dumps(written))


def vectors_alone(given: argparse.Namespace, vocabulary: Vocabulary) -> np.ndarray:
    """Return the teacher's vector of each piece by itself; vectors computed earlier are cached."""
    given.cache.mkdir(parents=True, exist_ok=True)
    path = given.cache / "alone.npz"
    known: dict[str, np.ndarray] = {}
    if path.exists():
        saved = np.load(path, allow_pickle=True)
        known = dict(zip(saved["t"], saved["v"], strict=True))
    wanted = [piece for piece in vocabulary.pieces if piece not in known]
    if wanted:
        known.update(read_alone(given.teacher, vocabulary, wanted))
        np.savez(path, t=np.array(list(known), dtype=object), v=np.stack(list(known.values())))
    return np.stack([known[piece] for piece in vocabulary.pieces]).astype(np.float32)


def read_alone(
    teacher: str, vocabulary: Vocabulary, wanted: Sequence[str]
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield pieces with the teacher's unit vectors of them, the shortest first."""
    bert = BertModel.from_pretrained(teacher, add_pooling_layer=False, local_files_only=True)
    bert.eval()
    read = [vocabulary.ids(piece) for piece in wanted]
    order = np.argsort([len(one) for one in read], kind="stable")
    for start in range(0, len(order), 512):
        batch = order[start : start + 512]
        length = max(len(read[one]) for one in batch)
        padded = torch.zeros(len(batch), length, dtype=torch.long)
        mask = torch.zeros_like(padded)
        for row, one in enumerate(batch):
            padded[row, : len(read[one])] = torch.tensor(read[one])
            mask[row, : len(read[one])] = 1
        with torch.inference_mode():
            hidden = bert(input_ids=padded, attention_mask=mask).last_hidden_state
            means = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors = functional.normalize(means, dim=1).numpy()
        for row, one in enumerate(batch):
            yield wanted[one], vectors[row].astype(np.float16)


@dataclass(frozen=True, slots=True)
class Lessons:
    """The teacher's vectors of the texts and of their pieces."""

    texts: list[str]
    targets: np.ndarray  # shape (text_count, width), unit vectors
    contexts: np.ndarray  # shape (piece_count, width): mean of the piece's vectors, unit, or 0
    counts: np.ndarray  # shape (piece_count,): occurrences of the piece in the texts


def lessons(
    folder: Path, rows: Sequence[tuple[dict[str, Any], bool]], vocabulary: Vocabulary
) -> Lessons:
    """Return the vectors that teach.py wrote, for the texts that are used."""
    texts: list[str] = []
    targets = []
    sums: Any = 0
    counts: Any = 0
    for path in sorted(folder.glob("shard????.npz")):
        start = int(path.stem[5:]) * TEXTS_PER_FILE
        saved = np.load(path)
        portion = rows[start : start + TEXTS_PER_FILE]
        used = [place for place, (_, is_used) in enumerate(portion) if is_used]
        targets.append(saved["emb"][used].astype(np.float32))
        texts += [portion[place][0]["text"] for place in used]
        met = np.zeros(len(vocabulary.old))
        met[saved["u"]] = saved["cnt"]
        said = np.zeros((len(met), saved["ctx"].shape[1]), np.float32)
        said[saved["u"]] = saved["ctx"]
        sums, counts = sums + said, counts + met
    ids = np.array([vocabulary.old.get(piece, -1) for piece in vocabulary.pieces])
    known = np.where(ids >= 0, counts[ids], 0)
    means = np.zeros((len(ids), sums.shape[1]), np.float32)
    means[known > 0] = sums[ids[known > 0]] / known[known > 0, None]
    return Lessons(texts, np.concatenate(targets), unit(means), known)


def blend(alone: np.ndarray, taught: Lessons, share: float) -> np.ndarray:
    """Return vectors of pieces; the more frequent, the more they are those in context."""
    known = (taught.counts / (taught.counts + 5))[:, None] * share
    return (alone * (1 - known) + taught.contexts * known).astype(np.float32)


def regressed(
    alone: np.ndarray,
    taught: Lessons,
    ids: Sequence[Sequence[int]],
    weights: np.ndarray,
    lam: float,
) -> np.ndarray:
    """Return the vectors of stage 1, by 20 preconditioned conjugate gradient steps."""
    texts = matrix(ids, len(weights), weights)
    texts = sp.diags(1 / np.maximum(np.asarray(texts.sum(1)).ravel(), 1e-6)) @ texts
    texts = texts.astype(np.float32).tocsr()
    held = held_out(ids)
    targets = unit(taught.targets - taught.targets.mean(0))
    seen, wanted = texts[held:], targets[held:]
    start = blend(alone, taught, 0.6)
    start -= start.mean(0)
    start = unit(start)
    guess = seen @ start
    start *= float((wanted * guess).sum() / (guess**2).sum())

    def likeness(vectors: np.ndarray) -> float:
        return float(np.mean((targets[:held] * unit(texts[:held] @ vectors)).sum(1)))

    turned = seen.T.tocsr()
    diagonal = np.asarray(seen.multiply(seen).sum(0)).ravel()
    ridge = np.float32(lam * np.median(diagonal[diagonal > 0]))
    scale = (1 / (diagonal + ridge))[:, None].astype(np.float32)
    found = np.zeros_like(start)
    rest = turned @ (wanted - seen @ start)
    step = scale * rest
    error = float((rest * step).sum())
    for _ in range(20):
        moved = turned @ (seen @ step) + ridge * step
        length = error / float((step * moved).sum())
        found += length * step
        rest -= length * moved
        scaled = scale * rest
        left = float((rest * scaled).sum())
        step = scaled + (left / error) * step
        error = left
    log("held-out cosine", round(likeness(start), 4), "->", round(likeness(start + found), 4))
    return start + found


if __name__ == "__main__":
    main()
