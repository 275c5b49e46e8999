"""The quality of search on judged collections, and the bound that it must reach on each.

The bounds are for the main metric of each set; ``make quality`` prints the whole table.
"""

from collections.abc import Mapping
from datetime import UTC
from functools import cache
from pathlib import Path

import pytest
from benchmarks.quality import FALLBACK, LEGS, MODES, Score, drag_of, score
from benchmarks.scoring import Query, load_queries

from clew.embed.encoder import Encoder
from clew.embed.models import open_model
from clew.engine.rebuild import engine_read_anew
from clew.engine.settings import IndexerSettings
from clew.engine.snapshot import Snapshot
from clew.query.search.finding.setting import Setting
from clew.query.search.legs.semantic import SEMANTIC
from clew.query.search.search_config import SearchConfig
from clew.query.search.search_notes import search
from clew.query.slices import finished
from clew.text.uri import from_uri
from clew.values.errors import InvalidParams
from clew.values.requests import Search
from tests.conformance.conftest import DATA
from tests.stored import read_back, stored
from tests.vaults import NOW_S

# set -> main metric, BM25 floor of keyword alone, bound of hybrid
BOUNDS: Mapping[str, tuple[str, float, float]] = {
    "locomo-dev": ("recall_at_5", 0.859, 0.897),
    "locomo-dev-corrected": ("recall_at_5", 0.859, 0.897),
    "hotpotqa-train100": ("recall_at_5", 0.785, 0.96),
    "musique-train100": ("recall_at_5", 0.516, 0.65),
    "cranfield": ("gain_at_10", 0.388, 0.407),
    "xquad/en": ("gain_at_10", 0.965, 0.97),
    "xquad/zh": ("gain_at_10", 0.962, 0.962),
    "vaultq/obsidian-help-en": ("gain_at_10", 0.709, 0.895),
}
RECIPROCAL_RANK_MIN = {"locomo-dev": 0.842, "locomo-dev-corrected": 0.842}
MULTI_HOP = ("hotpotqa-train100", "musique-train100")


@cache
def encoder() -> Encoder:
    return open_model("builtin")


@cache
def served(folder: Path, vault: str) -> tuple[Snapshot, list[Query]]:
    settings = IndexerSettings(str(folder / vault))
    engine = engine_read_anew(settings, encoder=encoder())
    stored_engine = read_back(stored(engine.indexes), engine.settings)  # as a daemon has them
    return stored_engine.snapshot, load_queries(str(folder))


@cache
def scored(name: str, mode: str, vault: str = "vault", *, has_graph: bool = True) -> Score:
    snapshot, queries = served(DATA / name, vault)
    rules = SearchConfig()
    if not has_graph:
        rules = SearchConfig({**rules.weights, "graph": 0.0})
    setting = Setting(NOW_S, UTC, rules, lambda text: encoder().encode([text]).rows[0])
    return score(queries, [hits(snapshot, query.text, mode, setting) for query in queries])


def hits(snapshot: Snapshot, text: str, mode: str, setting: Setting) -> list[str]:
    # Search would look for parts of words at length, and such hits do not count for this leg.
    if mode == SEMANTIC and setting.encode is not None and not setting.encode(text).any():
        return []
    request = Search(query=text, mode=mode)  # type: ignore[arg-type]
    try:
        reply = finished(search(snapshot, request, setting))
    except InvalidParams:
        return []  # stop words alone
    is_fallback = reply.search_metrics.tier == FALLBACK and mode in LEGS
    return [] if is_fallback else [from_uri(row.uri) for row in reply.results]


@pytest.mark.parametrize("name", BOUNDS)
def test_keyword_alone_is_no_worse_than_plain_bm25(name: str) -> None:
    metric, floor, _ = BOUNDS[name]
    assert getattr(scored(name, "keyword"), metric) >= floor


@pytest.mark.parametrize("name", BOUNDS)
def test_hybrid_reaches_its_bound(name: str) -> None:
    metric, _, bound = BOUNDS[name]
    found = scored(name, "hybrid")
    assert getattr(found, metric) >= bound
    assert found.reciprocal_rank >= RECIPROCAL_RANK_MIN.get(name, 0.0)


@pytest.mark.parametrize(
    ("name", "bound"), [("hotpotqa-train100", 0.88), ("musique-train100", 0.63)]
)
def test_mentions_stand_in_for_links(name: str, bound: float) -> None:
    assert scored(name, "hybrid", "vault-nolinks").recall_at_5 >= bound


@pytest.mark.parametrize(
    ("name", "vault"),
    [
        *((name, "vault") for name in BOUNDS),
        ("hotpotqa-train100", "vault-nolinks"),
        ("musique-train100", "vault-nolinks"),
    ],
)
def test_hybrid_is_about_as_good_as_its_best_leg(name: str, vault: str) -> None:
    assert drag_of({mode: scored(name, mode, vault) for mode in MODES}) == []


@pytest.mark.parametrize("name", MULTI_HOP)
def test_links_help_if_an_answer_needs_several_notes(name: str) -> None:
    linked = scored(name, "hybrid").recall_at_5
    # Mentions without a link may replace links, so a vault without links may be as good.
    assert linked >= scored(name, "hybrid", "vault-nolinks").recall_at_5
    assert linked > scored(name, "hybrid", has_graph=False).recall_at_5
