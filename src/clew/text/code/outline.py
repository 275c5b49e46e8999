"""The entities of one file, and which of them is around a place in the text."""

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from clew.text.code.names import NodeReader, type_path
from clew.text.code.syntax import Match
from clew.values.code.code_file import MODULE, Entity, EntityKind

if TYPE_CHECKING:
    from tree_sitter import Node

ENTITIES_MAX = 5_000
NAME_CHARACTERS_MAX = 200
QUALIFIED_CHARACTERS_MAX = 1_000

Span = tuple[int, int]  # bytes of the text

_DEFINITIONS = ("function", "method", "class", "interface", "type")
_HOLDS_METHODS = frozenset((EntityKind.CLASS, EntityKind.INTERFACE))


class Outline:
    """The entities of a file in the order of its text; the module is the first."""

    def __init__(self, path: str, code: bytes, found: list[Match]) -> None:
        self.reader = NodeReader(code)
        definitions = _definitions(found)
        returns = _captured(found, "returning", "returns")
        decorators = _captured(found, "decorated", "decorator")
        self._starts = [-1]
        self._ends = [len(code) + 1]
        self._by_span: dict[Span, int] = {}
        self._names = {match["name"][0].start_byte for _, match in definitions.values()}
        module = path.rpartition("/")[2].rpartition("#")[2]
        module = module.rpartition(".")[0] or module
        last_line = max(1, len(code.split(b"\n")) - code.endswith(b"\n"))
        symbol = f"{path}::{module}::module"
        self.entities = [Entity(module, module, EntityKind.MODULE, -1, 1, last_line, symbol)]
        self._uses: Counter[str] = Counter()
        in_order = sorted(definitions.items(), key=lambda row: (row[0][0], -row[0][1]))
        for span, (kind, match) in in_order[: ENTITIES_MAX - 1]:
            results = match.get("returns") or returns.get(span, [])
            self._add(path, span, EntityKind(kind), match, (results, decorators.get(span, [])))

    def scope_of(self, node: "Node") -> int:
        """Return the innermost entity around ``node``, which may begin with it."""
        return self._around(node.start_byte)

    def at(self, node: "Node") -> int | None:
        """Return the entity that ``node`` defines."""
        return self._by_span.get((node.start_byte, node.end_byte))

    def is_name(self, node: "Node") -> bool:
        """Return whether ``node`` is the name of an entity, which binds it already."""
        return node.start_byte in self._names

    def class_around(self, entity: int) -> int:
        """Return the innermost class around ``entity``, -1 for none."""
        while entity != MODULE and self.entities[entity].kind not in _HOLDS_METHODS:
            entity = self.entities[entity].parent
        return entity if entity != MODULE else -1

    def _add(
        self,
        path: str,
        span: Span,
        kind: EntityKind,
        match: Match,
        details: tuple[list["Node"], list["Node"]],
    ) -> None:
        text = self.reader.text
        node, name = match[kind][0], text(match["name"][0])[:NAME_CHARACTERS_MAX]
        returns, decorators = details
        parent = self._around(span[0])
        around = self.entities[parent]
        if kind is EntityKind.FUNCTION and around.kind in _HOLDS_METHODS:
            kind = EntityKind.METHOD
        qualified = name if parent == MODULE else f"{around.qualified}.{name}"
        qualified = qualified[:QUALIFIED_CHARACTERS_MAX]
        symbol = f"{path}::{qualified}::{kind}"
        self._uses[symbol] += 1
        if self._uses[symbol] > 1:
            symbol += f"#{self._uses[symbol]}"
        self._by_span[span] = len(self.entities)
        self._starts.append(span[0])
        self._ends.append(span[1])
        self.entities.append(
            Entity(
                name,
                qualified,
                kind,
                parent,
                node.start_point[0] + 1,
                node.end_point[0] + 1,
                symbol,
                type_path(text(returns[0])) if returns else "",
                tuple(text(item)[:NAME_CHARACTERS_MAX] for item in decorators),
            )
        )

    def _around(self, offset: int) -> int:
        entity = bisect_right(self._starts, offset) - 1
        while offset >= self._ends[entity]:
            entity = self.entities[entity].parent
        return entity


def _definitions(found: list[Match]) -> dict[Span, tuple[str, Match]]:
    """Return the kind and match of each definition, by its span. The first pattern wins."""
    definitions: dict[Span, tuple[str, Match]] = {}
    for match in found:
        for kind in _DEFINITIONS:
            if kind in match and "name" in match:
                node = match[kind][0]
                definitions.setdefault((node.start_byte, node.end_byte), (kind, match))
    return definitions


def _captured(found: list[Match], outer: str, inner: str) -> dict[Span, list["Node"]]:
    captured: dict[Span, list[Node]] = {}
    for match in found:
        for node in match.get(outer, ()):
            captured.setdefault((node.start_byte, node.end_byte), []).extend(match[inner])
    return captured
