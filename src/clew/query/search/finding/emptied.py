"""Tell why a query found nothing: a filter, an operator or a period that no note passes."""

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.search.finding.find import Findings
from clew.query.search.finding.setting import Setting
from clew.query.search.legs.temporal import TEMPORAL
from clew.query.search.narrowing.empty_filter import empty_filter, empty_period
from clew.query.slices import Slices
from clew.query.suggest import close_folders_to, close_names_in
from clew.values.requests import Search
from clew.values.search_replies import EmptyFilter

_FIELDS = {"type": "type", "tag": "tag", "tags": "tag", "source": "source"}  # of notes, by filter


def empty_narrowing(
    snapshot: Snapshot, request: Search, setting: Setting, findings: Findings
) -> Slices[EmptyFilter | None]:
    """Return the filter or the period that no note passes, ``None`` if there is none."""
    allowed, period = findings.narrowed.allowed, findings.period
    if allowed is not None and not allowed.any():
        clauses = findings.parsed.clauses
        empty = yield from empty_filter(snapshot, request.filters, clauses, setting.clock)
        return replace(empty, suggestions=(yield from _names_like(snapshot, empty)))
    temporal = findings.hits_by_leg.get(TEMPORAL)
    has_none = temporal is None or not len(temporal.note_ids)
    if period is None or period.since is period.until is None:
        return None
    if has_none and not (findings.is_list or findings.is_of_period):
        return empty_period(period)
    return None


def _names_like(snapshot: Snapshot, empty: EmptyFilter) -> Slices[tuple[str, ...]]:
    """Return what a filter may have been meant to have: names that notes have."""
    if empty.filter == "folder":
        return (yield from close_folders_to(snapshot, empty.value))
    if empty.filter not in _FIELDS:
        return ()
    return (yield from close_names_in(snapshot, _FIELDS[empty.filter], empty.value))
