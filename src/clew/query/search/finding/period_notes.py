"""Tell by which day notes are of the period that a query asks for, or the newest ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import NoteDates, is_day
from clew.query.search.finding.find import Findings
from clew.query.search.finding.judged import Judged
from clew.query.search.legs.temporal import dates_within, days_said
from clew.text.dates.intent import Period
from clew.values.search_replies import AskedPeriod


@dataclass(frozen=True, slots=True, eq=False)
class PeriodNotes:
    """The period of a query, and the days by which notes are of it."""

    period: Period
    is_only: bool  # only notes of the period were searched, or nothing else was asked for
    head_days: Mapping[int, date]  # days of the period in the heads of notes, by note id

    def as_reply(self, snapshot: Snapshot, judged: Judged) -> AskedPeriod:
        """Return the period for a reply with the notes that are admitted."""
        note_ids = judged.admission.of(judged.note_ids)
        is_of = dates_within(snapshot, note_ids, self.period) > -np.inf
        is_of |= np.isin(note_ids, np.fromiter(self.head_days, np.int64, len(self.head_days)))
        since, until = self.period.shown_days
        count = int(np.count_nonzero(is_of))
        return AskedPeriod(since=since, until=until, only=self.is_only, matching=count)

    def day_of(self, snapshot: Snapshot, note_id: int, zone: tzinfo) -> tuple[str, bool]:
        """Return the day by which a note is of the period, and true; else of its last change.

        This is the latest day in the period on which it was written, else the last one in a
        property, a name or a heading. Days begin at midnight in ``zone``, but a date without a
        time is that day in any zone.
        """
        at_s = float(dates_within(snapshot, np.array([note_id]), self.period)[0])
        if at_s == -np.inf and note_id in self.head_days:
            return str(self.head_days[note_id]), True
        is_of = at_s > -np.inf
        dates = snapshot.dates(snapshot.graph.path(note_id))
        return _day_of_date(dates, at_s if is_of else dates.changed_s, zone), is_of


def period_notes(snapshot: Snapshot, findings: Findings) -> PeriodNotes | None:
    """Return the period of a query; ``None`` if it says none, or only asks for the newest."""
    period = findings.period
    if period is None or period.since is period.until is None:
        return None
    is_only = findings.is_of_period or not findings.asked.words
    return PeriodNotes(period, is_only, days_said(snapshot, period))


def written_day(snapshot: Snapshot, note_id: int, zone: tzinfo) -> str:
    """Return the day on which a note was written, by which the newest come first."""
    dates = snapshot.dates(snapshot.graph.path(note_id))
    return _day_of_date(dates, float(snapshot.ages.written_s(np.array([note_id]))[0]), zone)


def _day_of_date(dates: NoteDates, at_s: float, zone: tzinfo) -> str:
    """Return the day of one of a note's dates in ``zone``; a date without a time is that day."""
    sources = {dates.changed_s: dates.changed_from, dates.created_s: dates.created_from}
    has_no_time = at_s in sources and is_day(at_s, sources[at_s])
    return _day(at_s, UTC if has_no_time else zone)


def _day(at_s: float, zone: tzinfo) -> str:
    """Return the day of a moment as ISO 8601, within the years that it can write."""
    try:
        return str(datetime.fromtimestamp(at_s, zone).date())
    except (OverflowError, ValueError, OSError):
        return str(date.max if at_s > 0 else date.min)
