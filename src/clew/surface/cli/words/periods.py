"""What is told of the period that a query asks for: its days, and which notes are of it."""

from __future__ import annotations

from clew.text.dates.shown import shown_period

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
    remark = f"period: {shown_period(period['since'], period['until'])}"
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
    words = shown_period(period["since"], period["until"])
    return [f"no note of {words} speaks of it: these are of other times"]
