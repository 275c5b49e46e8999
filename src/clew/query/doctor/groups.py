"""Problems and suggestions of the notes by kind, with their counts and first examples."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from clew.engine.snapshot import Snapshot
from clew.query.cursors import last_key
from clew.query.doctor.kinds import AMBIGUOUS, DUPLICATE, KINDS, SUGGESTIONS, UNKNOWN, UNLINKED
from clew.query.doctor.suggestions import (
    PairOfPaths,
    ambiguous_links,
    likely_duplicates,
    unlinked_count,
    unlinked_mentions,
)
from clew.query.notes.contested import with_written_alias
from clew.query.notes.read import to_problem
from clew.query.paging import Page, keyed_page, page
from clew.query.slices import Slices
from clew.query.suggest import close_names
from clew.text.unicode import shell_word
from clew.text.uri import from_uri
from clew.values.daemon_replies import ProblemGroup
from clew.values.errors import InvalidParams
from clew.values.note import Problem
from clew.values.replies import Problem as Row
from clew.values.requests import Doctor

EXAMPLES_MAX = 3


def groups_and_page(
    snapshot: Snapshot, problems: Sequence[Problem], request: Doctor
) -> Slices[tuple[tuple[ProblemGroup, ...], Page[Row]]]:
    """Return the kinds that have rows, and the page of rows that ``request`` asks for.

    Problems come before suggestions, and the kinds with the most rows first. With ``request.code``
    there is only that kind, and the page is of its rows; without it, of all problems.

    Raises:
        InvalidParams: there is no such kind, or the cursor is not one that a reply gave.
    """
    if request.code is None:
        groups = yield from _groups(snapshot, problems)
        return groups, _page(snapshot, list(map(to_problem, problems)), request)
    if request.code not in KINDS:
        close = yield from close_names(request.code, KINDS)
        hint = (
            f"close to it: {', '.join(close)}"
            if close
            else f"the kinds: {', '.join(sorted(KINDS))}"
        )
        raise InvalidParams(f"no kind is {request.code[:40]!r}", "code", hint)
    if request.code == UNLINKED:
        shown = yield from _unlinked_page(snapshot, request)
    else:
        rows = yield from _rows_of(snapshot, problems, request.code)
        shown = _page(snapshot, rows, request)
    return _groups_of({request.code: shown.rows}, {request.code: shown.total}), shown


def _page(snapshot: Snapshot, rows: list[Row], request: Doctor) -> Page[Row]:
    found_page = page(sorted(rows, key=_key), request, _key, tuple[str, str, int, str, str])
    return replace(found_page, rows=[with_written_alias(snapshot, row) for row in found_page.rows])


def _key(row: Row) -> tuple[str, str, int, str, str]:
    return row.uri, row.code, row.line or 0, row.value or "", row.message


def _unlinked_page(snapshot: Snapshot, request: Doctor) -> Slices[Page[Row]]:
    last = last_key(request, PairOfPaths)
    start, mentions = yield from unlinked_mentions(snapshot, last, request.limit)
    total = unlinked_count(snapshot)
    shown = keyed_page(mentions, start, total, request, lambda row: row[0])
    return Page([row for _, row in shown.rows], shown.start, shown.total, shown.cursor)


def _groups(snapshot: Snapshot, problems: Sequence[Problem]) -> Slices[tuple[ProblemGroup, ...]]:
    codes = {problem.code for problem in problems} | {AMBIGUOUS, DUPLICATE}
    rows_by_code: dict[str, Sequence[Row]] = {}
    for code in sorted(codes):
        rows_by_code[code] = yield from _rows_of(snapshot, problems, code)
    counts = {code: len(rows) for code, rows in rows_by_code.items()}
    for code, rows in rows_by_code.items():
        first = rows[:EXAMPLES_MAX]
        rows_by_code[code] = [with_written_alias(snapshot, row) for row in first]
    _, mentions = yield from unlinked_mentions(snapshot, None, EXAMPLES_MAX)
    rows_by_code[UNLINKED] = [row for _, row in mentions]
    return _groups_of(rows_by_code, {**counts, UNLINKED: unlinked_count(snapshot)})


def _rows_of(snapshot: Snapshot, problems: Sequence[Problem], code: str) -> Slices[list[Row]]:
    """Return all rows of a kind, which is not that of unlinked mentions."""
    if code == AMBIGUOUS:
        return (yield from ambiguous_links(snapshot))
    if code == DUPLICATE:
        return (yield from likely_duplicates(snapshot))
    return [to_problem(problem) for problem in problems if problem.code == code]


def _groups_of(
    rows_by_code: Mapping[str, Sequence[Row]], counts: Mapping[str, int]
) -> tuple[ProblemGroup, ...]:
    groups = [_group(code, counts[code], rows) for code, rows in rows_by_code.items()]
    groups = [group for group in groups if group.count]
    return tuple(sorted(groups, key=lambda group: (group.kind, -group.count, group.code)))


def _group(code: str, count: int, rows: Sequence[Row]) -> ProblemGroup:
    kind = KINDS.get(code, UNKNOWN)
    return ProblemGroup(
        code=code,
        kind="suggestion" if code in SUGGESTIONS else "problem",
        count=count,
        about=kind.about,
        fix=_advice(kind.fix, rows[0]) if rows else kind.fix,
        examples=tuple(rows[:EXAMPLES_MAX]),
    )


def _advice(fix: str, row: Row) -> str:
    """Return the advice for one row, with its path as a word of a command line."""
    path = from_uri(row.uri)
    word = shell_word(f"./{path}" if path.startswith("-") else path)
    return fix.replace("FILE", word).replace("VALUE", row.value or "")
