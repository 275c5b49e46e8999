"""The entities of one file, and lookup of the entity around a position in its text."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from clew.text.code.doc_comments import comment_above, docstring_of, raised_in, running_text
from clew.text.code.languages import CodeLanguage
from clew.text.code.names import NodeReader, parameter_count
from clew.text.code.syntax import Match, Matches
from clew.values.code.code_file import (
    CLASSES,
    MANY,
    METHOD_OWNERS,
    MODULE,
    Entity,
    EntityKind,
    may_be_one,
)

if TYPE_CHECKING:
    from tree_sitter import Node

ENTITIES_MAX = 5_000
NAME_CHARACTERS_MAX = 200
QUALIFIED_CHARACTERS_MAX = 1_000
UNNAMED = "$"  # ends the name that is made for an anonymous class

Span = tuple[int, int]  # start and end in bytes of the text

_DEFINITIONS = {
    "function": EntityKind.FUNCTION,
    "method": EntityKind.METHOD,
    "class": EntityKind.CLASS,
    "interface": EntityKind.INTERFACE,
    "type": EntityKind.TYPE,
    "object": EntityKind.OBJECT,
    "space": EntityKind.MODULE,
}
_EXPORTERS = frozenset(("exports", "module.exports"))
_EXPORTER_BYTES = max(map(len, _EXPORTERS))


class _Definition(NamedTuple):
    kind: EntityKind
    node: "Node"
    match: Match


class _Details(NamedTuple):
    """The captures of further patterns about definitions, by their spans."""

    returns: dict[Span, list["Node"]]
    decorators: dict[Span, list["Node"]]
    attributes: dict[int, int]  # first line of each that stands above, by the line below it

    def first_line(self, node: "Node") -> int:
        """Return the first line of a definition, or of the decorators or attributes above it."""
        line = node.start_point[0]
        while line in self.attributes:
            line = self.attributes[line]
        return line + 1


class Outline:
    """The entities of a file in the order of its text; the module is the first."""

    def __init__(self, path: str, code: bytes, language: CodeLanguage, matched: Matches) -> None:
        matches = matched.matches
        self.reader = NodeReader(code, language.wrappers)
        self.lines = code.split(b"\n")
        definitions = _definitions(matches)
        details = _Details(
            _captured(matches, "returning", "returns"),
            _captured(matches, "decorated", "decorator"),
            _attributes(matches, self.lines),
        )
        self.namespaces = {
            name
            for match in matches
            for node in match.get("namespace", ())
            for name in self.reader.text(node).split("::")
        }
        self._starts = [-1]
        self._ends = [len(code) + 1]
        self._around_by_entity = [-1]  # the entity around each in the text
        self._by_span: dict[Span, int] = {}
        self._names = {_name_node(item.match).start_byte for item in definitions.values()}
        module = path.rpartition("/")[2].rpartition("#")[2]
        module = module.rpartition(".")[0] or module
        self._code = code
        self._is_java = language.name == "java"
        self._has_docstrings = language.has_docstrings
        last_line = max(1, len(self.lines) - code.endswith(b"\n"))
        symbol = f"{path}::{module}::module"
        docstring = docstring_of(matched.tree.root_node, code) if language.has_docstrings else ()
        about = running_text(docstring)
        self.entities = [
            Entity(module, module, EntityKind.MODULE, -1, 1, last_line, symbol, about=about)
        ]
        self._uses: Counter[str] = Counter()
        in_order = sorted(definitions.items(), key=lambda row: (row[0][0], -row[0][1]))
        owners: list[tuple[int, str]] = []
        bodies = self._bodies(in_order)
        for span, item in in_order[: ENTITIES_MAX - 1]:
            if "promise" in item.match and self._has_body(span, item, bodies):
                continue
            if "exporter" in item.match and not self._exports(item.match["exporter"][0]):
                continue
            owner = self._add(path, span, item, details)
            if owner:
                owners.append((len(self.entities) - 1, owner))
        self._by_qualified: dict[str, int] = {}
        for number, entity in enumerate(self.entities):
            if entity.kind in CLASSES:
                self._by_qualified.setdefault(entity.qualified, number)
        for number, owner in owners:
            self._set_parent(number, owner)

    def scope_of(self, node: "Node") -> int:
        """Return the innermost entity that contains the start of ``node``."""
        return self._around(node.start_byte)

    def at(self, node: "Node") -> int | None:
        """Return the entity that ``node`` defines."""
        return self._by_span.get((node.start_byte, node.end_byte))

    def is_name(self, node: "Node") -> bool:
        """Return whether ``node`` is the name of an entity, so that it is bound already."""
        return node.start_byte in self._names

    def class_around(self, entity: int) -> int:
        """Return the innermost class around ``entity``, -1 for none."""
        while entity != MODULE and self.entities[entity].kind not in METHOD_OWNERS:
            entity = self.entities[entity].parent
        return entity if entity != MODULE else -1

    def owner_named(self, around: int, owner: str) -> int | None:
        """Return the class or type that ``owner`` names in the entity ``around``."""
        while around >= 0:
            prefix = "" if around == MODULE else f"{self.entities[around].qualified}."
            if f"{prefix}{owner}" in self._by_qualified:
                return self._by_qualified[f"{prefix}{owner}"]
            around = self._around_by_entity[around]
        return None

    def _bodies(self, items: Iterable[tuple[Span, _Definition]]) -> dict[str, set[int]]:
        """Return the parameter counts of methods outside of their classes, by qualified name."""
        bodies: dict[str, set[int]] = {}
        for _, item in items:
            if "declared" in item.match and "promise" not in item.match:
                name, owner = self._name(item.match)
                if owner:
                    bodies.setdefault(f"{owner}.{name}", set()).add(self._parameters(item.match))
        return bodies

    def _has_body(self, span: Span, item: _Definition, bodies: Mapping[str, set[int]]) -> bool:
        """Return whether the file has the body of a method that a class declares."""
        around = self.entities[self._around(span[0])]
        counts = bodies.get(f"{around.qualified}.{self._name(item.match)[0]}", ())
        return any(may_be_one(self._parameters(item.match), count) for count in counts)

    def _exports(self, node: "Node") -> bool:
        """Return whether a node is ``exports`` or ``module.exports`` of CommonJS."""
        return self.reader.short_text(node, _EXPORTER_BYTES) in _EXPORTERS

    def _parameters(self, match: Match) -> int:
        parameters = match.get("parameters")
        return self.count(parameters[0]) if parameters else MANY

    def _add(self, path: str, span: Span, item: _Definition, details: _Details) -> str:
        """Add an entity, and return the path of the owner that its text names, "" for none."""
        match, kind = item.match, item.kind
        name, owner = self._name(match)
        returns = match.get("returns") or details.returns.get(span, [])
        parent = self._around(span[0])
        around = self.entities[parent]
        if owner or (kind is EntityKind.FUNCTION and around.kind in METHOD_OWNERS):
            kind = EntityKind.METHOD if kind is EntityKind.FUNCTION else kind
        elif self._is_java and kind is EntityKind.METHOD and parent == MODULE:
            kind = EntityKind.FUNCTION  # in a fragment that lacks the class around it
        before = "" if parent == MODULE else f"{around.qualified}."
        qualified = f"{before}{owner}.{name}" if owner else f"{before}{name}"
        qualified = qualified[:QUALIFIED_CHARACTERS_MAX]
        symbol = f"{path}::{qualified}::{kind}"
        self._uses[symbol] += 1
        if self._uses[symbol] > 1:
            symbol += f"#{self._uses[symbol]}"
        self._by_span[span] = len(self.entities)
        self._starts.append(span[0])
        self._ends.append(span[1])
        self._around_by_entity.append(parent)
        docstring = docstring_of(item.node, self._code) if self._has_docstrings else ()
        self.entities.append(
            Entity(
                name,
                qualified,
                kind,
                parent,
                details.first_line(item.node),
                _last_line(item.node),
                symbol,
                self.reader.type_path(returns[0]) if returns else "",
                tuple(
                    self.reader.text(each)[:NAME_CHARACTERS_MAX]
                    for each in details.decorators.get(span, [])
                ),
                parameters=self._parameters(match),
                about=running_text(docstring)
                or comment_above(
                    self.lines, item.node.start_point[0], has_hashes=self._has_docstrings
                ),
                inside="" if kind in CLASSES else raised_in(docstring),
                is_declared="promise" in match,
            )
        )
        return owner

    def count(self, node: "Node") -> int:
        """Return how many parameters or arguments a list has."""
        return parameter_count(node, self.reader.text(node))

    def _name(self, match: Match) -> tuple[str, str]:
        """Return the name of an entity, and the path of the owner that its definition names."""
        name = self.reader.text(_name_node(match))
        owner = ""
        if "declared" in match:  # in C++, the name may have that of its class before it
            *around, name = self.reader.names(match["declared"][0]) or [name]
            while around and around[0] in self.namespaces:
                del around[0]
            owner = ".".join(around)
        elif "owner" in match:
            node = match["owner"][0]
            owner = self.reader.type_path(node).replace("::", ".") or f"<{self.reader.text(node)}>"
        elif "unnamed" in match:
            name = (self.reader.type_path(match["name"][0]) or "") + UNNAMED
        elif "macro" in match:
            name += "!"
        return name[:NAME_CHARACTERS_MAX], owner[:NAME_CHARACTERS_MAX]

    def _set_parent(self, number: int, owner: str) -> None:
        """Set the parent of a method outside of its class, if the file has the class."""
        parent = self.owner_named(self._around_by_entity[number], owner)
        if parent is not None:
            self.entities[number] = replace(self.entities[number], parent=parent)

    def _around(self, offset: int) -> int:
        entity = bisect_right(self._starts, offset) - 1
        while offset >= self._ends[entity]:
            entity = self._around_by_entity[entity]
        return entity


def _last_line(node: "Node") -> int:
    """Return the last line of a node, which may end with the end of that line."""
    (first, _), (last, column) = node.start_point, node.end_point
    return last + 1 if column or last == first else last


def _name_node(match: Match) -> "Node":
    return (match.get("name") or match["declared"])[0]


def _definitions(matches: list[Match]) -> dict[Span, _Definition]:
    """Return each definition by its span; of two matches, the more specific one wins."""
    definitions: dict[Span, _Definition] = {}
    for match in matches:
        if _DEFINITIONS.keys().isdisjoint(match):  # true of most matches
            continue
        for capture, kind in _DEFINITIONS.items():
            if capture in match and ("name" in match or "declared" in match):
                node = match[capture][0]
                span = node.start_byte, node.end_byte
                if span not in definitions or _is_more_specific(kind, match, definitions[span]):
                    definitions[span] = _Definition(kind, node, match)
    for match in matches:
        for node in match.get("hidden", ()):
            definitions.pop((node.start_byte, node.end_byte), None)
    return definitions


def _is_more_specific(kind: EntityKind, match: Match, other: _Definition) -> bool:
    """Return whether a match is more specific about a definition than ``other``."""
    if "owner" in match:
        return "owner" not in other.match
    return other.kind is EntityKind.TYPE and kind is not EntityKind.TYPE


def _captured(matches: list[Match], outer: str, inner: str) -> dict[Span, list["Node"]]:
    captured: dict[Span, list[Node]] = {}
    for match in matches:
        for node in match.get(outer, ()):
            captured.setdefault((node.start_byte, node.end_byte), []).extend(match[inner])
    return captured


def _attributes(matches: list[Match], lines: Sequence[bytes]) -> dict[int, int]:
    """Return the first line of each attribute or decorator that has lines to itself.

    The key is the line below it; all lines count from 0.
    """
    first_lines: dict[int, int] = {}
    for match in matches:
        for node in match.get("attribute", ()):
            (first, start), (last, end) = node.start_point, node.end_point
            if not (lines[first][:start].strip() or lines[last][end:].strip()):
                first_lines[last + 1] = first
    return first_lines
