"""Search: the hits of all legs fused into one ranking that shows why each note is in it.

``finding`` runs the legs, and ranks and judges their hits; ``search`` makes the reply.
"""

from msgspec import UNSET, structs

from clew.engine.snapshot import Snapshot
from clew.query.highest import highest_in_slices
from clew.query.paging import Page, ranked_page, rows_before
from clew.query.search.admission.suggestions import near_names
from clew.query.search.finding.emptied import empty_narrowing
from clew.query.search.finding.find import Findings
from clew.query.search.finding.judge import find_and_judge
from clew.query.search.finding.judged import Judged
from clew.query.search.finding.period_notes import PeriodNotes, period_notes, written_day
from clew.query.search.finding.setting import Setting
from clew.query.search.narrowing.understood import understood
from clew.query.search.results import Wanted, result_rows
from clew.query.search.spelling import correction_reply
from clew.query.slices import Slices
from clew.query.successors import replaced_by
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.values import requests, search_replies


def search(
    snapshot: Snapshot, request: requests.Search, setting: Setting
) -> Slices[search_replies.SearchReply]:
    """Return the notes that answer a query, best first.

    Raises:
        InvalidParams: the query has no word, or none but stop words that are in no title; a
            filter or the cursor is wrong, or the cursor is out of date.
    """
    findings, judged = yield from find_and_judge(snapshot, request, setting)
    suggestions = yield from near_names(snapshot, findings.matches.query, judged.admission)
    note_ids, path_of = judged.admission.of(judged.note_ids), snapshot.graph.path
    count = rows_before(request) + request.limit
    first = yield from highest_in_slices(note_ids, judged.order, path_of, count)
    shown = yield from ranked_page(first.tolist(), len(note_ids), request, path_of, setting.now_s)
    rows = yield from result_rows(
        snapshot,
        shown.rows,
        judged.scores,
        findings.hits_by_leg,
        Wanted.of(findings.matches.forms_by_term, findings.parsed.phrases),
        findings.narrowed.slot_by_note,
        judged.admission,
    )
    dated = period_notes(snapshot, findings)
    brought_in = set(judged.brought_in.tolist())
    more = [_more_of_row(snapshot, setting, findings, judged, dated, each) for each in shown.rows]
    rows = [
        structs.replace(row, brought_in=note_id in brought_in or UNSET, **fields)
        for note_id, row, fields in zip(shown.rows, rows, more, strict=True)
    ]
    period = None if dated is None else dated.as_reply(snapshot, judged)
    empty = yield from empty_narrowing(snapshot, request, setting, findings)
    answer = Page(rows, shown.start, shown.total, shown.cursor)
    reply = _reply(snapshot, request, setting, findings, judged, answer)
    return structs.replace(reply, period=period, empty_filter=empty, suggestions=suggestions)


def _more_of_row(
    snapshot: Snapshot,
    setting: Setting,
    findings: Findings,
    judged: Judged,
    dated: PeriodNotes | None,
    note_id: int,
) -> dict[str, object]:
    """Return the fields of a row that few queries or notes have.

    These are the parts of its score, its day, and the notes that replace its note.
    """
    more: dict[str, object] = {}
    if judged.additive is not None:
        more["breakdown"] = judged.additive.breakdown(note_id)
    if live := replaced_by(snapshot, snapshot.graph.path(note_id)):
        more["superseded_by"] = live
    if dated is not None:
        more["day"], more["of_period"] = dated.day_of(snapshot, note_id, setting.zone)
    elif findings.period is not None:
        more["day"] = written_day(snapshot, note_id, setting.zone)
    return more


def _unread_remark(phrase: str) -> str:
    return f"phrase: many passages have the words of {phrase[:100]!r}, and only some were read"


def _reply(
    snapshot: Snapshot,
    request: requests.Search,
    setting: Setting,
    findings: Findings,
    judged: Judged,
    shown: Page[search_replies.SearchResult],
) -> search_replies.SearchReply:
    matches, parsed = findings.matches, findings.parsed
    return search_replies.SearchReply(
        revision=snapshot.revision,
        query=request.query,
        results=tuple(shown.rows),
        search_metrics=search_replies.SearchMetrics(
            tier=matches.tier, took_ms=0.0, candidates=len(judged.note_ids)
        ),
        fuzzy_correction=correction_reply(
            request.query, matches.corrections, parsed.spans_within(SEARCHED_CHARACTERS_MAX)
        ),
        answered=judged.admission.answered,
        suggestions=(),
        period=None,
        undated=findings.undated or UNSET,
        empty_filter=None,
        degraded=(*setting.degraded, *map(_unread_remark, findings.narrowed.unread)),
        understood=understood(parsed, matches.query, findings.kinds) if request.explain else UNSET,
        meta=search_replies.Meta(
            total_items=shown.total,
            returned_items=len(shown.rows),
            truncated=shown.cursor is not None,
        ),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )
