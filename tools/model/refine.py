"""Stage 2 of training: pairs of related texts, and contrastive training with Adam."""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from pieces import encoded, held_out, lines_of, log, matrix, reduced
from tokenizers import Tokenizer
from torch.nn import functional

NAMES = """
    Alice Bob Carol David Emma Frank Grace Henry Irene Jack Karen Leo Maria Nina Oscar Paula
    Quinn Rachel Sam Tina Victor Wendy Yuki Zoe Anna Ben Chris Diana Ethan Fiona George Hannah
    Ivan Julia Kevin Laura Mark Peter Rosa Steve Tom Vera Will Alex Sarah John Mary James Linda
    Robert Susan Michael Lisa Daniel Sophie Lucas Mia Noah Olivia Liam Ella Maya Priya Wei Chen
    Ahmed Fatima Carlos Elena
""".split()  # noqa: SIM905 - easier to read than a list


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of related texts as wordpiece ids, with their sources."""

    names: list[list[int]]
    texts: list[list[int]]
    keys: np.ndarray  # equal for equal names
    usable: np.ndarray  # indexes of pairs without an empty text
    sources: list[np.ndarray]  # indexes of pairs by source, for sources that fill two batches
    prefixes: tuple[
        list[list[int]], list[list[int]]
    ]  # names of people, used as prefixes of queries and texts

    @classmethod
    def gathered(
        cls,
        given: argparse.Namespace,
        rows: Sequence[tuple[dict[str, Any], bool]],
        dropped: set[str],
        draw: np.random.Generator,
        tokenizer: Tokenizer,
    ) -> "Pairs":
        """Return the pairs of all rows and files."""
        found = [pair for row, is_used in rows if is_used for pair in pairs_of(row, draw)]
        for path in given.pairs:
            more = (row for row in lines_of(path) if row["src"] not in dropped)
            found += [(row["q"], row["text"], row["src"]) for row in more]
        numbers: dict[str, int] = {}
        names = encoded(tokenizer, [pair[0] for pair in found])
        texts = encoded(tokenizer, [pair[1] for pair in found])
        usable = np.array([place for place in range(len(found)) if names[place] and texts[place]])
        of = np.array([pair[2] for pair in found])[usable]
        log("pairs", len(usable), dict(Counter(of.tolist())))
        places_by_source = [usable[of == source] for source in sorted(set(of.tolist()))]
        return cls(
            names,
            texts,
            np.array([numbers.setdefault(pair[0], len(numbers)) for pair in found]),
            usable,
            [places for places in places_by_source if len(places) >= 2 * given.batch],
            (encoded(tokenizer, NAMES), encoded(tokenizer, [name + ":" for name in NAMES])),
        )

    def drawn(self, count: int, draw: np.random.Generator) -> np.ndarray:
        """Return the indexes of a batch: two out of three batches have a single source."""
        if draw.random() < 0.35:
            return draw.choice(self.usable, count, replace=False)
        chances = np.array([len(places) ** 0.6 for places in self.sources])
        source = draw.choice(len(self.sources), p=chances / chances.sum())
        return draw.choice(self.sources[source], count, replace=False)

    def read(
        self, places: np.ndarray, share: float, draw: np.random.Generator
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Return the names and texts of a batch; some batches get names of people as prefixes."""
        names = [self.names[place] for place in places]
        texts = [self.texts[place] for place in places]
        if draw.random() < share:
            two = draw.choice(len(NAMES), 2, replace=False)
            people = two[draw.integers(0, 2, len(places))]
            in_names, in_texts = self.prefixes
            names = [in_names[who] + ids for who, ids in zip(people, names, strict=True)]
            texts = [in_texts[who] + ids for who, ids in zip(people, texts, strict=True)]
        return names, texts


def pairs_of(row: Mapping[str, Any], draw: np.random.Generator) -> Iterator[tuple[str, str, str]]:
    """Yield the pairs of a text: its name and the text, and a part of it and the rest."""
    src, text = row["src"], row["text"]
    if row.get("q") and (src != "wordnet" or draw.random() < 0.15):
        yield row["q"], text, src
    if len(text) > 160 and src not in ("wordnet", "pydoc"):
        sentences = re.split(r"(?<=[.!?;]) +", text)
        half = max(1, len(sentences) // 2) if draw.random() < 0.5 else 1
        if len(sentences) > 1:
            yield " ".join(sentences[:half]), " ".join(sentences[half:]), "part-of-text"


class Bag(torch.autograd.Function):
    """Weighted sums of the vectors of each text's wordpieces, by a sparse matrix."""

    @staticmethod
    def forward(ctx: Any, vectors: Any, weights: Any, texts: Any) -> torch.Tensor:
        """Return the sum of each text; ``weights`` holds the logarithms of the weights."""
        weighted = vectors * torch.exp(weights)[:, None]
        ctx.texts = texts
        ctx.save_for_backward(weights, weighted)
        return torch.from_numpy(texts @ weighted.numpy())

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> tuple[torch.Tensor, torch.Tensor, None]:
        """Return the gradients of vectors and weights."""
        weights, weighted = ctx.saved_tensors
        pieces = torch.from_numpy(ctx.texts.T.tocsr() @ gradient.contiguous().numpy())
        return pieces * torch.exp(weights)[:, None], (pieces * weighted).sum(1), None


def refined(
    given: argparse.Namespace,
    stage1: np.ndarray,
    counts: np.ndarray,
    ids: Sequence[Sequence[int]],
    targets: np.ndarray,
    pairs: Pairs,
    draw: np.random.Generator,
) -> np.ndarray:
    """Return the vectors of stage 2: Adam improves stage 1 in ``given.dims`` dimensions."""
    start = reduced(stage1, ids, given.dims)
    start /= np.median(np.linalg.norm(start[counts > 2], axis=1))
    size = float(np.sqrt((start**2).mean()))
    vectors = torch.nn.Parameter(torch.from_numpy(start.copy()))
    weights = torch.nn.Parameter(torch.zeros(len(start)))
    groups = [
        {"params": [vectors], "lr": 0, "most": given.lr * size},
        {"params": [weights], "lr": 0, "most": given.lr * 4},
    ]
    adam = torch.optim.Adam(groups, betas=(0.9, 0.99), fused=True)
    learnt = np.array([place for place in range(held_out(ids), len(ids)) if ids[place]])
    wanted = torch.from_numpy(targets)
    for step in range(given.steps):
        rate = min(1, (step + 1) / 20) * max(0.03, 1 - step / given.steps)
        for group in adam.param_groups:
            group["lr"] = group["most"] * rate
        batch = draw.choice(learnt, given.batch, replace=False)
        places = pairs.drawn(given.batch, draw)
        names, texts = pairs.read(places, given.name_prefix, draw)
        bag = matrix([ids[place] for place in batch] + names + texts, len(start))
        said = functional.normalize(Bag.apply(vectors, weights, bag), dim=1)
        apart = distilled(said[: given.batch], wanted[batch], given.temp)
        paired = contrasted(said[given.batch :], pairs.keys[places], given.temp)
        adam.zero_grad(set_to_none=True)
        (given.kl * apart + paired).backward()
        adam.step()
        if (step + 1) % 100 == 0:
            log(f"step {step + 1} kl {apart.item():.4f} pair {paired.item():.4f}")
    return (vectors * torch.exp(weights)[:, None]).detach().numpy()


def distilled(said: torch.Tensor, wanted: torch.Tensor, temp: float) -> torch.Tensor:
    """Return the KL divergence of the similarities within a batch from the teacher's."""
    same = torch.eye(len(said), dtype=torch.bool)
    ours, theirs = (
        functional.log_softmax((rows @ rows.T / temp).masked_fill(same, -1e4), 1)
        for rows in (said, wanted)
    )
    return functional.kl_div(ours, theirs, log_target=True, reduction="batchmean")


def contrasted(said: torch.Tensor, keys: np.ndarray, temp: float) -> torch.Tensor:
    """Return InfoNCE, both ways, for names (first half) and texts; equal names do not compete."""
    names, texts = said.chunk(2)
    same = torch.eye(len(keys), dtype=torch.bool)
    equal = torch.from_numpy(keys[:, None] == keys[None, :]) & ~same
    scores = (names @ texts.T / temp).masked_fill(equal, -1e4)
    right = torch.arange(len(keys))
    both = functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)
    return both / 2
