"""Parse code into a ``CodeFile``. Never fails: what cannot be read comes back as a problem."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from clew.text.code.comments import Place, comments_inside, comments_of
from clew.text.code.doc_comments import running_text
from clew.text.code.imports import imports_of
from clew.text.code.languages import CodeLanguage, refined
from clew.text.code.outline import Outline
from clew.text.code.passed import EXPORTS, passed_in
from clew.text.code.syntax import Errors, Match, TooMuchCode, matches
from clew.text.tokens import count_tokens
from clew.values.code.code_file import (
    DEFAULT,
    EXTERNAL,
    MANY,
    MODULE,
    NAMESPACE,
    OWN_NAMES,
    SELF,
    Base,
    Binding,
    Call,
    CodeFile,
    Entity,
    Import,
    Passed,
)
from clew.values.note import Problem

if TYPE_CHECKING:
    from tree_sitter import Node

Item = TypeVar("Item", Import, Base, Binding)
Commented = TypeVar("Commented", Call, Passed)

CALLS_MAX = 20_000
IMPORTS_MAX = 5_000
BINDINGS_MAX = 20_000
BASES_MAX = 5_000
PASSED_MAX = 20_000
INSIDE_CHARACTERS_MAX = 400

# The captures that bind a name, with the type that the name gets where none is written.
_BINDINGS = {
    "bound": "",
    "field": "",
    "own": SELF,
    "paired": "",
    "field.sure": "",
    "external": EXTERNAL,
}
_SURER = ("own", "paired", "field.sure")  # they win over others that capture the same name
_FIRST_NAME = re.compile(r"[^.:()]+")
_INFERRED = frozenset(("auto", "var"))  # in place of a type that follows from the value


def parse_code(
    path: str, text: str, language: CodeLanguage, errors: Errors | None = None
) -> tuple[CodeFile | None, Problem | None]:
    """Return ``text`` as a ``CodeFile``, or the problem with it.

    ``errors``: earlier errors, which count against the same limit.
    """
    code = text.encode("utf-8", "replace")
    language = refined(language, code)
    try:
        parsed = matches(code, language, errors or Errors())
    except TooMuchCode as error:
        return None, Problem(path, "codeSkipped", None, str(error))
    outline = Outline(path, code, language, parsed)
    calls = sorted(_calls(parsed.matches, outline), key=lambda each: (each[0].line, each[0].column))
    del calls[CALLS_MAX:]
    file = CodeFile(
        path,
        language.name,
        _with_tokens(outline.entities, text),
        tuple(call for call, *_ in calls),
        _distinct(imports_of(parsed.matches, outline), IMPORTS_MAX),
        _distinct(_bases(parsed.matches, outline), BASES_MAX),
        _distinct(_bindings(parsed.matches, outline), BINDINGS_MAX),
    )
    passed = passed_in(parsed.matches, outline, file, calls)[:PASSED_MAX]
    comments = comments_of(parsed.comments, outline, [*calls, *passed])
    inside = comments_inside(parsed.comments, outline)
    return replace(
        file,
        entities=tuple(
            _with_inside(each, inside[number]) if number in inside else each
            for number, each in enumerate(file.entities)
        ),
        calls=_with_comments(calls, comments, 0),
        passed=_with_comments(passed, comments, len(calls)),
    ), None


def _with_inside(entity: Entity, comments: str) -> Entity:
    """Return an entity with the comments in its body, as many as there is room for."""
    parts = filter(None, (entity.inside, comments))
    return replace(entity, inside=running_text(["; ".join(parts)], INSIDE_CHARACTERS_MAX))


def _with_comments(
    places: Sequence[Place[Commented]], comments: Mapping[int, str], start: int
) -> tuple[Commented, ...]:
    """Return the items of ``places`` with their comments, whose indexes begin at ``start``."""
    return tuple(
        replace(place.item, comment=comments[number]) if number in comments else place.item
        for number, place in enumerate(places, start)
    )


def _with_tokens(entities: Sequence[Entity], text: str) -> tuple[Entity, ...]:
    """Return the entities with the tokens of their lines, counted once between their borders.

    A token that would reach across a border counts on both sides of it, so an entity may be given
    a few too many.
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


def _calls(matches: list[Match], outline: Outline) -> Iterator[Place[Call]]:
    for match in matches:
        if "call" in match:
            receiver, name, node = _called(match, outline)
            row, column = node.start_point
            arguments = match.get("arguments")
            count = outline.count(arguments[0]) if arguments else MANY
            if name and ("element" not in match or name[0].isupper()):
                call = Call(name, receiver, outline.scope_of(node), row + 1, column, count)
                yield Place(call, node, match["call"][0])


def _called(match: Match, outline: Outline) -> tuple[str, str, "Node"]:
    """Return the path before the name that is called, the name, and its node."""
    reader = outline.reader
    path = _first(match, "qualified") or _first(match, "constructed")
    if path is not None:  # one node with a path of names, the last of which is called
        names = reader.names(path)
        mark = "::" if "qualified" in match and names[:-1] else ""
        return "::".join(names[:-1]) + mark, names[-1] if names else "", path
    name = match["name"][0]
    receiver = ""
    if "receiver" in match:
        receiver = reader.path(match["receiver"][0])
    elif "scope" in match:
        receiver = reader.path(match["scope"][0]) + "::"
    return receiver, reader.text(name) + "!" * ("macro" in match), name


def _bases(matches: list[Match], outline: Outline) -> Iterator[Base]:
    type_path = outline.reader.type_path
    for match in matches:
        if "derived" in match:
            entity = outline.at(match["derived"][0])
        elif "derived.name" in match:
            node = match["derived.name"][0]
            entity = outline.owner_named(outline.scope_of(node), type_path(node))
        else:
            continue
        for node in match.get("base", ()):
            name = type_path(node)
            if entity is not None and name:
                yield Base(entity, name, node.start_point[0] + 1)


def _bindings(matches: list[Match], outline: Outline) -> Iterator[Binding]:
    for name in sorted(outline.namespaces):
        yield Binding(MODULE, name, NAMESPACE, "")
    matches = [match for match in matches if not _BINDINGS.keys().isdisjoint(match)]
    surer_starts = {
        node.start_byte for match in matches for each in _SURER for node in match.get(each, ())
    }
    locals_by_name: dict[tuple[int, str], list[Binding]] = {}
    fields: list[tuple[int, Binding]] = []  # with the function that assigns the field
    for match in matches:
        for capture, kind in _BINDINGS.items():
            node = _first(match, capture)
            if node is None or outline.is_name(node):
                continue
            if capture not in _SURER and node.start_byte in surer_starts:
                continue
            if _has_other_receiver(match, outline):
                continue
            scope = outline.scope_of(node)
            if capture.startswith("field"):
                owner = outline.class_around(scope)
                if owner >= 0:
                    fields.append((scope, _binding(owner, kind, node, match, outline)))
            else:
                binding = _binding(scope, kind, node, match, outline)
                locals_by_name.setdefault((scope, binding.name), []).append(binding)
                yield binding
    for scope, field in fields:
        yield _without_locals(field, scope, locals_by_name, outline)


def _without_locals(
    field: Binding,
    scope: int,
    locals_by_name: Mapping[tuple[int, str], list[Binding]],
    outline: Outline,
) -> Binding:
    """Return a field without names that the function ``scope`` binds, which the class has not.

    A field that is just assigned such a name, as of a parameter, gets its type.
    """
    first = _FIRST_NAME.match(field.value)
    if field.type or first is None or first[0] in OWN_NAMES:
        return field
    while scope not in (MODULE, field.scope):
        if bindings := locals_by_name.get((scope, first[0])):
            types = {local.type for local in bindings} if first[0] == field.value else set()
            return replace(field, value="", type=types.pop() if len(types) == 1 else "")
        scope = outline.entities[scope].parent
    return field


def _binding(scope: int, kind: str, node: "Node", match: Match, outline: Outline) -> Binding:
    type_node, value = _first(match, "type"), _first(match, "value")
    type_name = outline.reader.type_path(type_node) if type_node is not None else kind
    path = outline.reader.path(value) if value is not None else ""
    if type_name in _INFERRED:
        type_name = ""
    value_path = "" if path.startswith("?") else path
    name = outline.reader.text(node)
    return Binding(scope, DEFAULT if name == "=" else name, type_name, value_path)


def _first(match: Match, capture: str) -> "Node | None":
    nodes = match.get(capture)
    return nodes[0] if nodes else None


def _has_other_receiver(match: Match, outline: Outline) -> bool:
    """Return whether a field is assigned on an object other than ``self`` or ``module.exports``.

    Text is compared here and not by predicates in the queries, which call back into the source.
    """
    node, whole = _first(match, "self"), _first(match, "whole")
    if whole is not None:
        return outline.reader.short_text(whole, len(EXPORTS)) != EXPORTS
    return node is not None and outline.reader.text(node) != "self"
