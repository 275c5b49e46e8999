"""All that asks for a date of a note gets it from ``note_dates``, here one that says drawn dates.

``test_date_consumers.py`` searches the source for consumers that are not named here.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine import dump, note_dates
from clew.engine.apply import Engine
from clew.engine.reading.edits import file_times_s
from clew.engine.settings import EngineSettings, SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import DateSource, KnownDates, NoteDates
from clew.query.assemble.pipelines.run import Given, run_pipeline
from clew.query.assemble.window import Remembered
from clew.query.context.expanding import expand
from clew.query.context.insights import insights
from clew.query.dates import iso
from clew.query.draw.drawing import draw, subgraph
from clew.query.graph.concept import concept
from clew.query.graph.paths import path as paths_between
from clew.query.notes.file_times import file_times
from clew.query.notes.lists import concepts, recent
from clew.query.notes.read import read, why
from clew.query.search.additive.additive_parts import recency_part
from clew.query.search.legs.temporal import notes_of_period, split_period
from clew.query.search.narrowing import narrowed
from clew.query.search.narrowing.filters import notes_in
from clew.query.search.search_config import SearchConfig
from clew.query.sessions.episodes import episodes, new_episode_cache
from clew.query.slices import finished
from clew.query.successors import replaced_by
from clew.text.tokens import count_tokens
from clew.text.uri import from_uri, to_uri
from clew.values import replies
from clew.values.requests import (
    ConceptRequest,
    Concepts,
    Expand,
    Filters,
    GraphRequest,
    PathRequest,
    Read,
    Recent,
)
from clew.values.vault import Batch, Pipeline, Step
from tests.examples import examples
from tests.query.context.packs import pack
from tests.query.draw.test_webpage import data_of
from tests.searches import SEARCH, ask, paths, setting
from tests.vaults import CLOCK, DAY_S, NOW_S, read_note

SINCE, UNTIL = "2025-06-01", "2025-10-01"
SUMMER = "notes between June 2025 and September 2025"
PLAIN = setting(has_model=False)
TALK = "## user · 2026-01-0{0}\n\nWhat of the tide {0}?\n"
# path -> type, two concepts and a modification date of its own
NOTES = {
    "1984.md": ("decision", "Moon", "Sea", "2024-01-01"),
    "2024-W10.md": ("session", "Moon", "Sea", "2026-01-31"),
    "2025-03-14.md": ("decision", "Sea", "Quay", "2023-05-05"),
    "2025-03.md": ("note", "Sea", "Quay", "2025-08-08"),
    "a.md": ("session", "Moon", "Quay", "2025-07-07"),
    "b/2025-07-01 met.md": ("session", "Moon", "Sea", "2026-02-01"),
    "c.md": ("decision", "Sea", "Quay", "2022-02-02"),
    "d.md": ("note", "Moon", "Sea", "2025-09-09"),
}


def text_of(number: int, kind: str, one: str, other: str, modified: str) -> str:
    head = f"---\ntype: {kind}\ntags: [coast]\nmodified: {modified}\n---\n"
    return f"{head}The tide turned twice at [[{one}]] and [[{other}]].\n\n{TALK.format(number)}"


@dataclass(frozen=True)
class Told:
    """A vault whose notes have the dates that ``note_dates`` was made to say."""

    engine: Engine
    dates: Mapping[str, NoteDates]

    @property
    def snapshot(self) -> Snapshot:
        return self.engine.snapshot

    def newest_first(self, paths_of: Iterable[str] = NOTES) -> list[str]:
        return sorted(paths_of, key=lambda path: (-self.dates[path].changed_s, path))

    def age_days(self, path: str) -> float:
        return (NOW_S - max(self.dates[path].created_s, self.dates[path].changed_s)) / DAY_S

    def weight(self, path: str) -> float:
        return float(max(self.age_days(path) - 28, 1.0) ** -0.5)

    def of_summer(self) -> set[str]:
        """The notes that were created or changed in the period of ``SINCE`` and ``UNTIL``."""
        since_s, until_s = 1_748_736_000.0, 1_759_276_800.0
        return {
            path
            for path, each in self.dates.items()
            if since_s <= each.created_s < until_s or since_s <= each.changed_s < until_s
        }


def with_both(one: str, other: str) -> set[str]:
    return {path for path, row in NOTES.items() if {one, other} <= set(row)}


def from_uris(uris: Iterable[str]) -> list[str]:
    return list(map(from_uri, uris))


Check = Callable[[Told], None]
CHECKS: dict[str, Check] = {}
COVERED: set[str] = set()


def consumer(*modules: str) -> Callable[[Check], Check]:
    """Register a check of what these modules make of dates."""

    def register(check: Check) -> Check:
        CHECKS[check.__name__] = check
        COVERED.update(modules)
        return check

    return register


# -- the consumers --------------------------------------------------------------------------------


@consumer("query/notes/read.py")
def why_and_read(told: Told) -> None:
    for path, dates in told.dates.items():
        said = why(told.snapshot, path, None, [], NOW_S)
        assert said.created
        assert said.changed
        assert (said.created.date, said.created.source) == (
            iso(dates.created_s),
            dates.created_from,
        )
        assert (said.changed.date, said.changed.source) == (
            iso(dates.changed_s),
            dates.changed_from,
        )
        assert said.weight == pytest.approx(told.weight(path), abs=1e-6)
        metadata = read(told.snapshot, Read(uri=path)).metadata
        assert (metadata.created, metadata.modified) == (said.created.date, said.changed.date)


@consumer("query/notes/lists.py")
def recent_notes_and_concepts(told: Told) -> None:
    snapshot = told.snapshot
    assert [from_uri(row.uri) for row in finished(recent(snapshot, Recent(), CLOCK)).notes] == (
        told.newest_first()
    )
    rows = finished(recent(snapshot, Recent(by="created", since=SINCE), CLOCK)).notes
    since_s = 1_748_736_000.0
    later = {path: each for path, each in told.dates.items() if each.created_s >= since_s}
    assert [from_uri(row.uri) for row in rows] == sorted(
        later, key=lambda path: (-later[path].created_s, path)
    )
    assert all(row.modified == iso(told.dates[from_uri(row.uri)].changed_s) for row in rows)
    newest_s = {
        name: max(told.dates[path].changed_s for path in NOTES if name in NOTES[path])
        for name in ("Moon", "Quay", "Sea")
    }
    listed = finished(concepts(snapshot, Concepts(sort="recent"))).concepts
    assert [row.display_name for row in listed] == sorted(
        newest_s, key=lambda name: (-newest_s[name], name)
    )


@consumer(
    "query/graph/concept.py",
    "query/graph/paths.py",
    "query/graph/goal_bounds.py",
    "query/graph/two_steps.py",
    "query/draw/drawing.py",
)
def edges_and_their_files(told: Told) -> None:
    json_graph = draw(finished(subgraph(told.snapshot, GraphRequest(), NOW_S)), "json", "v")
    assert isinstance(json_graph, replies.GraphJson)
    drawn = {frozenset((edge.a, edge.b)): edge.weighted_score for edge in json_graph.edges}
    for one, other in combinations(("Moon", "Quay", "Sea"), 2):
        shared = with_both(one, other)
        weight = pytest.approx(sum(map(told.weight, shared)), abs=1e-5)
        request = ConceptRequest(concept_name=one, max_files=20)
        relations = finished(concept(told.snapshot, request, NOW_S, SiblingConfig()))
        (found,) = (row for row in relations.direct_relations if row.display_name == other)
        assert found.weighted_score == drawn[frozenset((found.name, one.casefold()))] == weight
        assert from_uris(found.files) == told.newest_first(shared)
        ways = finished(paths_between(told.snapshot, PathRequest(from_=one, to=other), NOW_S))
        (edge,) = next(way.edges for way in ways.paths if len(way.edges) == 1)
        assert edge.weighted_score == weight
        assert from_uris(edge.files) == told.newest_first(shared)


@consumer("query/search/narrowing/filters.py", "query/search/legs/temporal.py")
@consumer("query/search/finding/period_notes.py")
def periods(told: Told) -> None:
    snapshot = told.snapshot
    allowed = notes_in(snapshot, Filters(since=SINCE, until=UNTIL), CLOCK)
    assert allowed is not None
    kept = {path for path, note_id in snapshot.graph.note_ids.items() if allowed[note_id]}
    period, rest = split_period(SUMMER, NOW_S, CLOCK.zone, snapshot)
    assert period is not None
    hits = notes_of_period(snapshot, period, None, NOW_S)
    dated = hits.note_ids[hits.note_scores >= 0.5]  # others only say a day of it
    of_summer = {snapshot.graph.path(note) for note in dated.tolist()}
    assert (rest, kept, of_summer) == ("", told.of_summer(), told.of_summer())
    rows = ask(snapshot, SUMMER.replace("notes", "why did it turn"), given=PLAIN).results
    others = {from_uri(row.uri): row.day for row in rows if not row.of_period}
    assert told.of_summer() <= {from_uri(row.uri) for row in rows} - others.keys()
    assert others == {path: iso(told.dates[path].changed_s)[:10] for path in others}


@consumer("query/search/additive/additive_scores.py", "query/search/finding/judge.py")
def recency_in_both_rankings(told: Told) -> None:
    additive = replace(SEARCH, ranking="additive", limit=50)
    for row in ask(told.snapshot, "tide", additive, given=PLAIN).results:
        age_days = (NOW_S - told.dates[from_uri(row.uri)].changed_s) / DAY_S
        assert row.breakdown
        assert row.breakdown.recency == pytest.approx(recency_part(age_days), abs=1e-6)
    scores = [
        {row.uri: row.score for row in ask(told.snapshot, "tide", given=given).results}
        for given in (
            setting(has_model=False, config=SearchConfig(recency=share)) for share in (0.0, 0.5)
        )
    ]
    assert len(scores[0]) == len(NOTES)
    for uri, score in scores[0].items():
        factor = 0.5 + 0.5 * told.weight(from_uri(uri))
        assert scores[1][uri] == pytest.approx(score * factor, rel=1e-3)


@consumer("query/search/order/newest.py")
def lists_of_operators_and_kinds(told: Told) -> None:
    assert paths(ask(told.snapshot, "tag:coast", given=PLAIN)) == told.newest_first()
    decisions = [path for path, row in NOTES.items() if row[0] == "decision"]

    def written_s(path: str) -> float:
        dates = told.dates[path]
        is_said = dates.created_from in (DateSource.NAME, DateSource.FRONTMATTER)
        return dates.created_s if is_said else dates.changed_s

    expected = sorted(decisions, key=lambda path: (-written_s(path), path))
    assert paths(ask(told.snapshot, "latest decisions", given=PLAIN)) == expected
    in_summer = [path for path in expected if path in told.of_summer()]
    reply = ask(told.snapshot, "latest decisions", filters=Filters(since=SINCE, until=UNTIL))
    assert paths(reply) == in_summer


@consumer("query/search/narrowing/phrases.py")
def the_notes_that_are_read_for_a_phrase(told: Told) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(narrowed, "PASSAGES_READ_MAX", 3)
        found = paths(ask(told.snapshot, '"tide turned"', given=PLAIN))
    changed_s = [told.dates[path].changed_s for path in told.newest_first()]
    assert sorted(told.dates[path].changed_s for path in found) == sorted(changed_s[:3])


CARD = re.compile(r"`(\S+?)#\S+`\n\*Created: (\S+) \((\w+)\) \| Changed: (\S+) \((\w+)\)\*")


@consumer("query/context/passages.py")
def cards_in_packs(told: Told) -> None:
    text = pack(told.snapshot, "tide turned", template="detailed", token_budget=20_000).context
    cards = CARD.findall(text)
    assert len(cards) >= len(NOTES) // 2
    for uri, *shown in cards:
        dates = told.dates[from_uri(uri)]
        created, changed = iso(dates.created_s)[:10], iso(dates.changed_s)[:10]
        assert shown == [created, dates.created_from, changed, dates.changed_from]


@consumer("query/context/insights.py", "query/context/expanding.py")
def notes_behind_insights(told: Told) -> None:
    (insight,) = finished(insights(told.snapshot, "what of Moon", NOW_S))
    moons = told.newest_first(path for path, row in NOTES.items() if "Moon" in row)
    assert from_uris(insight.uris) == moons[:3]
    for relation in insight.relations:
        assert from_uri(relation.uri) == told.newest_first(with_both("Moon", relation.name))[0]
    expanded = finished(expand(told.snapshot, Expand(text="[[Moon]]"), NOW_S, count_tokens))
    assert f"such as {to_uri(moons[0])}" in expanded.text


@consumer("query/draw/page_notes.py")
def notes_of_a_web_page(told: Told) -> None:
    drawn = draw(finished(subgraph(told.snapshot, GraphRequest(format="html"), NOW_S)), "html", "v")
    assert isinstance(drawn, replies.GraphText)
    rows = [(row[0], row[1]) for row in data_of(drawn.text)["notes"]]
    assert rows == [(path, iso(told.dates[path].changed_s)[:10]) for path in told.newest_first()]


@consumer("query/sessions/episodes.py", "query/assemble/pipelines/run.py")
def sessions_and_pipelines(told: Told) -> None:
    talks = [path for path, row in NOTES.items() if row[0] == "session"]
    found = finished(episodes(told.snapshot, talks, new_episode_cache()))
    assert [from_uri(session.id) for session in found] == told.newest_first(talks)
    steps = [*(Step("read", {"ref": path}) for path in NOTES), Step("rank", {"by": "date"})]
    pipeline = Pipeline("p", "p.json", 1, "knowledge", tuple(steps))
    given_ = Given(told.snapshot, "tide", (), PLAIN, Remembered())
    refs = [item.ref or "" for item in finished(run_pipeline(pipeline, given_)).items]
    assert from_uris(ref.partition("#")[0] for ref in refs) == told.newest_first()


@consumer("query/notes/file_times.py")
def file_times_of_notes_without_another_date(told: Told) -> None:
    of_files = [
        each.changed_s
        for each in told.dates.values()
        if each.created_from == each.changed_from == DateSource.FILE
    ]
    found = file_times(told.snapshot)
    assert (found.notes, found.without_date) == (len(NOTES), len(of_files))
    close = (sum(0 <= other_s - at_s <= 3600 for other_s in of_files) for at_s in of_files)
    assert found.in_one_hour == max(close, default=0)
    assert file_times_s(told.engine.indexes, NOTES) == {
        path: each.changed_s
        for path, each in told.dates.items()
        if each.changed_from is DateSource.FILE
    }


@consumer("query/successors.py")
def notes_that_replace_another(told: Told) -> None:
    texts = {
        "old.md": '---\nsuperseded_by: ["[[x]]", "[[y]]"]\n---\nOld.',
        "x.md": "X.",
        "y.md": "Y.",
    }
    engine = Engine(EngineSettings())
    put = [read_note(*row, float(number)) for number, row in enumerate(texts.items())]
    engine.apply(Batch(put=tuple(put)))
    dates = dict(zip(texts, told.dates.values(), strict=False))
    newest_first = sorted(("x.md", "y.md"), key=lambda path: (-dates[path].created_s, path))
    assert [
        (from_uri(note.uri), note.since) for note in replaced_by(engine.snapshot, "old.md")
    ] == [(path, iso(dates[path].created_s)[:10]) for path in newest_first]


@consumer(
    "surface/server/answers/packs/context.py", "surface/server/answers/windows/pipeline_cache.py"
)
def weights_in_the_key_of_a_pack(told: Told) -> None:
    weights = told.snapshot.decay(NOW_S)
    for path, note_id in told.snapshot.graph.note_ids.items():
        assert weights[note_id] == pytest.approx(told.weight(path), abs=1e-6)


def the_dump(told: Told) -> None:
    rows = json.loads(dump.dump(told.snapshot))["notes"]
    for path, dates in told.dates.items():
        assert rows[path]["dates"][:4] == [
            dates.created_s,
            dates.created_from,
            dates.changed_s,
            dates.changed_from,
        ]


# -- the properties -------------------------------------------------------------------------------

MOMENTS = st.integers(int(NOW_S - 400 * DAY_S), int(NOW_S)).map(float)
DATES = st.builds(
    NoteDates, MOMENTS, st.sampled_from(DateSource), MOMENTS, st.sampled_from(DateSource)
).filter(lambda dates: dates.changed_from is not DateSource.NAME)
OF_ALL = st.lists(DATES, min_size=len(NOTES), max_size=len(NOTES))


@pytest.mark.slow
@pytest.mark.parametrize("check", [*CHECKS.values(), the_dump], ids=lambda check: check.__name__)
def test_each_consumer_follows_the_one_function(check: Check) -> None:
    @given(OF_ALL)
    @examples(40)
    def follows(dates: list[NoteDates]) -> None:
        def said(known: KnownDates) -> NoteDates:
            return dates[int(known.file_s)]

        with pytest.MonkeyPatch.context() as patch:
            for module in (note_dates, dump):
                patch.setattr(module, "note_dates", said)
            engine = Engine(EngineSettings())
            rows = enumerate(NOTES.items())
            put = [read_note(path, text_of(n, *row), float(n)) for n, (path, row) in rows]
            engine.apply(Batch(put=tuple(put)))
            check(Told(engine, dict(zip(NOTES, dates, strict=True))))

    follows()
