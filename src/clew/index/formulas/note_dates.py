"""The rule that derives the two dates of a note: when it was created, and when last changed.

All code that needs a date of a note uses these two. File times come last, since copying or cloning
a vault sets them all to the present.
"""

import math
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from clew.index.formulas.decay import SECONDS_A_DAY


class DateSource(StrEnum):
    """The source of a date of a note; the order of the members is part of the stored form."""

    FILE = "file"  # the file's modification time
    FRONTMATTER = "frontmatter"
    NAME = "name"  # the note's file name
    GIT = "git"  # the author dates of its commits
    SEEN = "seen"  # an edit that the daemon saw


class KnownDates(Struct, frozen=True, kw_only=True, gc=False):
    """All known dates of a note; POSIX seconds, ``None`` if the source has no date."""

    file_s: float
    stated_created_s: float | None = None  # in front matter
    stated_modified_s: float | None = None
    name_s: float | None = None  # the start of the days named in the file name
    name_days: int = 0  # the number of these days
    first_commit_s: float | None = None
    last_commit_s: float | None = None
    seen_s: float | None = None  # the last edit that the daemon saw


class NoteDates(Struct, frozen=True, array_like=True, gc=False):
    """The two dates of a note in POSIX seconds, and their sources."""

    created_s: float
    created_from: DateSource
    changed_s: float
    changed_from: DateSource
    span_days: int = 0  # if ``created_s`` is from a name: the days named there


class Bounds(NamedTuple):
    """A period from ``since_s`` until before ``until_s``, POSIX seconds.

    ``since_day_s`` and ``until_day_s`` are the same bounds for dates without a time (``is_day``):
    a bound at the start of a day in the user's time zone is there the start of that day in UTC.
    """

    since_s: float = -math.inf
    until_s: float = math.inf
    since_day_s: float = -math.inf
    until_day_s: float = math.inf


def note_dates(known: KnownDates) -> NoteDates:
    """Return the two dates of a note.

    Created: by front matter, else by its name, else by its first commit, else by its file, but no
    later than it was changed. Changed: by front matter, else the latest of its creation by front
    matter or name, its last commit and the last edit seen, else by its file.
    """
    written = _first(
        (known.stated_created_s, DateSource.FRONTMATTER), (known.name_s, DateSource.NAME)
    )
    created = written or _first((known.first_commit_s, DateSource.GIT))
    changed = _first((known.stated_modified_s, DateSource.FRONTMATTER)) or _latest(
        written or (None, DateSource.FILE),
        (known.last_commit_s, DateSource.GIT),
        (known.seen_s, DateSource.SEEN),
    )
    file = known.file_s, DateSource.FILE
    changed = changed or file
    created = created or min(file, changed, key=lambda date: date[0])
    span_days = known.name_days if created[1] is DateSource.NAME else 0
    return NoteDates(*created, *changed, span_days)


def is_day(at_s: float, source: DateSource) -> bool:
    """Return whether a date has no time of day: it means the same day in every time zone.

    True for dates from names, and for dates from front matter at midnight in UTC, which the stored
    form cannot distinguish from dates without a time.
    """
    return source is DateSource.NAME or (
        source is DateSource.FRONTMATTER and at_s % SECONDS_A_DAY == 0
    )


_Date = tuple[float, DateSource]
_MaybeDate = tuple[float | None, DateSource]


def _known(dates: tuple[_MaybeDate, ...]) -> list[_Date]:
    return [(at_s, source) for at_s, source in dates if at_s is not None]


def _first(*dates: _MaybeDate) -> _Date | None:
    return next(iter(_known(dates)), None)


def _latest(*dates: _MaybeDate) -> _Date | None:
    return max(_known(dates), key=lambda date: date[0], default=None)
