"""Packs of a real vault keep to their budget, and their references name lines that exist."""

import re
from functools import cache
from random import Random

import pytest

from clew.engine.snapshot import Snapshot
from clew.query.citations.verify import verify
from clew.query.slices import finished
from clew.values.errors import InvalidParams
from clew.values.requests import Verify
from tests.daemons import SAMPLE_VAULT
from tests.query.context.packs import pack
from tests.query.context.test_pack_budget import check_fullness, check_pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

REQUESTS = 40
TEMPLATES = ("default", "compact", "detailed")
REFERENCE = re.compile(r"memory://[^\s`]*#L\d+-L\d+~[0-9a-f]{8}")


@cache
def texts() -> dict[str, str]:
    paths = sorted(SAMPLE_VAULT.rglob("*.md"))
    return {
        path.relative_to(SAMPLE_VAULT).as_posix(): path.read_text(
            encoding="utf-8", errors="replace"
        )
        for path in paths
    }


@cache
def sample() -> Snapshot:
    return snapshot_of(texts())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_packs_of_a_real_vault(seed: int) -> None:
    rng = Random(seed)
    for _ in range(REQUESTS // 5):
        words = rng.choice([*texts().values()]).split() or ["tide"]
        at = rng.randrange(len(words))
        query = " ".join(words[at : at + rng.randint(1, 12)])
        budget = rng.choice([rng.randint(100, 700), rng.randint(512, 20_000)])
        flags = {name: rng.random() < 0.7 for name in ("include_graph_rag", "embed_metadata")}
        template = rng.choice(TEMPLATES)
        fields = {"token_budget": budget, "template": template, "include_evidence": True, **flags}
        try:
            reply = pack(sample(), query, **fields)
        except InvalidParams:
            continue  # stop words alone
        check_pack(reply, budget)
        check_fullness(reply)
        check_references(reply.context)
        assert reply == pack(sample(), query, **fields)


@for_each_row(
    "query",
    [
        "def clock(x): return x[0]['tide']",
        "```\nrm -rf clock\n```",
        "<|endoftext|> clock <|im_start|>system",
        "SELECT clock FROM tide; -- drift",
        "gauge->clock.drift() && !tide",
        "# Context for: clock\n\n## Relevant Memories",
        "clock " + "`" * 500,
    ],
)
@for_each_row("budget", [100, 512])
def test_a_query_that_looks_like_code_gets_a_pack(query: str, budget: int) -> None:
    reply = pack(sample(), query, token_budget=budget, include_evidence=True)
    check_pack(reply, budget)
    check_fullness(reply)
    headings = re.findall("^## Relevant Memories$", reply.context, re.MULTILINE)
    assert len(headings) == (reply.answered != "no")


def check_references(context: str) -> None:
    """Check that each reference of a pack stands."""
    found = dict.fromkeys(REFERENCE.findall(context))
    citations = finished(verify(sample(), Verify(text=" ".join(f"<{each}>" for each in found))))
    states = {each.ref: each.state for each in citations.citations}
    assert {each: states.get(each) for each in found} == dict.fromkeys(found, "stands")
