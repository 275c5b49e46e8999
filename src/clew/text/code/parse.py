"""Parse code into a ``CodeFile``. Never fails: what cannot be read comes back as a problem."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from clew.text.code.languages import CodeLanguage
from clew.text.code.names import type_path
from clew.text.code.outline import Outline
from clew.text.code.syntax import Match, TooMuchCode, matches
from clew.text.tokens import count_tokens
from clew.values.code.code_file import Base, Binding, Call, CodeFile, Entity, Import
from clew.values.note import Problem

if TYPE_CHECKING:
    from tree_sitter import Node

Item = TypeVar("Item", Import, Base, Binding)

CALLS_MAX = 20_000
IMPORTS_MAX = 5_000
BINDINGS_MAX = 20_000
BASES_MAX = 5_000

_IMPORT_NAMES = {"import": "", "import.default": "default", "import.all": "*"}


def parse_code(
    path: str, text: str, language: CodeLanguage
) -> tuple[CodeFile | None, Problem | None]:
    """Return what the code in ``text`` says, or the problem with it."""
    code = text.encode("utf-8", "replace")
    try:
        found = matches(code, language)
    except TooMuchCode as error:
        return None, Problem(path, "codeSkipped", None, str(error))
    outline = Outline(path, code, found.matches)
    calls = sorted(_calls(found.matches, outline), key=lambda call: (call.line, call.column))
    return CodeFile(
        path,
        language.name,
        _with_tokens(outline.entities, text),
        tuple(calls[:CALLS_MAX]),
        _distinct(_imports(found.matches, outline), IMPORTS_MAX),
        _distinct(_bases(found.matches, outline), BASES_MAX),
        _distinct(_bindings(found.matches, outline), BINDINGS_MAX),
    ), None


def _with_tokens(entities: Sequence[Entity], text: str) -> tuple[Entity, ...]:
    """Return the entities with the tokens of their lines, counted once between their borders.

    Tokens may be shared across a border, so an entity may have a few less.
    """
    lines = text.split("\n")
    borders = sorted({line for each in entities for line in (each.first_line - 1, each.last_line)})
    before = dict.fromkeys(borders[:1], 0)  # border -> tokens of all lines before it
    for start, end in pairwise(borders):
        before[end] = before[start] + count_tokens("\n".join(lines[start:end]) + "\n")
    return tuple(
        replace(each, tokens=before[each.last_line] - before[each.first_line - 1])
        for each in entities
    )


def _distinct(items: Iterable[Item], count_max: int) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(items))[:count_max]


def _calls(found: list[Match], outline: Outline) -> Iterator[Call]:
    for match in found:
        if "call" in match:
            name = match["name"][0]
            receiver = outline.reader.path(match["receiver"][0]) if "receiver" in match else ""
            row, column = name.start_point
            yield Call(outline.reader.text(name), receiver, outline.scope_of(name), row + 1, column)


def _imports(found: list[Match], outline: Outline) -> Iterator[Import]:
    for match in found:
        kind = next((kind for kind in _IMPORT_NAMES if kind in match), None)
        if kind is None or _is_named(match, "require", "require", outline) is False:
            continue
        node = match["module"][0]
        module = outline.reader.text(node).strip("\"'`")
        name = (
            outline.reader.text(match["imported"][0])
            if "imported" in match
            else _IMPORT_NAMES[kind]
        )
        alias = outline.reader.text(match["alias"][0]) if "alias" in match else (name or module)
        yield Import(module, name, alias, outline.scope_of(node), node.start_point[0] + 1)


def _bases(found: list[Match], outline: Outline) -> Iterator[Base]:
    for match in found:
        if "derived" in match:
            entity = outline.at(match["derived"][0])
            for node in match.get("base", ()):
                name = type_path(outline.reader.text(node))
                if entity is not None and name:
                    yield Base(entity, name, node.start_point[0] + 1)


def _bindings(found: list[Match], outline: Outline) -> Iterator[Binding]:
    for match in found:
        node = _first(match, "bound") or _first(match, "field")
        if node is None or outline.is_name(node):
            continue
        if _is_named(match, "self", "self", outline) is False:
            continue
        scope = outline.scope_of(node)
        if "field" in match:
            scope = outline.class_around(scope)
        kind = _first(match, "type")
        value = _first(match, "value")
        path = outline.reader.path(value) if value is not None else ""
        if scope >= 0:
            type_name = type_path(outline.reader.text(kind)) if kind is not None else ""
            yield Binding(
                scope, outline.reader.text(node), type_name, "" if path.startswith("?") else path
            )


def _first(match: Match, capture: str) -> "Node | None":
    nodes = match.get(capture)
    return nodes[0] if nodes else None


def _is_named(match: Match, capture: str, name: str, outline: Outline) -> bool | None:
    """Return whether what ``capture`` took is ``name``; None if it took nothing.

    Text is compared here and not by predicates in the queries, which call back into the source.
    """
    node = _first(match, capture)
    return None if node is None else outline.reader.text(node) == name
