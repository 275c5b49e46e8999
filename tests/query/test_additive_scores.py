"""The additive ranking end to end: what each part adds to the score of a hit."""

from datetime import UTC, datetime

import pytest
from msgspec import UnsetType
from msgspec.structs import astuple, replace

from clew.engine.snapshot import Snapshot
from clew.query.search.search_config import SearchConfig
from clew.values.search_replies import Breakdown
from clew.values.vault import Batch
from tests.searches import CONFIG, SEARCH, ask, embed, paths, setting
from tests.tables import for_each_row
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

ADDITIVE = replace(SEARCH, ranking="additive", limit=100)
OLD_S = NOW_S - 400 * DAY_S
URL = "https://tides.test/"
NOTES = {
    "daily/log.md": "the tide gauge broke",
    "Journal/Old days/log2.md": "a tide gauge",
    "Seiche.md": "a wave in a basin [[Resonance]]",
    "linked.md": "see [[Seiche]], [[Resonance]] and [[Basin]]",
    "Резонанс.md": "волна",
    "survey.md": f"---\nsource: {URL}\n---\ntide",
    "future.md": "---\nmodified: 2099-01-01\n---\ntide of tomorrow",
    "zoned.md": "---\nmodified: 2026-01-20T00:00:00+09:00\n---\ntide by zone",
}


def vault() -> Snapshot:
    engine = engine_of({})
    engine.apply(Batch(put=tuple(read_note(p, t) for p, t in NOTES.items())))
    engine.apply(Batch(put=(read_note("old/ancient.md", "tide of old", OLD_S),)))
    embed(engine)
    return engine.snapshot


SNAPSHOT = vault()


def parts(query: str, path: str, config: SearchConfig = CONFIG, mode: str = "hybrid") -> Breakdown:
    reply = ask(SNAPSHOT, query, replace(ADDITIVE, mode=mode), given=setting(config=config))
    row = reply.results[paths(reply).index(path)]
    assert not isinstance(row.breakdown, UnsetType)
    return row.breakdown


@for_each_row("mode", ["hybrid", "keyword", "semantic", "graph"])
@for_each_row("query", ["tide gauge", "seiche resonance", "daily tide", "tide"])
def test_a_score_is_the_sum_of_its_parts_and_of_its_legs(query: str, mode: str) -> None:
    reply = ask(SNAPSHOT, query, replace(ADDITIVE, mode=mode))
    best = max((r.legs["keyword"].raw for r in reply.results if "keyword" in r.legs), default=0)
    assert reply.results or (query, mode) == ("daily tide", "keyword"), "no note has both words"
    for row in reply.results:
        parts = row.breakdown
        assert not isinstance(parts, UnsetType)
        assert row.score == pytest.approx(sum(astuple(parts)), abs=5e-6)
        cosine = row.legs["semantic"].raw if "semantic" in row.legs else 0.0
        assert parts.semantic == pytest.approx(0.5 * cosine, abs=2e-6)
        bm25 = row.legs["keyword"].raw if "keyword" in row.legs else 0.0
        assert parts.keyword == pytest.approx(0.1 * bm25 / best if best else 0.0, abs=2e-6)


def test_recency_falls_over_a_year_and_the_future_counts_as_now() -> None:
    zoned_s = datetime.fromisoformat("2026-01-19T15:00:00Z").timestamp()
    days = (NOW_S - zoned_s) / DAY_S
    assert days > 0
    assert parts("tide", "daily/log.md").recency == 0.2
    assert parts("tide", "future.md").recency == 0.2
    assert parts("tide", "old/ancient.md").recency == 0
    assert parts("tide", "zoned.md").recency == pytest.approx(0.2 * (1 - days / 365), abs=1e-6)
    assert datetime.fromtimestamp(NOW_S, UTC).year == 2026


@for_each_row(
    ("query", "path", "entity"),
    [
        ("seiche", "linked.md", 0.2),
        ("seiche", "Seiche.md", 0.2),
        ("what is a seiche", "linked.md", 0.1),
        ("seiche and resonance", "linked.md", 0.2),
        ("seiche resonance basin", "linked.md", 0.3),
        ("seiche resonance basin", "Seiche.md", 0.2),
        ("резонанс", "Резонанс.md", 0.2),
        ("tide gauge", "daily/log.md", 0.0),
    ],
)
def test_notes_that_mention_named_concepts_get_an_entity_part(
    query: str, path: str, entity: float
) -> None:
    assert parts(query, path).entity == pytest.approx(entity)


@pytest.mark.parametrize("mode", ["keyword", "semantic", "graph"])
def test_the_entity_part_is_the_same_in_every_mode(mode: str) -> None:
    assert parts("what is a seiche", "Seiche.md", mode=mode).entity == pytest.approx(0.1)


@for_each_row(
    ("sources", "path", "score"),
    [
        ({}, "daily/log.md", 0.05),
        ({"daily": 0.1}, "daily/log.md", 0.1),
        ({"/Daily/": 0.1}, "daily/log.md", 0.1),
        ({"daily/log": 0.1}, "daily/log.md", 0.05),
        ({"journal": 0.02}, "Journal/Old days/log2.md", 0.02),
        ({"journal": 0.02, "journal/old days": 0.08}, "Journal/Old days/log2.md", 0.08),
        ({URL: 0.07}, "survey.md", 0.07),
        ({"https://tides.test": 0.07}, "survey.md", 0.07),
        ({"daily": 0.0}, "daily/log.md", 0.0),
        ({"daily": 7.0}, "daily/log.md", 0.1),
    ],
)
def test_sources_count_as_configured(sources: dict[str, float], path: str, score: float) -> None:
    assert parts("tide gauge", path, SearchConfig(sources=sources)).source == pytest.approx(score)


@for_each_row(
    ("query", "path", "explicit"),
    [
        ("tide gauge in my daily notes", "daily/log.md", True),
        ("tide gauge, Journal/Old days", "Journal/Old days/log2.md", True),
        ("tide gauge of OLD DAYS", "Journal/Old days/log2.md", True),
        ("tide gauge of the day", "Journal/Old days/log2.md", False),
        ("tide gauge dailyness", "daily/log.md", False),
        (f"tide by {URL}", "survey.md", True),
        ("tide", "survey.md", False),
    ],
)
def test_a_source_that_is_named_adds_most(query: str, path: str, explicit: bool) -> None:
    assert parts(query, path).explicit == (0.4 if explicit else 0.0)


def test_a_hit_with_score_zero_is_in_the_reply() -> None:
    engine = engine_of({"new.md": "tide [[x]]"})
    engine.apply(Batch(put=(read_note("old/a.md", "[[x]]", OLD_S),)))
    given = setting(config=SearchConfig(sources={"old": 0.0}), has_model=False)
    reply = ask(engine.snapshot, "tide", ADDITIVE, given=given)
    assert paths(reply) == ["new.md", "old/a.md"]
    assert reply.results[1].score == 0


def test_explaining_a_fused_ranking_shows_the_same_parts() -> None:
    fused = ask(SNAPSHOT, "tide gauge", replace(SEARCH, explain=True, limit=100))
    added = ask(SNAPSHOT, "tide gauge", ADDITIVE)
    breakdowns = {row.uri: row.breakdown for row in added.results}
    assert breakdowns
    assert {row.uri: row.breakdown for row in fused.results} == breakdowns
