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
# Up to any place: code takes 12, and tables of numbers 17.
STEPS_A_KIB_READ = 24
READS_A_PORTION = 16  # of the text: code takes one or two
READS_MIN = 64
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
    work = Work(parsed)
    try:
        tree = Parser(grammar).parse(
            lambda offset, _: work.read(offset),
            encoding="utf8",
            progress_callback=lambda offset, _error: work.is_over(offset),
        )
    except ValueError as error:  # it was cancelled
        raise TooMuchCode("the code takes too much work to parse") from error
    if work.is_over(len(parsed)):
        raise TooMuchCode("the code takes too much work to parse")
    _check_children(tree.root_node)
    cursor = QueryCursor(query, match_limit=MATCHES_IN_PROGRESS_MAX)
    found = cursor.matches(tree.root_node)
    if cursor.did_exceed_match_limit:
        raise TooMuchCode("the code takes too much work to search")
    return Matches(tree, [match for _, match in found])


class Work:
    """The text that a parser reads, and a count of the work it does, with bounds.

    Each step is some hundred actions of the parser. Reads are counted too, since a scanner that
    looks for the end of a string or comment, again and again, takes no step meanwhile. Once there
    are too many, the text ends for the parser, so that it soon returns.
    """

    def __init__(self, text: bytes) -> None:
        self.steps = 0
        self.reads = 0
        self._text = text
        self._steps_max = STEPS_MIN + len(text) // BYTES_PER_STEP
        self._reads_max = READS_MIN + READS_A_PORTION * (len(text) // _PORTION_BYTES)

    def read(self, offset: int) -> bytes:
        """Return the text from ``offset`` on, or nothing after too much work."""
        self.reads += 1
        if self.reads > self._reads_max:
            return b""
        return self._text[offset : offset + _PORTION_BYTES]

    def is_over(self, offset: int) -> bool:
        """Count a step, and return whether that is too much work to come to ``offset``.

        Once all is read, the parser arranges its tree, in linear time.
        """
        if self.reads > self._reads_max:
            return True
        if offset >= len(self._text) - 1:
            return False
        self.steps += 1
        return self.steps > min(self._steps_max, STEPS_MIN + offset * STEPS_A_KIB_READ // 1024)


def _check_children(root: "Node") -> None:
    """Look for a node with too many children, only where there are enough nodes for one."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.child_count > CHILDREN_MAX:
            raise TooMuchCode(f"one piece of the code has over {CHILDREN_MAX} parts")
        nodes += [child for child in node.children if child.descendant_count > CHILDREN_MAX]
