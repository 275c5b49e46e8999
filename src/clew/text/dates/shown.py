"""A period as people write it; imports nothing else, since the command line shows periods too."""


def shown_period(since: str | None, until: str | None) -> str:
    """Return a period as people say it: "March 1987", "2026-11-16 to 2026-11-22".

    ``until`` is the first day after it. Dates as people type them are repeated as they are.
    """
    if since is None:
        return f"the time before {until}"
    if until is None:
        return f"the time since {since}"
    from datetime import date, timedelta  # noqa: PLC0415 - the command line rarely needs it

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
