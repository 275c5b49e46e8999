"""Find what code hands over as a value and does not call: callbacks, factories, items of tables.

Most values are variables. Only those are kept that may be an entity, by the names in their file.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from clew.text.code.comments import Place
from clew.text.code.outline import Outline
from clew.text.code.syntax import Match
from clew.values.code.code_file import (
    CLASSES,
    EXTERNAL,
    NAMESPACE,
    NO_CALL,
    OWN_NAMES,
    Call,
    CodeFile,
    Entity,
    EntityKind,
    Passed,
)

if TYPE_CHECKING:
    from tree_sitter import Node

VALUE_BYTES_MAX = 200  # of the text of a value; what is longer is no path of names

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NO_VARIABLES = frozenset((EXTERNAL, NAMESPACE))  # in place of the type of a binding
_REQUIRE = "require"  # gives what an import does, as a variable
# Languages that know no name of another file without importing it.
_IMPORT_ALL = frozenset(("python", "javascript", "typescript", "tsx"))
_COMPARE = frozenset(("isinstance", "issubclass"))  # and do not keep or call what they are given
_COMPARE_BYTES = max(map(len, _COMPARE))
EXPORTS = "module.exports"


def passed_in(
    found: list[Match], outline: Outline, file: CodeFile, calls: Sequence[Place[Call]]
) -> list[Place[Passed]]:
    """Return what the code hands over that may be an entity, in the order of lines.

    ``file`` says all else of the code, and ``calls`` has the nodes of its calls.
    """
    names, short_text = _Names(file), outline.reader.short_text
    nodes = []
    for match in found:
        if "passed" not in match:
            continue
        for node in match["passed"]:
            written = short_text(node, VALUE_BYTES_MAX)
            if written and names.may_be_in(written):
                nodes.append((node, _NAME.findall(written), outline.scope_of(node)))
    nodes = [each for each in nodes if names.may_mean(*each[1:])]
    nodes.sort(key=lambda each: each[0].start_byte)
    if not nodes:
        return []
    left_out = _left_out(found, outline, file)
    receivers = _Receivers(found, calls)
    passed: dict[Passed, Place[Passed]] = {}
    for node, _, scope in nodes:
        if node.start_byte not in left_out:
            receiver = receivers.of(node.start_byte, scope)
            line = node.start_point[0] + 1
            item = Passed(_path(node, outline), scope, line, receiver=receiver)
            passed.setdefault(item, Place(item, node, node))
    return sorted(passed.values(), key=lambda place: place.item.line)


def _path(node: "Node", outline: Outline) -> str:
    if node.type == "method_reference":  # of Java; ``Store::new`` makes an instance
        return "".join(outline.reader.text(node).split()).removesuffix("::new")
    return outline.reader.path(node)


class _Names:
    """The names of a file, as far as they tell whether a value may be an entity."""

    def __init__(self, file: CodeFile) -> None:
        entities = file.entities
        self._entities = entities
        self._known = {each.name for each in entities[1:]}
        self._known |= {item.alias.partition(".")[0] for item in file.imports}
        self._methods = {each.name for each in entities if _is_method(each)}
        self._is_java = file.language == "java"
        self._imports_all = file.language in _IMPORT_ALL
        requires = any(call.name == _REQUIRE for call in file.calls)
        required = {(item.scope, item.alias) for item in file.imports if requires}
        self._variables: dict[str, set[int]] = defaultdict(set)  # with the scopes that bind them
        for each in file.bindings:
            is_field = entities[each.scope].kind in CLASSES
            is_required = (each.scope, each.name) in required
            if not is_field and not is_required and each.type not in _NO_VARIABLES:
                self._variables[each.name].add(each.scope)
        self._are_variables: dict[tuple[str, int], bool] = {}

    def may_be_in(self, value: str) -> bool:
        """Return whether the text of a value has a name of this file: a quick first look."""
        first, _, after = value.partition(".")
        if not self._imports_all or first in self._known:
            return True
        return bool(after) and after.rpartition(".")[2] in self._methods

    def may_mean(self, written: list[str], scope: int) -> bool:
        """Return whether the names of a value may stand for an entity.

        After a variable, only the methods in this file are thought of, but for references of Java,
        which can be nothing else.
        """
        if self._is_java:
            return True
        first, last = written[0], written[-1]
        if first in OWN_NAMES or self._is_variable(first, scope):
            return len(written) > 1 and last in self._methods
        return first in self._known or not (self._imports_all or last.isupper())

    def _is_variable(self, name: str, scope: int) -> bool:
        """Return whether ``scope``, or one around it, binds a variable of this name."""
        scopes = self._variables.get(name)
        if scopes is None:
            return False
        key = name, scope
        if key not in self._are_variables:
            while scope >= 0 and scope not in scopes:
                scope = self._entities[scope].parent
            self._are_variables[key] = scope >= 0
        return self._are_variables[key]


def _is_method(entity: Entity) -> bool:
    """Return whether an entity is a method that is read as such, and not a property."""
    return entity.kind is EntityKind.METHOD and not entity.is_property


def _left_out(found: list[Match], outline: Outline, file: CodeFile) -> "_Spans":
    """Return the places whose values are types, only compared, or what a file exports."""
    compares = any(call.name in _COMPARE for call in file.calls)
    short_text = outline.reader.short_text
    spans: list[Node] = []
    for match in found:
        if "exports" in match:
            is_export = short_text(match["exports"][0], len(EXPORTS)) == EXPORTS
            spans += match["exported"] if is_export else ()
        elif "types" in match:
            spans += match["types"]
        elif compares and "call" in match and "name" in match:
            name = short_text(match["name"][0], _COMPARE_BYTES)
            spans += match["call"] if name in _COMPARE else ()
    return _Spans(spans)


class _Receivers:
    """The calls around values that are handed over, and what stands between the two.

    These are closures, and calls of what is no name.
    """

    def __init__(self, found: Iterable[Match], calls: Sequence[Place[Call]]) -> None:
        # The arguments of a call stand between the name of what is called and its end.
        spans = [
            (place.name.end_byte, place.whole.end_byte, number)
            for number, place in enumerate(calls)
        ]
        apart = (node for match in found for node in match.get("apart", ()))
        spans += [(node.start_byte, node.end_byte, NO_CALL) for node in apart]
        spans.sort(key=lambda span: (span[0], -span[1]))
        self._calls = calls
        self._spans = spans
        self._starts = [start for start, *_ in spans]
        self._around: list[int] = []  # the span around each, -1 for none
        open_spans = [-1]
        for number, (start, _, _) in enumerate(spans):
            while open_spans[-1] >= 0 and spans[open_spans[-1]][1] <= start:
                open_spans.pop()
            self._around.append(open_spans[-1])
            open_spans.append(number)

    def of(self, offset: int, scope: int) -> int:
        """Return the index of the call that gets the value at ``offset``, in the same scope.

        Offsets rise from call to call: spans that ended before one are skipped for later ones.
        """
        latest = number = bisect_right(self._starts, offset) - 1
        while number >= 0 and self._spans[number][1] <= offset:
            number = self._around[number]
        if number != latest:
            self._around[latest] = number
        call = self._spans[number][2] if number >= 0 else NO_CALL
        return call if call != NO_CALL and self._calls[call].item.scope == scope else NO_CALL


class _Spans:
    """Pieces of a text, none of which begins in another one and ends outside of it."""

    def __init__(self, nodes: Iterable["Node"]) -> None:
        spans = sorted((node.start_byte, node.end_byte) for node in nodes)
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def __contains__(self, offset: int) -> bool:
        number = bisect_right(self._starts, offset) - 1
        return number >= 0 and offset < self._ends[number]
