"""Code as a pack shows it: where an entity is defined, what calls it, and what it calls."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.query.code.neighbours import CodeNeighbour
from clew.query.code.related import CodeInsight
from clew.query.quoting.note_text import in_label
from clew.values.code.code_file import EntityKind

NO_CALLER = "nothing that is known"
NO_CALLER_OF_METHOD = "nothing that is known; calls through values of unknown types are not listed"
NO_CALLER_OF_PROPERTY = "nothing, as it is a property; where it is read is not listed"
NO_CALLER_BUT_PASSED = "nothing by its name, but it is handed over"
ABOUT_CHARACTERS_MAX = {"compact": 200, "default": 800, "detailed": 1_200}
INSIDE_CHARACTERS_MAX = 400
FILE_ABOUT_CHARACTERS_MAX = {"compact": 200, "default": 1_000, "detailed": 1_200}
CALLERS_FILE_CHARACTERS_MAX = {"compact": 0, "default": 400, "detailed": 600}
BRIEFER_ABOUT_CHARACTERS_MAX = 400
ENDS_OF_BRIEFER = (4, 2, 1)  # names of each kind in briefer forms
METHODS_PASSED = "Its methods are handed over in"
_CALLED = frozenset((EntityKind.FUNCTION, EntityKind.METHOD, EntityKind.CLASS))


def code_block(insight: CodeInsight, template: str) -> str:
    """Return what a pack shows of an entity."""
    is_short = template == "compact"
    rows = [f"{label}: {text}" for label, text in _rows(insight, template) if text]
    head = f"{_code(insight.name)} ({insight.kind})"
    if is_short:
        return f"- {head} {insight.ref}: {'; '.join(row[:1].lower() + row[1:] for row in rows)}"
    lines = [f"### {head}", f"- Defined in: `{insight.ref}`", *(f"- {row}" for row in rows)]
    if template == "detailed":
        lines.append(f"- Symbol: {_code(insight.symbol_id)}")
    return "\n".join(lines)


def briefer_forms(insight: CodeInsight) -> Iterator[CodeInsight]:
    """Yield forms of an insight, each with fewer names than the one before; counts stay."""
    for most in ENDS_OF_BRIEFER:
        is_first = most == ENDS_OF_BRIEFER[0]
        yield replace(
            insight,
            about=in_label(insight.about, BRIEFER_ABOUT_CHARACTERS_MAX),
            inside=insight.inside if is_first else "",
            file_about=insight.file_about if is_first else "",
            users_file_about="",
            callers=_briefer_ends(insight.callers[:most], has_quotes=is_first),
            member_callers=_briefer_ends(insight.member_callers[:most], has_quotes=is_first),
            passed=_briefer_ends(insight.passed[:most], has_quotes=is_first),
            member_passed=_briefer_ends(insight.member_passed[:most], has_quotes=is_first),
            calls=insight.calls[: most - 1],
            implements=insight.implements[:most],
            implementations=insight.implementations[:most],
            notes=insight.notes[:most],
            file_notes=insight.file_notes[: most - 1],
        )


def _briefer_ends(ends: Sequence[CodeNeighbour], *, has_quotes: bool) -> tuple[CodeNeighbour, ...]:
    """Return ends without their users, and with at most one quote each, preferably the comment."""
    briefer = [replace(end, users=(), receiver=_unquoted(end.receiver)) for end in ends]
    if not has_quotes:
        briefer = [replace(end, about="", class_about="", comment="") for end in briefer]
    return tuple(replace(end, about="", class_about="") if end.comment else end for end in briefer)


def _unquoted(receiver: CodeNeighbour | None) -> CodeNeighbour | None:
    return None if receiver is None else replace(receiver, about="")


def _rows(insight: CodeInsight, template: str) -> Iterator[tuple[str, str]]:
    yield "About", in_label(insight.about, ABOUT_CHARACTERS_MAX[template])
    yield "Inside", in_label(insight.inside, INSIDE_CHARACTERS_MAX) if template != "compact" else ""
    yield "Its file", in_label(insight.file_about, FILE_ABOUT_CHARACTERS_MAX[template])
    lists: tuple[tuple[str, Sequence[CodeNeighbour], int], ...] = (
        ("Called by", insight.callers, insight.caller_count),
        ("Calls to its methods", insight.member_callers, insight.member_caller_count),
        ("Handed over in", insight.passed, insight.passed_count),
        (METHODS_PASSED, insight.member_passed, insight.member_passed_count),
        ("Calls", insight.calls, insight.call_count),
        ("Implements", insight.implements, len(insight.implements)),
        ("Implemented by", insight.implementations, insight.implementation_count),
    )
    if insight.kind in _CALLED and not (insight.caller_count or insight.member_caller_count):
        no_caller = NO_CALLER_OF_METHOD if insight.kind == EntityKind.METHOD else NO_CALLER
        no_caller = NO_CALLER_OF_PROPERTY if insight.is_property else no_caller
        yield "Called by", NO_CALLER_BUT_PASSED if insight.passed_count else no_caller
    most = CALLERS_FILE_CHARACTERS_MAX[template]
    of_users = "The file of its callers" if insight.is_called else "The file that hands it over"
    yield of_users, in_label(insight.users_file_about, most) if most else ""
    for label, ends, count in lists:
        verb = "hands over" if label == METHODS_PASSED else "calls"
        shown = ", ".join(_end(end, verb, is_short=template == "compact") for end in ends)
        if not ends:
            yield label, str(count or "")
        else:
            yield label, shown + (f" and {count - len(ends)} more" if count > len(ends) else "")
    yield "Notes", ", ".join(insight.notes)
    yield "Notes that name its file", ", ".join(insight.file_notes)


def _end(end: CodeNeighbour, verb: str, *, is_short: bool) -> str:
    member = f" {verb} {_code(end.member)}" if end.member else ""
    if is_short:
        to = f" to {_code(end.receiver.name)}" if end.receiver is not None else ""
        return f"{_code(end.name)}{member}{to} ({end.place})"
    via = f", {end.via}" if end.via else ""
    to = _receiver(end.receiver) if end.receiver is not None else ""
    return f"{_code(end.name)}{member} ({end.place}{via}{_quotes(end)}){to}{_users_of(end)}"


def _receiver(receiver: CodeNeighbour) -> str:
    where = f" ({receiver.place}{_quotes(receiver)})" if receiver.place else ""
    return f", to {_code(receiver.name)}{where}"


def _quotes(end: CodeNeighbour) -> str:
    """Return quotes of the source: the comment at the call, and the caller's own."""
    comment = f': "{end.comment}"' if end.comment else ""
    about = f'{"; about" if comment else ""}: "{end.about}"' if end.about else ""
    return comment + about + (f'; its class: "{end.class_about}"' if end.class_about else "")


def _users_of(end: CodeNeighbour) -> str:
    """Return what calls a user or hands it over: ", which `a` (…), `b` (…) and 2 more call"."""
    callers = [each for each in end.users if not each.is_passer]
    passers = [each for each in end.users if each.is_passer]
    groups = (
        _counted(callers, end.caller_count, "calls", "call"),
        _counted(passers, end.passer_count, "hands over", "hand over"),
    )
    shown = " and ".join(filter(None, groups))
    return f", which {shown}" if shown else ""


def _counted(users: Sequence[CodeNeighbour], count: int, one: str, several: str) -> str:
    """Return the users with the number of the others, and what they do; "" for none."""
    if not count:
        return ""
    names = ", ".join(f"{_code(each.name)} ({each.place})" for each in users)
    more = f"{count - len(users)} more" if count > len(users) else ""
    return f"{' and '.join(filter(None, (names, more)))} {one if count == 1 else several}"


def _code(name: str) -> str:
    return "`" + name.replace("`", "'") + "`"
