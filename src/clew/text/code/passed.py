"""Find entities that code hands over as values without calling them, such as callbacks.

Most values are variables. A value is kept only if it may be an entity, by the names in its file.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
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

VALUE_BYTES_MAX = 200  # of the text of a value; a longer one is no path of names

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NO_VARIABLES = frozenset((EXTERNAL, NAMESPACE))  # types of bindings that are no variables
_REQUIRE = "require"  # an import that is a call, whose result is bound like a variable
# Languages in which names of other files must be imported.
_IMPORT_ALL = frozenset(("python", "javascript", "typescript", "tsx"))
_COMPARE = frozenset(("isinstance", "issubclass"))  # they neither keep nor call their arguments
_COMPARE_BYTES = max(map(len, _COMPARE))
EXPORTS = "module.exports"


def passed_in(
    matches: list[Match], outline: Outline, file: CodeFile, calls: Sequence[Place[Call]]
) -> list[Place[Passed]]:
    """Return the hand-overs of values that may be entities, in the order of lines.

    ``file``: the code without hand-overs; ``calls``: its calls with their nodes.
    """
    names, short_text = _Names(file), outline.reader.short_text
    nodes = []
    for match in matches:
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
    left_out = _left_out(matches, outline, file)
    receivers = _Receivers(matches, calls)
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
        self._bound_names = {each.name for each in entities[1:]}
        self._bound_names |= {item.alias.partition(".")[0] for item in file.imports}
        self._methods = {each.name for each in entities if _is_method(each)}
        self._is_java = file.language == "java"
        self._imports_all = file.language in _IMPORT_ALL
        requires = any(call.name == _REQUIRE for call in file.calls)
        required = {(item.scope, item.alias) for item in file.imports if requires}
        self._variables: dict[str, set[int]] = defaultdict(set)  # by name: scopes that bind it
        for each in file.bindings:
            is_field = entities[each.scope].kind in CLASSES
            is_required = (each.scope, each.name) in required
            if not is_field and not is_required and each.type not in _NO_VARIABLES:
                self._variables[each.name].add(each.scope)
        self._are_variables: dict[tuple[str, int], bool] = {}

    def may_be_in(self, value: str) -> bool:
        """Return whether the text of a value may name an entity: a quick first check."""
        first, _, after = value.partition(".")
        if not self._imports_all or first in self._bound_names:
            return True
        return bool(after) and after.rpartition(".")[2] in self._methods

    def may_mean(self, written: list[str], scope: int) -> bool:
        """Return whether the names of a value may stand for an entity.

        After a variable, only a method in this file counts. Method references of Java always count.
        """
        if self._is_java:
            return True
        first, last = written[0], written[-1]
        if first in OWN_NAMES or self._is_variable(first, scope):
            return len(written) > 1 and last in self._methods
        return first in self._bound_names or not (self._imports_all or last.isupper())

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


def _left_out(matches: list[Match], outline: Outline, file: CodeFile) -> "_Spans":
    """Return the spans with values that do not count: types, comparisons and exports."""
    compares = any(call.name in _COMPARE for call in file.calls)
    short_text = outline.reader.short_text
    spans: list[Node] = []
    for match in matches:
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
    """Lookup of the call that a handed-over value is given to.

    Closures between the two, and calls of something without a name, hide that call.
    """

    def __init__(self, matches: Iterable[Match], calls: Sequence[Place[Call]]) -> None:
        # The arguments of a call stand between the name of what is called and its end.
        spans = [
            (place.name.end_byte, place.whole.end_byte, number)
            for number, place in enumerate(calls)
        ]
        hiding = (node for match in matches for node in match.get("apart", ()))
        spans += [(node.start_byte, node.end_byte, NO_CALL) for node in hiding]
        spans.sort(key=lambda span: (span[0], -span[1]))
        self._calls = calls
        self._spans = spans
        self._starts = [start for start, *_ in spans]
        self._around: list[int] = []  # by span: the span around it, -1 for none
        open_spans = [-1]
        for number, (start, _, _) in enumerate(spans):
            while open_spans[-1] >= 0 and spans[open_spans[-1]][1] <= start:
                open_spans.pop()
            self._around.append(open_spans[-1])
            open_spans.append(number)

    def of(self, offset: int, scope: int) -> int:
        """Return the index of the call in ``scope`` that gets the value at ``offset``.

        Offsets must rise from call to call, since spans that ended before one are skipped later.
        """
        latest = number = bisect_right(self._starts, offset) - 1
        while number >= 0 and self._spans[number][1] <= offset:
            number = self._around[number]
        if number != latest:
            self._around[latest] = number
        call = self._spans[number][2] if number >= 0 else NO_CALL
        return call if call != NO_CALL and self._calls[call].item.scope == scope else NO_CALL


class _Spans:
    """Spans of a text, which may be nested, but do not overlap otherwise."""

    def __init__(self, nodes: Iterable["Node"]) -> None:
        spans = sorted((node.start_byte, node.end_byte) for node in nodes)
        self._starts = [start for start, _ in spans]
        # By span: where the last of this span and those that start before it ends.
        self._ends = list(accumulate((end for _, end in spans), max))

    def __contains__(self, offset: int) -> bool:
        number = bisect_right(self._starts, offset) - 1
        return number >= 0 and offset < self._ends[number]
