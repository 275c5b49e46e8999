"""The doc comment of an entity: its docstring, or the comment right above it.

Only running text is kept, without descriptions of parameters, examples, rulers and directives to
tools.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

CHARACTERS_MAX = 1_200
RAISED_CHARACTERS_MAX = 200
LINES_MAX = 60  # read above an entity, or below a heading in its docstring
CHILDREN_MAX = 20  # first children of a body, among which its docstring is looked for

# Patterns are matched at the start of lines without their indentation.
# Lines between a doc comment and its entity: decorators, annotations, attributes, templates.
_BETWEEN = re.compile(rb"@\w|#!?\[|template\b|\[\[")
_COMMENT = re.compile(r"^(?://[/!]?|#(?!!))[ \t]?")
_SLASHES = re.compile(r"^//[/!]?[ \t]?")  # a line that begins with # is code in all but Python
_MARKS = re.compile(r"^(?:/\*+!?|\*(?![*/]))[ \t]?")
_KEY = "PRIVATE KEY"  # in the line above a key, which is kept since masking needs it
_RULERS = ("----", "====", "####", "****", "~~~~", "____")
_DIRECTIVES = re.compile(
    r"@ts-|biome-ignore|clang-format|cspell|deno-lint|eslint\b|flake8|fmt:|go:|isort:|istanbul\b|jshint"
    r"|mypy|noinspection|nolint|NOLINT|noqa|nosec|NOSONAR|pragma\b|prettier-|pylint|pyright|ruff:|tslint"
    r"|type:|[cv]8 ignore"
)
_NEXT_COMMENT = re.compile(r"[ \t](?:#|//)[ \t]")  # in a comment, such as a directive to a tool
_TEXT_END = re.compile(r"@\w|:\w[^:\n]*:(?:\s|$)|\\(?:param|return|brief)\b|>>>|`{3}|~{3}")
# Headings of the sections that follow the running text.
_TEXT_END_HEADING = re.compile(
    r"args|arguments|attributes|examples?|parameters|panics|raises|returns?|safety|see also|yields",
    re.IGNORECASE,
)

_RAISES = re.compile(r"raises:", re.IGNORECASE)


def docstring_of(node: "Node", code: bytes) -> list[str]:
    """Return the lines of the docstring that a module, class or function of Python begins with."""
    body = node.child_by_field_name("body") or node
    for number in range(min(CHILDREN_MAX, body.named_child_count)):
        child = body.named_child(number)
        if child is None or child.type == "comment":
            continue
        string = child.named_child(0) if child.type == "expression_statement" else child
        if string is None or string.type != "string":
            return []
        parts = [part for part in string.named_children if part.type == "string_content"]
        text = b"".join(code[part.start_byte : part.end_byte] for part in parts)
        return text.decode("utf-8", "replace").split("\n")
    return []


def raised_in(docstring: Sequence[str]) -> str:
    """Return the running text of a docstring's section ``Raises``; "" without one."""
    headings = (number for number, line in enumerate(docstring) if _RAISES.fullmatch(line.strip()))
    start = next(headings, len(docstring)) + 1
    lines = takewhile(str.strip, docstring[start : start + LINES_MAX])
    return running_text(lines, RAISED_CHARACTERS_MAX).removesuffix(".")


def comment_above(lines: Sequence[bytes], row: int, *, has_hashes: bool) -> str:
    """Return the comment that ends right above the 0-based ``row`` of a text; "" for none."""
    marks = _COMMENT if has_hashes else _SLASHES
    while row > 0 and _BETWEEN.match(lines[row - 1].lstrip(b" \t")):
        row -= 1
    above = [line.decode("utf-8", "replace") for line in lines[max(0, row - LINES_MAX) : row]]
    if not above:
        return ""
    if above[-1].rstrip().endswith("*/"):
        return running_text(_block_comment(above))
    comment: list[str] = []
    while above:
        line = above.pop().lstrip(" \t")
        mark = marks.match(line)
        if mark is None:
            break
        comment.append(line[mark.end() :])
    return running_text(reversed(comment))


def _block_comment(above: Sequence[str]) -> list[str]:
    """Return the lines of the block comment that ends ``above``, without its marks."""
    start = max((at for at, line in enumerate(above) if "/*" in line), default=-1)
    if start < 0 or not above[start].lstrip().startswith("/*"):
        return []
    return comment_lines("\n".join(above[start:]).strip())


def comment_lines(comment: str) -> list[str]:
    """Return the lines of a comment without its marks; comments within it begin new lines."""
    if not comment.startswith("/*"):
        return _NEXT_COMMENT.split(_COMMENT.sub("", comment, count=1))
    lines = [_MARKS.sub("", line.lstrip(" \t"), count=1) for line in comment.split("\n")]
    lines[-1] = lines[-1].rpartition("*/")[0].rstrip("* \t")
    return lines


def running_text(lines: Iterable[str], characters_max: int = CHARACTERS_MAX) -> str:
    """Return the running text with which ``lines`` begin, ``characters_max`` long at most.

    Longer text is cut between words, so that no secret is cut in two.
    """
    kept: list[str] = []
    for line in map(str.strip, lines):
        if _TEXT_END.match(line) or _TEXT_END_HEADING.fullmatch(line.strip("#: \t")):
            break
        is_ruler = line.endswith(_RULERS) and _KEY not in line
        if not is_ruler and not _DIRECTIVES.match(line) and any(map(str.isalnum, line)):
            kept.append(line)
    text = " ".join(" ".join(kept).split())
    if len(text) <= characters_max:
        return text
    start = text[:characters_max]
    words = start.rpartition(" ")[0] or ("" if start.isascii() else start)
    return f"{words} …" if words else ""
