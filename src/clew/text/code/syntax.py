"""Parse code into the matches of its language's queries, with a bound on the work.

A query takes time by the square of the children of a node, so nodes with very many are refused
before. (A query cannot be cancelled: with a progress callback, tree-sitter 0.26.1 ended the
process in each of our tries.) Brackets that are very deep are refused too: where a text with them
ends, tree-sitter takes time by the square of their depth, in one step. All limits count work and
not time: the same text always gives the same outcome.
"""

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from clew.text.code.languages import CodeLanguage, load, parsed_text

if TYPE_CHECKING:
    from tree_sitter import Language, LogType, Node, Tree

CODE_BYTES_MAX = 256 * 1024
LINE_BYTES_MAX = 5_000  # longer lines are minified or generated
# A step is a call of the progress callback. Any text may take ``STEPS_MIN``, and one more for this
# many bytes of it: code takes one for a hundred bytes or more.
BYTES_PER_STEP = 64
STEPS_MIN = 300
STEPS_A_KIB_READ = 24  # of text, beyond ``STEPS_MIN``: code takes 12, tables of numbers 17
READS_A_PORTION = 16  # reads for each portion of the text: code takes one or two
READS_MIN = 64  # reads that any text may take
MATCHES_IN_PROGRESS_MAX = 20_000  # of the queries, at one node
CHILDREN_MAX = 20_000  # of one node: a query over so many takes a quarter of a second
DEPTH_MAX = 1_000  # of brackets in brackets
TREE_DEPTH_MAX = 2_000  # a query over 20,000 nodes in nodes takes five seconds
# Pairs of a node and a node around it: a query takes time in proportion to their number. 250 KB of
# code have under a million, and 600 calls in one chain, 25 times over, have 17 million and take two
# seconds.
PAIRS_MAX = 6_000_000
_SMALL_NODES = 500  # a node with fewer nodes in it makes few pairs
# The parser's work on errors in one text or note, in units of about 4 us. Headers of C that
# are full of macros take 150 for a KiB, some 900; text that is made of errors takes thousands.
ERROR_WORK_MAX = 130_000
STEPS_UNSAMPLED = 160  # before the first sample of the log: 13 KiB of code
STEPS_A_SAMPLE = 128  # a step with the log takes a millisecond

_PORTION_BYTES = 16 * 1024
# Beginnings of lines of the log, with the work they stand for: an error is found; a way to go on is
# tried; or it is given up.
_ERROR_WORK = (("resume version", 20), ("recover_to_previous", 4), ("removed paused version", 1))
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_STATEMENT_ENDS = re.compile(rb"[;{}]")

Match = dict[str, "list[Node]"]


class TooMuchCode(Exception):
    """The code is over a limit; the message says which."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of queries, with their tree, which must live as long as its nodes."""

    tree: "Tree"
    matches: list[Match]
    comments: list[Match]  # matches of comments, in the order of the text


def matches(code: bytes, language: CodeLanguage, errors: "Errors") -> Matches:
    """Return the matches of the queries in ``code``: capture names with their nodes.

    Raises:
        TooMuchCode: the text is too long, is minified, or takes too much work.
    """
    if len(code) > CODE_BYTES_MAX:
        raise TooMuchCode(f"code over {CODE_BYTES_MAX // 1024} KiB is not read")
    if any(len(line) > LINE_BYTES_MAX for line in code.split(b"\n")):
        raise TooMuchCode(f"code with lines over {LINE_BYTES_MAX} bytes is not read")
    if is_too_deep(code):
        raise TooMuchCode(f"code with over {DEPTH_MAX} brackets in brackets is not read")
    from tree_sitter import QueryCursor  # noqa: PLC0415 - only where code is parsed

    grammar, query = load(language)
    tree = _parsed(parsed_text(language, code), grammar, errors)
    _check_nodes(tree.root_node)
    cursor = QueryCursor(query, match_limit=MATCHES_IN_PROGRESS_MAX)
    matched = cursor.matches(tree.root_node)
    if cursor.did_exceed_match_limit:
        raise TooMuchCode("the code takes too much work to search")
    comments = [match for _, match in matched if "comment" in match]
    return Matches(tree, [match for _, match in matched if "comment" not in match], comments)


def is_too_deep(code: bytes) -> bool:
    """Return whether brackets are very deep, or a statement has very many angles left open.

    Brackets in strings and comments count too, as there would have to be a thousand open ones.
    """
    if sum(map(code.count, (b"(", b"[", b"{"))) > DEPTH_MAX:
        brackets = code.translate(None, _NO_BRACKETS)
        steps = (1 if each in b"([{" else -1 for each in brackets)
        if max(accumulate(steps, lambda depth, step: max(0, depth + step))) > DEPTH_MAX:
            return True
    return code.count(b"<") > DEPTH_MAX and any(
        part.count(b"<") - part.count(b">") > DEPTH_MAX for part in _STATEMENT_ENDS.split(code)
    )


def _parsed(text: bytes, grammar: "Language", errors: "Errors") -> "Tree":
    from tree_sitter import Parser  # noqa: PLC0415 - only where code is parsed

    parser, work = Parser(grammar), Work(text)

    def must_end(offset: int, _has_error: object) -> bool:
        # The declared types lack ``None``, which turns the log off.
        log = errors.log if errors.count_step() else None
        parser.logger = log  # type: ignore[assignment]
        return errors.are_too_many or work.count_step(offset)

    try:
        tree = parser.parse(
            lambda offset, _: work.read(offset), encoding="utf8", progress_callback=must_end
        )
    except ValueError as error:  # it was cancelled
        raise TooMuchCode("the code takes too much work to parse") from error
    if work.has_too_many_reads:
        raise TooMuchCode("the code takes too much work to parse")
    return tree


class Errors:
    """Estimates the work that errors make for a parser, in one text or the blocks of one note.

    A step takes thirty times as long where the parser recovers from errors, which it does not
    count. Its log has each error, but takes more time than parsing. So the log is read in a sample
    of steps.
    """

    def __init__(self, work: int = 0) -> None:
        self.work = work
        self._weight = self._left = STEPS_UNSAMPLED

    @property
    def are_too_many(self) -> bool:
        """Whether errors make more work than in any text that was not made to be hard to parse."""
        return self.work > ERROR_WORK_MAX

    def count_step(self) -> bool:
        """Count a step, and return whether the log of the next one is to be read."""
        if self._left == 0:
            self._weight = self._left = STEPS_A_SAMPLE
        self._left -= 1
        return self._left == 0

    def log(self, _type: "LogType", line: str) -> None:
        """Read a line of the log."""
        for beginning, work in _ERROR_WORK:
            if line.startswith(beginning):
                self.work += work * self._weight


class Work:
    """The text that a parser reads, and a count of the work it does, with bounds.

    Each step is some hundred actions of the parser. Reads are counted too, since a scanner that
    looks for the end of a string or comment, again and again, takes no step meanwhile. After too
    many reads, the text ends for the parser, so that it soon returns.
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
        if self.has_too_many_reads:
            return b""
        return self._text[offset : offset + _PORTION_BYTES]

    @property
    def has_too_many_reads(self) -> bool:
        """Whether the text was read too often, so that the parser no longer gets it."""
        return self.reads > self._reads_max

    def count_step(self, offset: int) -> bool:
        """Count a step, and return whether that is too much work to come to ``offset``.

        Once all is read, the parser arranges its tree, in linear time.
        """
        if self.has_too_many_reads:
            return True
        if offset >= len(self._text) - 1:
            return False
        self.steps += 1
        return self.steps > min(self._steps_max, STEPS_MIN + offset * STEPS_A_KIB_READ // 1024)


def _check_nodes(root: "Node") -> None:
    """Raise ``TooMuchCode`` if a node has too many children or nodes are nested too deep."""
    nodes, pair_count = [(root, 0)], 0
    while nodes:
        node, depth = nodes.pop()
        pair_count += node.descendant_count
        if node.child_count > CHILDREN_MAX:
            raise TooMuchCode(f"one piece of the code has over {CHILDREN_MAX} parts")
        if depth > TREE_DEPTH_MAX or pair_count > PAIRS_MAX:
            raise TooMuchCode("the code has too many pieces in pieces")
        nodes += [
            (child, depth + 1) for child in node.children if child.descendant_count > _SMALL_NODES
        ]
