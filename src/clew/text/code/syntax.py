"""Parse code into the matches of its language's queries, with a bound on the work.

A query takes time by the square of the children of a node, so nodes with very many are refused
before. (A query cannot be cancelled: with a progress callback, tree-sitter 0.26.1 ended the
process in each of our tries.) All limits count work and not time: the same text always gives the
same outcome.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.text.code.languages import CodeLanguage, load, parsed_text

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

CODE_BYTES_MAX = 256 * 1024
LINE_BYTES_MAX = 5_000  # longer lines are minified or generated
BYTES_PER_STEP = 64  # calls of the progress callback: code takes one for a hundred bytes or more
STEPS_MIN = 300  # that any text may take
MATCHES_IN_PROGRESS_MAX = 20_000  # of the queries, at one node
CHILDREN_MAX = 20_000  # of one node: a query over so many takes a quarter of a second

_PORTION_BYTES = 16 * 1024

Match = dict[str, "list[Node]"]


class TooMuchCode(Exception):
    """The code is over a limit; the message says which."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of queries, with their tree, which must live as long as its nodes."""

    tree: "Tree"
    matches: list[Match]


def matches(code: bytes, language: CodeLanguage) -> Matches:
    """Return the matches of the queries in ``code``: capture names with their nodes.

    Raises:
        TooMuchCode: the text is too long, is minified, or takes too much work.
    """
    if len(code) > CODE_BYTES_MAX:
        raise TooMuchCode(f"code over {CODE_BYTES_MAX // 1024} KiB is not read")
    if any(len(line) > LINE_BYTES_MAX for line in code.split(b"\n")):
        raise TooMuchCode(f"code with lines over {LINE_BYTES_MAX} bytes is not read")
    from tree_sitter import Parser, QueryCursor  # noqa: PLC0415 - only where code is parsed

    grammar, query = load(language)
    parsed = parsed_text(language, code)
    steps = _Steps(STEPS_MIN + len(code) // BYTES_PER_STEP)
    try:
        tree = Parser(grammar).parse(
            lambda offset, _: parsed[offset : offset + _PORTION_BYTES],
            encoding="utf8",
            progress_callback=lambda _offset, _error: steps.are_over(),
        )
    except ValueError as error:  # it was cancelled
        raise TooMuchCode("the code takes too much work to parse") from error
    _check_children(tree.root_node)
    cursor = QueryCursor(query, match_limit=MATCHES_IN_PROGRESS_MAX)
    found = cursor.matches(tree.root_node)
    if cursor.did_exceed_match_limit:
        raise TooMuchCode("the code takes too much work to search")
    return Matches(tree, [match for _, match in found])


class _Steps:
    """A count of steps, with a bound."""

    def __init__(self, steps_max: int) -> None:
        self.count = 0
        self._steps_max = steps_max

    def are_over(self) -> bool:
        self.count += 1
        return self.count > self._steps_max


def _check_children(root: "Node") -> None:
    """Look for a node with too many children, only where there are enough nodes for one."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.child_count > CHILDREN_MAX:
            raise TooMuchCode(f"one piece of the code has over {CHILDREN_MAX} parts")
        nodes += [child for child in node.children if child.descendant_count > CHILDREN_MAX]
