"""The languages whose code is read: their grammars, file names and names of fenced blocks.

A grammar's package is imported only when code in its language is parsed.
"""

import functools
import importlib
import re
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
    fences: tuple[str, ...]  # further names of it on fenced blocks
    wrappers: tuple[str, ...] = ()  # generic types that are read as the type they hold
    has_docstrings: bool = False


_WRAPPERS = ("Optional", "Promise", "Awaitable", "Annotated", "Final", "ClassVar")
LANGUAGES = (
    CodeLanguage(
        "python", "tree_sitter_python", "language", ("python",),
        (".py", ".pyi"), ("py", "python3"), _WRAPPERS, has_docstrings=True,
    ),
    CodeLanguage(
        "javascript", "tree_sitter_javascript", "language", ("ecmascript", "jsx", "javascript"),
        (".js", ".mjs", ".cjs", ".jsx"), ("js", "jsx", "mjs", "cjs", "node"), _WRAPPERS,
    ),
    CodeLanguage(
        "typescript", "tree_sitter_typescript", "language_typescript", ("ecmascript", "typescript"),
        (".ts", ".mts", ".cts"), ("ts", "mts", "cts"), _WRAPPERS,
    ),
    CodeLanguage(
        "tsx", "tree_sitter_typescript", "language_tsx", ("ecmascript", "jsx", "typescript"),
        (".tsx",), (), _WRAPPERS,
    ),
    CodeLanguage("go", "tree_sitter_go", "language", ("go",), (".go",), ("golang",)),
    CodeLanguage(
        "rust", "tree_sitter_rust", "language", ("rust",), (".rs",), ("rs",), ("Box", "Rc", "Arc")
    ),
    CodeLanguage("java", "tree_sitter_java", "language", ("java",), (".java",), ()),
    CodeLanguage("c", "tree_sitter_c", "language", ("c_family", "c"), (".c", ".h"), ("h",)),
    CodeLanguage(
        "cpp", "tree_sitter_cpp", "language", ("c_family", "cpp"),
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp"),
        ("c++", "cc", "cxx", "hpp", "hxx"),
    ),
)  # fmt: skip

_BY_EXTENSION = {extension: item for item in LANGUAGES for extension in item.extensions}
_BY_FENCE = {name: item for item in LANGUAGES for name in (item.name, *item.fences)}
BY_NAME = {item.name: item for item in LANGUAGES}

_CLASS_MACRO = re.compile(
    rb"(\b(?:class|struct)[ \t]+)([A-Z][A-Z0-9_]{2,63}(?:\([^()\n]{0,63}\))?)"
    rb"(?=[ \t]+[A-Za-z_][\w:]*[ \t\n]*+(?:final\b[ \t\n]*+)?[:{])"
)
# Beginnings of lines that only C++ has, not C.
_ONLY_CPP = re.compile(
    rb"^[ \t]*(?:class [A-Z_a-z]\w*[^;()=]*(?:$|\{)|namespace\b|template ?<|using \w|"
    rb"(?:public|private|protected) ?:)",
    re.MULTILINE,
)


def language_of_file(path: str) -> CodeLanguage | None:
    """Return the language of a file, by the end of its name."""
    name = path.rpartition("/")[2].lower()
    return _BY_EXTENSION.get("." + name.rpartition(".")[2]) if "." in name else None


def parsed_text(language: CodeLanguage, code: bytes) -> bytes:
    """Return the text to parse in place of ``code``, of the same length, without some macros.

    Grammars know no macros. In C++, one between ``class`` and its name would hide the class.
    """
    if language.name != "cpp":
        return code
    return _CLASS_MACRO.sub(lambda match: match[1] + b" " * len(match[2]), code)


def refined(language: CodeLanguage, code: bytes) -> CodeLanguage:
    """Return the language of ``code``: a header of C may be one of C++."""
    is_other = language.name == "c" and _ONLY_CPP.search(code)
    return BY_NAME["cpp"] if is_other else language


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
