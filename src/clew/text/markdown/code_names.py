"""Find the names of code that the text of a note speaks of.

A name is a path such as ``Store.open`` or ``store::open``. A text speaks of it where it is all of
an inline code span, where it is called (``open(``), or where a part of it is written as only
identifiers are: camelCase, PascalCase of two words or more, or snake_case. In fenced code, which
quotes code of any kind, only the last counts.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

NAME_CHARACTERS_MAX = 300
_PART = r"[^\W\d][\w$]*"
_PATH = re.compile(rf"(?<![\w$]){_PART}(?:(?:\.|::|#|->){_PART})*")
_SEPARATOR = re.compile(r"\.|::|#|->")
_INLINE = re.compile(r"(?<!`)(?P<marks>`{1,2})(?P<code>[^`\n]{1,300})(?P=marks)(?!`)")
# A name that stands alone may also be a macro of Rust, a private member of JavaScript, a destructor
# or an operator of C++.
_ANY_PART = (
    r"(?>operator(?:\s*(?:\(\)|\[\]|\"\"\s*\w+|[-+*/%^&|~!=<>,]{1,3})"
    rf"|\s+(?:new|delete)(?:\[\])?)|(?:~\s*|#)?{_PART}!?)"
)
_ANY_STEP = re.compile(rf"(?:\.|::|#|->)({_ANY_PART})")
_ANY_WHOLE = re.compile(rf"({_ANY_PART}(?:(?:\.|::|#|->){_ANY_PART})*)\s*(?:\([^\n]*\))?\s*;?")
_WHOLE = re.compile(rf"({_PATH.pattern})\s*(?:\([^\n]*\))?\s*;?")
_SHAPED = re.compile(
    r"[a-z][a-z0-9]*[A-Z]\w*"  # validateToken
    r"|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]\w*"  # AuthService, HTTPServer
    r"|\w*[^\W_]_[^\W_]\w*"  # validate_token
)
_PLURAL = ("s)", "es)", "n)", "en)")  # of "note(s)", which calls nothing


def is_shaped(name: str) -> bool:
    """Return whether a name is written as only identifiers are."""
    return _SHAPED.fullmatch(name) is not None


def name_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a path of names, as people write it; none if it is no such path."""
    match = _ANY_WHOLE.fullmatch(text.strip().strip("`")[:NAME_CHARACTERS_MAX].strip())
    return tuple(map(_without_blanks, _ANY_STEP.findall(f".{match[1]}"))) if match else ()


def _without_blanks(part: str) -> str:
    """Return a part as the index has it: ``operator==`` for ``operator ==``."""
    words = part.split()
    return (" " if part[0] == "o" and words[-1][0].isalpha() else "").join(words)


def code_names(text: str, fences: Sequence[Span]) -> Iterator[tuple[str, ...]]:
    """Yield the names of code in ``text``, by parts; ``fences`` are its fenced code, in order."""
    inline = {
        match.end("code") - len(match["code"].lstrip()): match for match in _INLINE.finditer(text)
    }
    starts = [start for start, _ in fences]
    for match in _PATH.finditer(text):
        if match.end() - match.start() > NAME_CHARACTERS_MAX:
            continue
        parts = tuple(_SEPARATOR.split(match[0]))
        place = bisect_right(starts, match.start()) - 1
        is_fenced = place >= 0 and match.start() < fences[place][1]
        if any(map(is_shaped, parts)) or (not is_fenced and _is_named(text, match, inline)):
            yield parts


def paths_in(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the paths of two names or more in ``text``, whatever they are: ``Ledger.Post``."""
    for match in _PATH.finditer(text):
        parts = tuple(_SEPARATOR.split(match[0]))
        if len(parts) > 1 and match.end() - match.start() <= NAME_CHARACTERS_MAX:
            yield parts


def _is_named(text: str, match: re.Match[str], inline: dict[int, re.Match[str]]) -> bool:
    """Return whether a name is called, or is all of an inline code span."""
    if text.startswith("(", match.end()) and not text.startswith(_PLURAL, match.end() + 1):
        return True
    span = inline.get(match.start())
    return span is not None and _WHOLE.fullmatch(span["code"].strip()) is not None
