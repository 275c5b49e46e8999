"""Everything that asks for a date of a note gets it from one rule."""

from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.note_dates import known_dates
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import NoteDates, note_dates
from clew.query.dates import iso
from clew.query.notes.lists import recent
from clew.query.notes.read import read, why
from clew.query.search.additive.additive_parts import recency_part
from clew.query.search.legs.temporal import SAYING_SCORE, notes_of_period, split_period
from clew.query.search.narrowing.filters import notes_in
from clew.query.slices import finished
from clew.text.uri import from_uri
from clew.values.requests import Filters, Read, Recent
from clew.values.vault import Batch, DailyNotes
from tests.examples import examples
from tests.searches import SEARCH, ask, setting
from tests.stored import read_back, stored
from tests.tables import for_each_row
from tests.vaults import CLOCK, DAY_S, NOW_S, read_note

NAMES = [
    *("plain", "2025-03-14", "2025-03-14 met", "2025-W11", "2025-03", "14.03.2025", "1984"),
    *("2024-13-45", "20250314 met", "v2025.03.14", "1600-01-01", "1969-12-31", "2199-12-31"),
]
HEADS = [
    *("", "date: 2025-03-02", "updated: 2025-03-20T10:00", "date: soon", "pinned: true"),
    *("date: 2025-02-03\nupdated: 2024-12-31", "date: 2027-01-01", "updated: 2025-03-15"),
    *("date: 0001-01-01", "created: 1901-02-03\nupdated: 2150-06-01", "updated: 9999-12-31T23:59"),
]
COPIED_S = NOW_S - 40 * DAY_S
BEFORE_1970_S, AFTER_2100_S = -1_000_000_000.0, 5_000_000_000.0
PLAIN = setting(has_model=False)


def vault_of(
    heads: Mapping[str, str], daily: str = "", read_s: float | None = None, file_s: float = COPIED_S
) -> Engine:
    """Return an engine of notes by name with this front matter, from files of one time."""
    engine = Engine(EngineSettings())
    put = [
        read_note(f"{name}.md", f"---\n{head}\n---\ntide [[moon]]", file_s)
        for name, head in heads.items()
    ]
    engine.apply(Batch(put=tuple(put), daily_notes=DailyNotes(format=daily) if daily else None))
    if read_s is not None:
        engine.apply(Batch(reads_s={put[0].note.path: read_s}))
    return engine


engines = st.builds(
    vault_of,
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(HEADS), min_size=1),
    st.sampled_from(["", "DD.MM.YYYY"]),
    st.none() | st.sampled_from([COPIED_S - DAY_S, NOW_S]),
    st.sampled_from([COPIED_S, COPIED_S - 1_000 * DAY_S, BEFORE_1970_S, AFTER_2100_S]),
)


def by_rule(snapshot: Snapshot) -> dict[str, NoteDates]:
    """Return the dates of each note as the rule gives them."""
    facts, daily = snapshot.facts, snapshot.daily_notes
    return {path: note_dates(known_dates(path, facts[path], daily)) for path in facts}


@given(engines)
@examples(60)
def test_lists_and_notes_show_the_dates_of_the_rule(engine: Engine) -> None:
    snapshot = engine.snapshot
    rule = by_rule(snapshot)
    shown = {path: (iso(dates.created_s), iso(dates.changed_s)) for path, dates in rule.items()}
    rows = finished(recent(snapshot, Recent(), CLOCK)).notes
    assert {from_uri(row.uri): (row.created, row.modified) for row in rows} == shown
    for path, dates in shown.items():
        metadata = read(snapshot, Read(uri=path)).metadata
        assert (metadata.created, metadata.modified) == dates
        told = why(snapshot, path, None, [], NOW_S)
        assert told.created
        assert told.changed
        assert (told.created.date, told.changed.date) == dates
        sources = told.created.source, told.changed.source
        assert sources == (rule[path].created_from, rule[path].changed_from)


@given(engines)
@examples(60)
def test_lists_are_in_the_order_of_the_rule(engine: Engine) -> None:
    snapshot = engine.snapshot
    created = {path: -dates.created_s for path, dates in by_rule(snapshot).items()}
    changed = {path: -dates.changed_s for path, dates in by_rule(snapshot).items()}
    for request, dates_s in ((Recent(by="created"), created), (Recent(), changed)):
        found = [from_uri(row.uri) for row in finished(recent(snapshot, request, CLOCK)).notes]
        assert found == sorted(dates_s, key=lambda path: (dates_s[path], path))
    note_ids = np.arange(snapshot.graph.note_slots, dtype=np.int32)
    newest = snapshot.newest_paths(note_ids, len(changed))
    assert newest == sorted(changed, key=lambda path: (changed[path], path))


@given(engines)
@examples(60)
def test_weights_and_recency_follow_from_the_rule(engine: Engine) -> None:
    snapshot = engine.snapshot
    reply = ask(snapshot, "tide", replace(SEARCH, ranking="additive", limit=50), given=PLAIN)
    recency = {from_uri(row.uri): row.breakdown for row in reply.results}
    for path, dates in by_rule(snapshot).items():
        note_id = snapshot.graph.note_ids[path]
        touched_s = max(dates.created_s, dates.changed_s)
        touched_s = max(touched_s, snapshot.reads_s.get(path, touched_s))
        assert snapshot.ages.get(note_id).touched_s == touched_s
        assert snapshot.weight(path, NOW_S) == float(snapshot.decay(NOW_S)[note_id])
        expected = recency_part((NOW_S - dates.changed_s) / DAY_S)
        assert recency[path].recency == pytest.approx(expected, abs=1e-6)  # type: ignore[union-attr]


@given(engines)
@examples(60)
def test_filters_and_periods_match_the_dates_of_the_rule(engine: Engine) -> None:
    snapshot = engine.snapshot
    rule = by_rule(snapshot)
    allowed = notes_in(snapshot, Filters(since="2025-03-14", until="2025-03-15"), CLOCK)
    assert allowed is not None
    period, _ = split_period("notes from 2025-03-14", NOW_S, UTC, snapshot)
    assert period is not None
    hits = notes_of_period(snapshot, period, None, NOW_S)
    dated = hits.note_ids[hits.note_scores > SAYING_SCORE]  # others only say a day of it
    since_s = datetime(2025, 3, 14, tzinfo=UTC).timestamp()
    for path, dates in rule.items():
        note_id = snapshot.graph.note_ids[path]
        spans = since_s < dates.created_s + dates.span_days * DAY_S
        is_within = dates.created_s < since_s + DAY_S and (spans or since_s <= dates.created_s)
        is_within |= since_s <= dates.changed_s < since_s + DAY_S
        assert (note_id in dated) == allowed[note_id] == is_within


@given(engines, st.sampled_from(["", "DD.MM.YYYY", "YYYY-[W]WW"]))
@examples(60)
def test_dates_are_the_same_after_storing_and_with_a_format_that_comes_later(
    engine: Engine, text: str
) -> None:
    engine.apply(Batch(daily_notes=DailyNotes(format=text)))
    for each in (engine, read_back(stored(engine.indexes))):
        snapshot = each.snapshot
        assert {path: snapshot.dates(path) for path in snapshot.facts} == by_rule(snapshot)


def test_a_copied_vault_has_the_daily_notes_of_a_month() -> None:
    days = [f"2025-{month:02}-{day:02}" for month in (2, 3, 4) for day in (1, 15, 28)]
    snapshot = vault_of(dict.fromkeys([*days, "Tide", "Moon"], "")).snapshot
    month = Filters(since="2025-03-01", until="2025-04-01")
    reply = ask(snapshot, "tide", replace(SEARCH, limit=50), month, given=PLAIN)
    found = {from_uri(row.uri) for row in reply.results}
    assert found == {"2025-03-01.md", "2025-03-15.md", "2025-03-28.md"}


@for_each_row(
    ("query", "names"),
    [
        ("notes from 2025-03-13", {"2025-03", "2025-W11"}),
        ("notes from 2025-03-14", {"2025-03", "2025-W11", "2025-03-14"}),
        ("notes from 2025-03-17", {"2025-03"}),
        ("notes from 2025-W11", {"2025-03", "2025-W11", "2025-03-14"}),
        ("notes from March 2025", {"2025-03", "2025-W11", "2025-03-14"}),
        ("notes from February 2025", set()),
        ("notes from April 2025", set()),
    ],
)
def test_a_week_and_a_month_are_matched_whole(query: str, names: set[str]) -> None:
    snapshot = vault_of(dict.fromkeys(["2025-03", "2025-W11", "2025-03-14"], "")).snapshot
    period, _ = split_period(query, NOW_S, UTC, snapshot)
    assert period is not None
    hits = notes_of_period(snapshot, period, None, NOW_S)
    assert {snapshot.graph.path(note)[:-3] for note in hits.note_ids.tolist()} == names


@for_each_row("zone", ["America/New_York", "Asia/Tokyo", "UTC"])
@for_each_row(
    ("day", "names"),
    [
        ("2025-03-09", {"2025-03"}),
        ("2025-03-10", {"2025-03", "2025-W11"}),
        ("2025-03-13", {"2025-03", "2025-W11"}),
        ("2025-03-14", {"2025-03", "2025-W11", "2025-03-14"}),
        ("2025-03-15", {"2025-03", "2025-W11"}),
    ],
)
def test_a_name_says_the_same_days_in_every_time_zone(zone: str, day: str, names: set[str]) -> None:
    snapshot = vault_of(dict.fromkeys(["2025-03", "2025-W11", "2025-03-14"], "")).snapshot
    period, _ = split_period(f"notes from {day}", NOW_S, ZoneInfo(zone), snapshot)
    assert period is not None
    hits = notes_of_period(snapshot, period, None, NOW_S)
    assert {snapshot.graph.path(note)[:-3] for note in hits.note_ids.tolist()} == names
