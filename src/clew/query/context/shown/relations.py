"""Code as a pack shows it: where an entity is defined, what calls it, and what it calls."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.query.code.related import CodeEnd, CodeInsight
from clew.query.context.quoting import in_label
from clew.query.context.shown.labels import Row
from clew.values.code.code_file import EntityKind

NO_CALLER = "nothing that is known"
ABOUT_CHARACTERS_MAX = {"compact": 200, "default": 400, "detailed": 600}
ENDS_OF_BRIEFER = (4, 2, 1)  # names of each kind in briefer forms
_CALLED = frozenset((EntityKind.FUNCTION, EntityKind.METHOD, EntityKind.CLASS))


def code_block(insight: CodeInsight, template: str) -> str:
    """Return what a pack shows of an entity."""
    is_short = template == "compact"
    rows = [f"{label}: {text}" for label, text in _rows(insight, template) if text]
    head = f"{_code(insight.name)} ({insight.kind})"
    if is_short:
        return f"- {head} {insight.ref}: {'; '.join(row[:1].lower() + row[1:] for row in rows)}"
    lines = [f"### {head}", f"- {Row.DEFINED_IN}: `{insight.ref}`", *(f"- {row}" for row in rows)]
    if template == "detailed":
        lines.append(f"- {Row.SYMBOL}: {_code(insight.symbol_id)}")
    return "\n".join(lines)


def briefer_forms(insight: CodeInsight) -> Iterator[CodeInsight]:
    """Yield forms of an insight, each with fewer names than the one before; counts stay."""
    for most in ENDS_OF_BRIEFER:
        yield replace(
            insight,
            file_about="",
            callers=insight.callers[:most],
            member_callers=insight.member_callers[:most],
            calls=insight.calls[: most - 1],
            implements=insight.implements[:most],
            implementations=insight.implementations[:most],
            notes=insight.notes[:most],
            file_notes=insight.file_notes[: most - 1],
        )


def _rows(insight: CodeInsight, template: str) -> Iterator[tuple[Row, str]]:
    most = ABOUT_CHARACTERS_MAX[template]
    yield Row.ABOUT, in_label(insight.about, most)
    yield Row.FILE_ABOUT, in_label(insight.file_about, most)
    lists: tuple[tuple[Row, Sequence[CodeEnd], int], ...] = (
        (Row.CALLED_BY, insight.callers, insight.caller_count),
        (Row.MEMBERS_CALLED, insight.member_callers, insight.member_caller_count),
        (Row.CALLS, insight.calls, insight.call_count),
        (Row.IMPLEMENTS, insight.implements, len(insight.implements)),
        (Row.IMPLEMENTED_BY, insight.implementations, insight.implementation_count),
    )
    if insight.kind in _CALLED and not (insight.caller_count or insight.member_caller_count):
        yield Row.CALLED_BY, NO_CALLER
    for label, ends, count in lists:
        shown = ", ".join(_end(end, is_short=template == "compact") for end in ends)
        if not ends:
            yield label, str(count or "")
        else:
            yield label, shown + (f" and {count - len(ends)} more" if count > len(ends) else "")
    yield Row.NOTES, ", ".join(insight.notes)
    yield Row.FILE_NOTES, ", ".join(insight.file_notes)


def _end(end: CodeEnd, *, is_short: bool) -> str:
    member = f" calls {_code(end.member)}" if end.member else ""
    via = f", {end.via}" if end.via and not is_short else ""
    return f"{_code(end.name)}{member} ({end.place}{via})"


def _code(name: str) -> str:
    return "`" + name.replace("`", "'") + "`"
