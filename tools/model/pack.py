"""Mix the training stages, reduce the result to its final width, and save it as model2vec does."""

import argparse
import json
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer

TEACHER = "sentence-transformers/all-MiniLM-L6-v2"


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", type=Path, help="the folder that train.py wrote")
    parser.add_argument("out", type=Path)
    parser.add_argument("--mix", default="0.7,0.7,1", help="weights of the stages 0, 1, 2")
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--dtype", default="int8", choices=["int8", "float16", "float32"])
    return parser.parse_args()


def main() -> None:
    """Write the model's folder."""
    given = arguments()
    tokenizer = Tokenizer.from_file(str(given.stages / "tokenizer.json"))
    table = reduced(mixed(given.stages, given.mix), given.stages, given.dims)
    table[tokenizer.token_to_id("[PAD]")] = 0
    table /= np.abs(table).max()
    weights = None
    if given.dtype == "int8":
        weights = (np.abs(table).max(1) / 127 + 1e-12).astype(np.float32)
        table = np.clip(np.rint(table / weights[:, None]), -127, 127)
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": "all-MiniLM-L6-v2",
        "apply_pca": given.dims,
        "hidden_dim": given.dims,
        "seq_length": 1_000_000,
        "normalize": True,
        "pooling": "mean",
    }
    model = StaticModel(
        vectors=table.astype(given.dtype),
        weights=weights,
        tokenizer=tokenizer,
        config=config,
        normalize=True,
        base_model_name=TEACHER,
        language=["en"],
    )
    model.save_pretrained(given.out)
    print("saved", given.out, table.shape, given.dtype)


def mixed(stages: Path, mix: str) -> np.ndarray:
    """Return the concatenated stages, each scaled by its weight and its texts' mean length."""
    saved = np.load(stages / "stages.npz")
    lengths = json.loads((stages / "rms.json").read_text())
    weights = zip(("s0", "s1", "s2"), map(float, mix.split(",")), strict=True)
    parts = [
        weight / lengths[key] * saved[key].astype(np.float32) for key, weight in weights if weight
    ]
    return np.concatenate(parts, axis=1)


def reduced(table: np.ndarray, stages: Path, dims: int) -> np.ndarray:
    """Return the table projected on the main directions of the texts' vectors."""
    ids = np.load(stages / "sample_ids.npy", allow_pickle=True)
    nothing = np.zeros(table.shape[1], np.float32)
    texts = np.stack([table[one].sum(0) if len(one) else nothing for one in ids])
    texts /= np.linalg.norm(texts, axis=1, keepdims=True) + 1e-9
    values, directions = np.linalg.eigh(texts.T @ texts / len(texts))
    kept = np.sort(values)[::-1][:dims].sum() / values.sum()
    print(f"PCA {table.shape[1]} -> {dims} keeps {kept:.4f}")
    return np.ascontiguousarray(table @ directions[:, ::-1][:, :dims], dtype=np.float32)


if __name__ == "__main__":
    main()
