"""Read expressions and types as paths of names (``values/code/code_file.py``)."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "?"
STEPS_MAX = 12  # names in one path

_NAMES = frozenset(
    ("identifier", "this", "super", "property_identifier", "private_property_identifier",
     "type_identifier", "shorthand_property_identifier")
)  # fmt: skip
_CALLS = frozenset(("call", "call_expression"))
_INNER = frozenset(("await", "await_expression", "parenthesized_expression", "non_null_expression"))
_MEMBERS = {
    "attribute": ("object", "attribute"),
    "member_expression": ("object", "property"),
    "nested_type_identifier": ("module", "name"),
}
_WRAPPER = re.compile(
    r"(?:\w+\.)?(?:Optional|Promise|Awaitable|Annotated|Final|ClassVar)[\[<](.+)[\]>]"
)
_PATH = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_NOTHING = frozenset(("None", "null", "undefined"))


class NodeReader:
    """Reads the text of nodes.

    The bytes are kept here, so that no node has to reach the source that its parser was given.
    """

    def __init__(self, code: bytes) -> None:
        self._code = code

    def text(self, node: "Node") -> str:
        """Return the source text of ``node``."""
        return self._code[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def path(self, node: "Node | None") -> str:
        """Return the path of names that an expression follows, with ``?`` for other steps."""
        steps: list[str] = []
        for _ in range(4 * STEPS_MAX):
            if node is None:
                return _joined(["?", *steps])
            kind = node.type
            if kind in _NAMES:
                return _joined([self.text(node), *steps])
            if kind in _MEMBERS:
                before, last = _MEMBERS[kind]
                name = node.child_by_field_name(last)
                steps.insert(0, "." + (self.text(name) if name else UNKNOWN))
                node = node.child_by_field_name(before)
            elif kind in _CALLS:
                steps.insert(0, "()")
                node = node.child_by_field_name("function")
            elif kind == "new_expression":
                steps.insert(0, "()")
                node = node.child_by_field_name("constructor")
            elif kind in _INNER and node.named_child_count == 1:
                node = node.named_children[0]
            else:
                return _joined(["?", *steps])
        return UNKNOWN


def _joined(steps: list[str]) -> str:
    return "".join(steps) if len(steps) <= 2 * STEPS_MAX else UNKNOWN


def type_path(text: str) -> str:
    """Return the one class that a type names, "" if it names none or several."""
    text = text.strip().strip("\"'").strip()
    wrapper = _WRAPPER.fullmatch(text)
    if wrapper:
        return type_path(wrapper[1].split(",")[0]) if len(wrapper[1]) < len(text) else ""
    parts = [part.strip() for part in text.split("|")]
    parts = [part for part in parts if part not in _NOTHING]
    if len(parts) != 1:
        return ""
    path = _PATH.match(parts[0])
    if path is None or parts[0][path.end() : path.end() + 2] not in ("", "[]"):
        return path[0] if path and parts[0][path.end()] in "[<" and parts[0][-1] in "]>" else ""
    return "" if parts[0].endswith("[]") else path[0]
