"""The rule that gives a note its two dates."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.index.formulas.note_dates import DateSource, KnownDates, note_dates
from tests.examples import examples
from tests.tables import for_each_row

FILE, FRONTMATTER, NAME, GIT, SEEN = DateSource

times = st.floats(-1e10, 1e10)
maybe = st.none() | times
known = st.builds(
    KnownDates,
    file_s=times,
    stated_created_s=maybe,
    stated_modified_s=maybe,
    name_s=maybe,
    name_days=st.sampled_from([1, 7, 31]),
    first_commit_s=maybe,
    last_commit_s=maybe,
    seen_s=maybe,
)


@for_each_row(
    ("found", "created", "changed"),
    [
        ({}, (90, FILE), (90, FILE)),
        ({"stated_created_s": 20}, (20, FRONTMATTER), (20, FRONTMATTER)),
        ({"name_s": 30}, (30, NAME), (30, NAME)),
        ({"stated_created_s": 20, "name_s": 30}, (20, FRONTMATTER), (20, FRONTMATTER)),
        ({"name_s": 30, "stated_modified_s": 40}, (30, NAME), (40, FRONTMATTER)),
        ({"first_commit_s": 50, "last_commit_s": 60}, (50, GIT), (60, GIT)),
        ({"name_s": 30, "first_commit_s": 50, "last_commit_s": 60}, (30, NAME), (60, GIT)),
        ({"name_s": 70, "last_commit_s": 60}, (70, NAME), (70, NAME)),
        ({"seen_s": 95}, (90, FILE), (95, SEEN)),
        ({"name_s": 30, "seen_s": 95}, (30, NAME), (95, SEEN)),
        ({"last_commit_s": 60, "seen_s": 50}, (60, GIT), (60, GIT)),
        ({"stated_modified_s": 40, "seen_s": 95}, (40, FRONTMATTER), (40, FRONTMATTER)),
        ({"stated_modified_s": 99}, (90, FILE), (99, FRONTMATTER)),
    ],
)
def test_the_first_source_that_knows_counts(
    found: Mapping[str, float], created: object, changed: object
) -> None:
    dates = note_dates(KnownDates(file_s=90, **found))  # type: ignore[arg-type]
    assert (dates.created_s, dates.created_from) == created
    assert (dates.changed_s, dates.changed_from) == changed


@given(known, times)
@examples()
def test_touching_the_file_moves_no_date_that_has_another_source(
    dates: KnownDates, touched_s: float
) -> None:
    before, after = note_dates(dates), note_dates(replace(dates, file_s=touched_s))
    if before.changed_from is not FILE:
        assert (after.changed_s, after.changed_from) == (before.changed_s, before.changed_from)
        assert max(after.created_s, after.changed_s) == max(before.created_s, before.changed_s)
    if FILE not in (before.created_from, after.created_from):
        assert (after.created_s, after.created_from) == (before.created_s, before.created_from)


@given(known)
@examples()
def test_a_span_belongs_to_a_date_from_the_name(dates: KnownDates) -> None:
    found = note_dates(dates)
    assert found.span_days == (dates.name_days if found.created_from is NAME else 0)
