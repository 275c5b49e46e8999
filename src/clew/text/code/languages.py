"""The languages whose code is read: their grammars, file names and names of fenced blocks.

A grammar's package is imported only when code in its language is parsed.
"""

import functools
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query


@dataclass(frozen=True, slots=True)
class CodeLanguage:
    """A language, and where its grammar and its queries are."""

    name: str
    package: str  # the module of its grammar
    grammar: str  # the function there that returns it
    queries: tuple[str, ...]  # the names of the files of queries
    extensions: tuple[str, ...]
    fences: tuple[str, ...]  # further names that fenced blocks have
    module_separator: str = "."
    self_names: tuple[str, ...] = ("self", "cls")


_PYTHON = CodeLanguage(
    "python", "tree_sitter_python", "language", ("python",), (".py", ".pyi"), ("py", "python3")
)
_THIS = ("this",)
LANGUAGES = (
    _PYTHON,
    CodeLanguage(
        "javascript", "tree_sitter_javascript", "language", ("ecmascript", "javascript"),
        (".js", ".mjs", ".cjs", ".jsx"), ("js", "jsx", "node"), "/", _THIS,
    ),
    CodeLanguage(
        "typescript", "tree_sitter_typescript", "language_typescript", ("ecmascript", "typescript"),
        (".ts", ".mts", ".cts"), ("ts",), "/", _THIS,
    ),
    CodeLanguage(
        "tsx", "tree_sitter_typescript", "language_tsx", ("ecmascript", "typescript"),
        (".tsx",), (), "/", _THIS,
    ),
)  # fmt: skip

_BY_EXTENSION = {extension: item for item in LANGUAGES for extension in item.extensions}
_BY_FENCE = {name: item for item in LANGUAGES for name in (item.name, *item.fences)}
BY_NAME = {item.name: item for item in LANGUAGES}


def language_of_file(path: str) -> CodeLanguage | None:
    """Return the language of a file, by the end of its name."""
    name = path.rpartition("/")[2].lower()
    return _BY_EXTENSION.get("." + name.rpartition(".")[2]) if "." in name else None


def language_of_fence(info: str) -> CodeLanguage | None:
    """Return the language that the info string of a fenced block names."""
    words = info.replace("{", " ").replace("}", " ").replace(",", " ").split()
    return _BY_FENCE.get(words[0].lower().lstrip(".")) if words else None


@functools.cache
def load(language: CodeLanguage) -> "tuple[Language, Query]":
    """Import the grammar of ``language`` and compile its queries."""
    from importlib.resources import files  # noqa: PLC0415 - takes long to import

    from tree_sitter import Language, Query  # noqa: PLC0415 - only where code is parsed

    grammar = Language(getattr(importlib.import_module(language.package), language.grammar)())
    folder = files("clew.text.code") / "queries"
    texts = [(folder / f"{name}.scm").read_text("utf-8") for name in language.queries]
    return grammar, Query(grammar, "\n".join(texts))
