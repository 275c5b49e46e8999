"""Find the comments that belong to calls, and to places that hand something over.

The comment of a call stands at the end of the line with the called name, or of the last line of the
call. Else it is the comment on the lines right above the statement around the call, or above a part
of the statement that begins a line: an argument, an item of a table, a step of a chain. A comment
above an entity is about that (``doc_comments.py``), and not about the calls in it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from clew.text.code.doc_comments import comment_lines, running_text
from clew.text.code.outline import Outline
from clew.text.code.syntax import Match
from clew.values.code.code_file import FUNCTIONS, Call, Passed

if TYPE_CHECKING:
    from tree_sitter import Node

Item = TypeVar("Item", Call, Passed)

CHARACTERS_MAX = 160
COMMENTS_MAX = 5_000  # of one file
CALLS_A_COMMENT_MAX = 8  # first calls at a comment that get it; it tells little about each of more
DEPTH_MAX = 20  # of a call within the statement around it

_BLOCKS = frozenset(
    ("block", "class_body", "compound_statement", "declaration_list", "field_declaration_list",
     "match_block", "statement_block", "statement_list", "switch_block", "switch_body")
)  # fmt: skip
_COMMENTS = frozenset(("comment", "line_comment", "block_comment"))


class Place(NamedTuple, Generic[Item]):
    """A call or hand-over with its nodes, which are only read where a comment is near."""

    item: Item
    name: "Node"
    whole: "Node"


AnyPlace = Place[Call] | Place[Passed]


class _Comment:
    """A comment, or several in successive lines of their own."""

    def __init__(self, column: int, *, is_beside: bool) -> None:
        self.column = column
        self.is_beside = is_beside  # whether code stands before it on its line
        self.last_row = -1
        self.nodes: list[Node] = []
        self._text: str | None = None

    def text(self, outline: Outline) -> str:
        """Return the text of the comment, on one line."""
        if self._text is None:
            parts = (comment_lines(outline.reader.text(node).strip()) for node in self.nodes)
            self._text = running_text(chain.from_iterable(parts), CHARACTERS_MAX)
        return self._text


class _Comments(NamedTuple):
    beside: dict[int, _Comment]  # by row
    above: list[tuple[_Comment, "Node"]]  # each with the node that begins on the line below


def comments_of(
    comment_matches: list[Match], outline: Outline, places: Sequence[AnyPlace]
) -> dict[int, str]:
    """Return the comments of the places that have one, by index of the place.

    ``comment_matches``: the comments of the file in the order of its text.
    """
    texts: dict[int, str] = {}
    if not comment_matches or not places:
        return texts
    by_row = sorted((place.item.line - 1, number) for number, place in enumerate(places))
    comments = _comments(comment_matches[:COMMENTS_MAX], outline)
    for comment, node in comments.above:
        row, last_row = node.start_point[0], node.end_point[0]
        first = bisect_left(by_row, (row,))
        for at, number in by_row[first : first + CALLS_A_COMMENT_MAX]:
            if at > last_row:
                break
            scope = outline.scope_of(comment.nodes[-1])
            if _belongs(places[number], node, scope) and comment.text(outline):
                texts[number] = comment.text(outline)
    if comments.beside:
        _add_beside(texts, comments.beside, outline, places, by_row)
    return texts


def comments_inside(comment_matches: Sequence[Match], outline: Outline) -> dict[int, str]:
    """Return the comments in each function and method, joined by semicolons, by entity.

    ``comment_matches``: the comments of the file in the order of its text.
    """
    texts: dict[int, list[list[str]]] = {}  # by entity: its comments, each as lines
    last = (-1, -1)  # the entity and the last row of the comment before
    for match in comment_matches[:COMMENTS_MAX]:
        node = match["comment"][0]
        entity, (row, column) = outline.scope_of(node), node.start_point
        is_beside = bool(outline.lines[row][:column].strip())
        if outline.entities[entity].kind in FUNCTIONS:
            entity_comments = texts.setdefault(entity, [])
            text = outline.reader.text(node).strip()
            if is_beside or last != (entity, row - 1):
                entity_comments.append([])
            entity_comments[-1] += comment_lines(text)
            last = (-1, -1) if is_beside else (entity, row + text.count("\n"))
    return {
        entity: "; ".join(
            filter(None, (running_text(lines, CHARACTERS_MAX) for lines in entity_comments))
        )
        for entity, entity_comments in texts.items()
    }


def _add_beside(
    texts: dict[int, str],
    beside: Mapping[int, _Comment],
    outline: Outline,
    places: Sequence[AnyPlace],
    by_row: Iterable[tuple[int, int]],
) -> None:
    """Add the comments beside the names of calls, or else beside their ends; these win."""
    rows = {row for row, _ in by_row}
    has_end = any(row not in rows and b")" in outline.lines[row] for row in beside)
    use_counts: Counter[int] = Counter()
    for first_row, number in by_row:
        row = first_row
        if row not in beside and has_end:
            row = places[number].whole.end_point[0]
        if row in beside and use_counts[row] < CALLS_A_COMMENT_MAX:
            use_counts[row] += 1
            texts[number] = beside[row].text(outline) or texts.get(number, "")


def _comments(comment_matches: Sequence[Match], outline: Outline) -> _Comments:
    comments, lines = _Comments({}, []), outline.lines
    last: _Comment | None = None
    for match in comment_matches:
        node = match["comment"][0]
        row, column = node.start_point
        line, last_row = lines[row], row
        if line.startswith(b"/*", column):
            last_row, end = node.end_point
            if lines[last_row][end:].strip():
                continue  # code follows in the line
        is_beside = bool(line[:column].strip())
        if is_beside or last is None or (last.last_row + 1, last.column) != (row, column):
            last = _Comment(column, is_beside=is_beside)
        last.nodes.append(node)
        last.last_row = last_row
        if is_beside:
            comments.beside[row] = last
        elif not last.is_beside and "below" in match:
            below = match["below"][0]
            if below.start_point[0] == last_row + 1 and below.type not in _COMMENTS:
                comments.above.append((last, _first_in(below)))
    return comments


def _first_in(node: "Node") -> "Node":
    """Return the first statement of a block that begins with it, or else the node itself."""
    while node.type in _BLOCKS:
        first = node.child(0)
        if first is None or not first.is_named:
            break
        node = first
    return node


def _belongs(place: AnyPlace, node: "Node", scope: int) -> bool:
    """Return whether a place is directly in ``node``, a statement or part of one in ``scope``."""
    offset = place.name.start_byte
    if place.item.scope != scope or not node.start_byte <= offset < node.end_byte:
        return False
    return place.item.line - 1 == node.start_point[0] or _is_right_in(node, offset)


def _is_right_in(node: "Node", offset: int) -> bool:
    """Return whether no statement or block within ``node`` contains ``offset``."""
    cursor = node.walk()
    for _ in range(DEPTH_MAX):
        if cursor.goto_first_child_for_byte(offset) is None:
            return True
        kind = cursor.node.type if cursor.node is not None else ""
        if kind in _BLOCKS or kind.endswith("_statement"):
            return False
    return False
