"""Read expressions and types as paths of names (``values/code/code_file.py``)."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from clew.values.code.code_file import MANY

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "?"
STEPS_MAX = 12  # names in one path

_NAMES = frozenset(
    ("identifier", "this", "super", "self", "crate", "property_identifier",
     "private_property_identifier", "type_identifier", "shorthand_property_identifier",
     "field_identifier", "namespace_identifier", "package_identifier")
)  # fmt: skip
# Nodes of calls and constructions, by the child that names the function or class.
_CALLS = {
    "call": "function",
    "call_expression": "function",
    "new_expression": "constructor",
    "object_creation_expression": "type",
    "composite_literal": "type",
    "struct_expression": "name",
    "compound_literal_expression": "type",
    "cast_expression": "type",
    "type_assertion_expression": "type",
    "type_cast_expression": "type",
}
# Nodes that stand for one of their children, by the name of that child; "" for the only child.
_INNER = {
    "await": "",
    "await_expression": "",
    "parenthesized_expression": "",
    "non_null_expression": "",
    "unary_expression": "operand",
    "reference_expression": "value",
    "pointer_expression": "argument",
    "expression_list": "",
    "pointer_type": "",
    "generic_function": "function",
    "generic_type": "type",
    "template_function": "name",
    "template_method": "name",
    "template_type": "name",
}
# Nodes that read a member, by the children before and after the mark between them.
_MEMBERS = {
    "attribute": ("object", ".", "attribute"),
    "member_expression": ("object", ".", "property"),
    "nested_type_identifier": ("module", ".", "name"),
    "selector_expression": ("operand", ".", "field"),
    "qualified_type": ("package", ".", "name"),
    "field_access": ("object", ".", "field"),
    "scoped_identifier": ("path", "::", "name"),
    "scoped_type_identifier": ("path", "::", "name"),
}
_PATH = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::)[^\W\d][\w$]*)*")
_MARKS = re.compile(
    r"(?:[*&]+|'\w+\s+|(?:mut|const|dyn|impl|struct|union|enum|class|typename)\s+)\s*"
)
_NAME = re.compile(r"(?:~\s*+)?[^\W\d][\w$]*")
# The signs after the word are no name and no type arguments: ``Store::operator<``.
_OPERATOR = re.compile(r"(?<![\w$])operator(?![\w$])(.*)", re.DOTALL)
_ARGUMENTS = re.compile(r"<[^<>]*>")  # of a type
_PACKS = frozenset(
    ("variadic_parameter_declaration", "optional_parameter_declaration", "spread_parameter",
     "variadic_parameter", "optional_type_parameter_declaration", "...")
)  # fmt: skip
_NO_PARAMETERS = frozenset(("comment", "line_comment", "block_comment", "self_parameter",
    "receiver_parameter", "attribute_item"))  # fmt: skip
_NOTHING = frozenset(("None", "null", "undefined"))


class NodeReader:
    """Reads the text of nodes.

    Keeps the bytes itself, so that no node has to call back into the source of its parser.
    """

    def __init__(self, code: bytes, wrappers: Sequence[str]) -> None:
        self._code = code
        self._wrapper = _wrapper(tuple(wrappers))

    def text(self, node: "Node") -> str:
        """Return the source text of ``node``."""
        return self._code[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def short_text(self, node: "Node", bytes_max: int) -> str:
        """Return the source text of ``node``, or nothing if it is longer."""
        start, end = node.start_byte, node.end_byte
        return self._code[start:end].decode("utf-8", "replace") if end - start <= bytes_max else ""

    def path(self, node: "Node | None") -> str:
        """Return the path of names that an expression follows, with ``?`` for other steps."""
        steps: list[str] = []
        for _ in range(4 * STEPS_MAX):
            if node is None:
                return _joined(["?", *steps])
            kind = node.type
            if kind in _NAMES:
                return _joined([self.text(node), *steps])
            if kind == "qualified_identifier":
                return _joined([_ARGUMENTS.sub("", self.text(node)).lstrip(":"), *steps])
            if kind == "method_invocation":
                steps.insert(0, "()")
                name, before = node.child_by_field_name("name"), node.child_by_field_name("object")
                if before is None:
                    node = name
                    continue
                steps.insert(0, "." + (self.text(name) if name else UNKNOWN))
                node = before
            elif kind in _CALLS:
                steps.insert(0, "()")
                node = node.child_by_field_name(_CALLS[kind]) or node.child_by_field_name("type")
            elif kind in _INNER:
                node = _inner(node, _INNER[kind])
            else:
                node = self._member(node, steps)
        return UNKNOWN

    def names(self, node: "Node") -> list[str]:
        """Return the names of a path that is one node, such as ``a::B<int>::f``; [] for others."""
        text = self.text(node)
        operator = _OPERATOR.search(text)
        if operator is None:
            return _names(text)
        return [*_names(text[: operator.start()]), _operator_name(operator[1])]

    def type_path(self, node: "Node") -> str:
        """Return the one class that a type names, "" if it names none or several."""
        return _type_path(self.text(node), self._wrapper)

    def _member(self, node: "Node", steps: list[str]) -> "Node | None":
        """Prepend the member that ``node`` reads to ``steps``; return the node it is read from."""
        if node.type == "field_expression":
            name = node.child_by_field_name("field")
            owner = "value" if node.child_by_field_name("value") else "argument"  # Rust, or C
            before, mark = node.child_by_field_name(owner), "."
        elif node.type in _MEMBERS:
            owner, mark, last = _MEMBERS[node.type]
            name, before = node.child_by_field_name(last), node.child_by_field_name(owner)
        else:
            return None
        if name is not None and name.type == "template_method":
            name = name.child_by_field_name("name")
        steps.insert(0, mark + (self.text(name) if name else UNKNOWN))
        return before


def _names(text: str) -> list[str]:
    for _ in range(STEPS_MAX):
        text, count = _ARGUMENTS.subn("", text)
        if not count:
            break
    names = ["".join(name.split()) for name in re.split(r"::|\.", text)]
    names = [name for name in names if name]
    return names if all(map(_NAME.fullmatch, names)) else []


def _operator_name(after: str) -> str:
    """Return the name of an operator of C++, which may be a word: ``operator new``."""
    words = " ".join(after.split())
    return f"operator {words}" if words[:1].isalpha() else "operator" + words.replace(" ", "")


def _inner(node: "Node", part: str) -> "Node | None":
    if part:
        return node.child_by_field_name(part) or (
            node.named_children[0] if node.type == "generic_type" else None
        )
    return node.named_children[0] if node.named_child_count == 1 else None


def _joined(steps: list[str]) -> str:
    return "".join(steps) if len(steps) <= 2 * STEPS_MAX else UNKNOWN


@cache
def _wrapper(names: tuple[str, ...]) -> re.Pattern[str]:
    any_name = "|".join(names) or r"(?!)"
    return re.compile(rf"(?:\w+(?:\.|::))*(?:{any_name})[\[<](.+)[\]>]", re.DOTALL)


def _type_path(text: str, wrapper: re.Pattern[str]) -> str:
    text = text.strip().strip("\"'").strip()
    while mark := _MARKS.match(text):
        text = text[mark.end() :]
    wrapped = wrapper.fullmatch(text)
    if wrapped:
        inner = wrapped[1].split(",")[0]
        return _type_path(inner, wrapper) if len(inner) < len(text) else ""
    parts = [part.strip() for part in text.split("|")]
    parts = [part for part in parts if part not in _NOTHING]
    if len(parts) != 1:
        return ""
    path = _PATH.match(parts[0])
    if path is None or parts[0][path.end() : path.end() + 2] not in ("", "[]"):
        return path[0] if path and parts[0][path.end()] in "[<" and parts[0][-1] in "]>" else ""
    return "" if parts[0].endswith("[]") else path[0]


def parameter_count(node: "Node", text: str) -> int:
    """Return how many parameters or arguments a list has, ``MANY`` if that may differ."""
    count = 0
    if text.replace(" ", "") == "(void)" or text.endswith("...)"):
        return 0 if text.endswith("d)") else MANY
    for child in node.children:
        if child.type in _PACKS:
            return MANY
        if child.is_named and child.type not in _NO_PARAMETERS:
            names = len(child.children_by_field_name("name"))
            count += max(1, names) if child.type == "parameter_declaration" else 1
    return count
