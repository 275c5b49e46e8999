"""Texts about the period that a query asks for: its days, and the notes that belong to it."""

from __future__ import annotations

from clew.text.dates.shown import shown_period

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from typing import Any

    Result = dict[str, Any]


def day_of_row(row: Result, result: Result) -> str:
    """Return the day of a note, and whether it is outside the period; "" if no time is asked for.

    A query for the newest notes has days, and no period.
    """
    period, day = result["period"], row.get("day", "")
    is_mixed = period is not None and 0 < period["matching"] < result["total"]
    return f"{day}  of another time" if is_mixed and not row["ofPeriod"] else day


def period_remarks(result: Result) -> list[str]:
    """Return the period that the query names, and how many of the notes found belong to it.

    If none of them does, ``first_remarks`` says so instead.
    """
    period, total, empty = result.get("period"), result["total"], result.get("emptyFilter")
    if not period or (empty and empty["filter"] == "period"):
        return []
    remark = f"period: {shown_period(period['since'], period['until'])}"
    if period["only"]:
        return [f"{remark}; notes of other times are left out"]
    if period["matching"] == total:
        return [remark]
    return [f"{remark}; {period['matching']} of {total} are of it"] if period["matching"] else []


def season_remarks(result: Result) -> list[str]:
    """Return the remark that a season in the query does not name a period."""
    named = ", ".join(result.get("undated", ()))
    if not named:
        return []
    advice = "name months, as in: notes from June to August 2026"
    return [f"{named}: no period, as seasons differ by place; {advice}"]


def other_times_remarks(result: Result) -> list[str]:
    """Return the remark that all notes found are of other times than the period."""
    period = result.get("period")
    if result.get("emptyFilter") or not period or period["matching"] or not result["total"]:
        return []
    words = shown_period(period["since"], period["until"])
    return [f"no note of {words} speaks of it: these are of other times"]
