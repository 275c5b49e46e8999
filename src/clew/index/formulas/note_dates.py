"""The rule by which a note has two dates: when it was created, and when it was last changed.

Everything that asks for a date of a note uses these two. File times come last, since copying or
cloning a vault sets them all to the present.
"""

import math
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from clew.index.formulas.decay import SECONDS_A_DAY


class DateSource(StrEnum):
    """Where a date of a note comes from; their order is part of the stored form."""

    FILE = "file"  # the file's modification time
    FRONTMATTER = "frontmatter"
    NAME = "name"  # the note's file name
    GIT = "git"  # the author dates of its commits
    SEEN = "seen"  # an edit that the daemon saw


class KnownDates(Struct, frozen=True, kw_only=True, gc=False):
    """All that is known of when a note was written; POSIX seconds, ``None`` where nothing is."""

    file_s: float
    stated_created_s: float | None = None  # in front matter
    stated_modified_s: float | None = None
    name_s: float | None = None  # the first midnight of the days that the name says
    name_days: int = 0  # how many days these are
    first_commit_s: float | None = None
    last_commit_s: float | None = None
    seen_s: float | None = None  # the last edit that the daemon saw


class NoteDates(Struct, frozen=True, array_like=True, gc=False):
    """The two dates of a note, and where they come from; POSIX seconds."""

    created_s: float
    created_from: DateSource
    changed_s: float
    changed_from: DateSource
    span_days: int = 0  # how many days ``created_s`` begins, where it comes from a name


class Bounds(NamedTuple):
    """A period from ``since_s`` until before ``until_s``, POSIX seconds.

    Dates without a time (``is_day``) are compared with the other two: where a bound is
    the beginning of a day in the user's time zone, these have the midnight of that day in UTC.
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
    """Return whether a date has no time of day: it begins a day in UTC, and is that day everywhere.

    So are dates of names, and those of front matter at midnight, which the stored form does not
    tell from dates without a time.
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
