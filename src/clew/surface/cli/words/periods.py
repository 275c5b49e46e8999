"""What is told of the period that a query asks for: its days, and which notes are of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from typing import Any

    Result = dict[str, Any]


def day_of_row(row: Result, result: Result) -> str:
    """Return the day of a note, if the query asks for a period, and whether it is of another."""
    period = result["period"]
    if not period:
        return ""
    is_mixed = 0 < period["matching"] < result["total"]
    day: str = row["day"]
    return f"{day}  of another time" if is_mixed and not row["ofPeriod"] else day


def on_period(result: Result) -> list[str]:
    """Return the period that was understood, and how many notes are of it.

    If none of those found is, or no note at all, ``first_remarks`` say so.
    """
    period, total, empty = result.get("period"), result["total"], result.get("emptyFilter")
    if not period or (empty and empty["filter"] == "period"):
        return []
    remark = f"period: {period_words(period['since'], period['until'])}"
    if period["only"]:
        return [f"{remark}; notes of other times are left out"]
    if period["matching"] == total:
        return [remark]
    return [f"{remark}; {period['matching']} of {total} are of it"] if period["matching"] else []


def on_seasons(result: Result) -> list[str]:
    """Return that seasons are no period."""
    named = ", ".join(result.get("undated", ()))
    if not named:
        return []
    advice = "name months, as in: notes from June to August 2026"
    return [f"{named}: no period, as seasons differ by place; {advice}"]


def of_other_times(result: Result) -> list[str]:
    """Return that none of the notes found is of the period, though others are."""
    period = result.get("period")
    if result.get("emptyFilter") or not period or period["matching"] or not result["total"]:
        return []
    words = period_words(period["since"], period["until"])
    return [f"no note of {words} speaks of it: these are of other times"]


def period_words(since: str | None, until: str | None) -> str:
    """Return a period as people say it: "March 1987", "2026-11-16 to 2026-11-22".

    ``until`` is the first day after it. Dates as people type them are repeated as they are.
    """
    if since is None:
        return f"the time before {until}"
    if until is None:
        return f"the time since {since}"
    from datetime import date, timedelta  # noqa: PLC0415 - few answers have a period

    try:
        first, after = date.fromisoformat(since), date.fromisoformat(until)
        last = after - timedelta(days=1)
    except (ValueError, OverflowError):
        return f"the time from {since} to before {until}"
    if first == last:
        return since
    if (first.month, first.day, after.month, after.day) == (1, 1, 1, 1):
        return str(first.year) if first.year == last.year else f"{first.year} to {last.year}"
    if first.day == 1 and after.day == 1 and (first.year, first.month) == (last.year, last.month):
        return f"{first:%B} {first.year}"
    return f"{since} to {last}"
