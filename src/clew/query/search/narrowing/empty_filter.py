"""Tell which filter, operator or period of a search no note passes."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.query.search.narrowing.narrowed import narrowed
from clew.query.slices import Slices
from clew.text.dates.intent import Period
from clew.text.query_language import Clause, ClauseKind
from clew.values.requests import Filters
from clew.values.search_replies import EmptyFilter

CHECKED_MAX = 8  # filters and clauses of a request that are tried one by one

_PERIOD = "period"


def empty_period(period: Period) -> EmptyFilter:
    """Return the part of a reply that tells that no note is of ``period``."""
    return EmptyFilter(filter=_PERIOD, value=_interval(*period.shown_days))


def empty_filter(
    snapshot: Snapshot, filters: Filters | None, clauses: Sequence[Clause], clock: Clock
) -> Slices[EmptyFilter]:
    """Return the filter or clause that no note passes by itself, "all" if none is found.

    Takes as long as up to ``CHECKED_MAX`` searches with one filter each.

    Raises:
        InvalidParams: a filter is invalid.
    """
    by_filter = list(_single_filters(filters or Filters()))
    given = [*by_filter, *_single_clauses(clauses)]
    if len(given) == len(by_filter) + len(clauses) == 1:
        return given[0][0]  # the only one must be the empty one
    for name, single, clause in given[:CHECKED_MAX]:
        kept = yield from narrowed(snapshot, single, clause, clock)
        if kept.allowed is not None and not kept.allowed.any():
            return name
    return EmptyFilter(filter="all", value="")


_Single = tuple[EmptyFilter, Filters | None, tuple[Clause, ...]]


def _single_filters(filters: Filters) -> Iterator[_Single]:
    """Yield each value of ``filters`` with a request that has it alone; dates are one."""
    none = Filters()
    for key, value in (("type", filters.type), ("folder", filters.folder)):
        if value:
            yield EmptyFilter(filter=key, value=value), replace(none, **{key: value}), ()
    for key in ("tags", "source", "entity"):
        values = getattr(filters, key)
        # Any of the sources is enough, but a note has all tags and mentions all concepts.
        for some in [values] if key == "source" and values else [(value,) for value in values]:
            named = EmptyFilter(filter=key, value=", ".join(some))
            yield named, replace(none, **{key: some}), ()
    if filters.min_importance is not None:
        named = EmptyFilter(filter="minImportance", value=f"{filters.min_importance:g}")
        yield named, replace(none, min_importance=filters.min_importance), ()
    if filters.since is not None or filters.until is not None:
        named = EmptyFilter(filter=_PERIOD, value=_interval(filters.since, filters.until))
        yield named, replace(none, since=filters.since, until=filters.until), ()


def _single_clauses(clauses: Sequence[Clause]) -> Iterator[_Single]:
    """Yield each clause that asks for something, by itself."""
    for clause in clauses:
        if not clause.is_excluded and clause.kind is not ClauseKind.WORD:
            yield EmptyFilter(filter=clause.kind.value, value=clause.text), None, (clause,)


def _interval(since: str | None, until: str | None) -> str:
    """Return two dates as ISO 8601 writes an interval, ``..`` where it is open."""
    return f"{since or '..'}/{until or '..'}"
