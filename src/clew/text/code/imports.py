"""Read the names that the imports of a file bind, language by language.

Queries capture most of them name by name (``@import`` with ``@module``, ``@imported`` and
``@alias``). In Rust and Java they capture a list or a statement, whose text is read here.
"""

import re
from collections.abc import Iterator

from clew.text.code.outline import Outline
from clew.text.code.syntax import Match
from clew.values.code.code_file import DEFAULT, PACKAGE, Import

USE_DEPTH_MAX = 16  # braces in braces of one ``use``

_NAMES = {"import": "", "import.default": DEFAULT, "import.all": "*"}
_KINDS = frozenset((*_NAMES, "import.go", "import.rust", "import.java"))
_JAVA = re.compile(r"(import|package)\s+(static\s+)?([\w$.\s]+?)(\.\s*\*)?\s*;")
_GO_VERSION = re.compile(r"v\d+")
_USE_PART = re.compile(r"[{},]|[^{},]+")


def imports_of(matches: list[Match], outline: Outline) -> Iterator[Import]:
    """Yield an import for each name that a file imports."""
    for match in matches:
        if _KINDS.isdisjoint(match):  # true of most matches
            continue
        kind = next(kind for kind in match if kind in _KINDS)
        if kind == "import.go":
            yield _go(match, outline)
        elif kind == "import.rust":
            yield from _rust(match, outline)
        elif kind == "import.java":
            yield from _java(match, outline)
        else:
            require = match.get("require")
            if not require or outline.reader.text(require[0]) == "require":
                yield _usual(match, _NAMES[kind], outline)


def _usual(match: Match, name: str, outline: Outline) -> Import:
    text = outline.reader.text
    node = match["module"][0]
    module = text(node).strip("\"'`")
    name = text(match["imported"][0]) if "imported" in match else name
    alias = text(match["alias"][0]) if "alias" in match else (name or module)
    return Import(module, name, alias, outline.scope_of(node), node.start_point[0] + 1)


def _go(match: Match, outline: Outline) -> Import:
    """Return the import of a package, named by the last part of its path that is no version."""
    node = match["module"][0]
    module = outline.reader.text(node).strip('"`')
    alias = outline.reader.text(match["alias"][0]) if "alias" in match else ""
    name = "*" if alias == "." else ""
    parts = [part for part in module.split("/") if not _GO_VERSION.fullmatch(part)]
    last = parts[-1].partition(".")[0].removeprefix("go-") if parts else module
    line = node.start_point[0] + 1
    return Import(module, name, name or alias or last, outline.scope_of(node), line)


def _java(match: Match, outline: Outline) -> Iterator[Import]:
    """Yield an import; a ``package`` statement counts as a star import of that package."""
    node = next(nodes[0] for kind, nodes in match.items() if kind == "import.java")
    statement = _JAVA.match(outline.reader.text(node))
    if statement is None:
        return
    word, _, path, star = statement.groups()
    path = "".join(path.split())
    module, _, name = path.rpartition(".")
    if star or word == "package":
        module, name = path, "*"
    alias = PACKAGE if word == "package" else name
    yield Import(module, name, alias, outline.scope_of(node), node.start_point[0] + 1)


def _rust(match: Match, outline: Outline) -> Iterator[Import]:
    """Yield an import for each name of a ``use``, which may have nested lists."""
    node = match["module"][0]
    scope, line = outline.scope_of(node), node.start_point[0] + 1
    prefixes, prefix = [""], ""
    for part in map(str.strip, _USE_PART.findall(outline.reader.text(node))):
        if part == "{":
            prefixes.append(prefix)
            if len(prefixes) > USE_DEPTH_MAX:
                return
        elif part == "}":
            prefixes.pop()
            if not prefixes:
                return
        elif part != ",":
            prefix = prefixes[-1] + "".join(part.partition(" as ")[0].split())
            if not prefix.endswith("::"):
                yield _used(prefix, part.partition(" as ")[2].strip(), scope, line)


def _used(path: str, alias: str, scope: int, line: int) -> Import:
    module, _, name = path.removesuffix("::self").removeprefix("::").rpartition("::")
    if not module:  # a crate, or a name of this module
        return Import(name, "", alias or name, scope, line)
    return Import(module, name, alias or name, scope, line)
