"""Docstrings, comments and names use ordinary words, not private ones."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "tests", "tools", "benchmarks")

# Each word with the ones to use instead.
FORBIDDEN = {
    "claimers": "notes that have the alias",
    "dismantle": "free, remove",
    "divider": "partition process",
    "dividing": "partition job",
    "doubts": "settling, unconfirmed changes",
    "frayed": "incomplete",
    "hearer": "listener, receiver",
    "hearsay": "hint",
    "nametable": "symbol words",
    "parted": "split, separated",
    "remembering": "saving, loading",
    "sealing": "writing, serializing",
    "sharers": "notes in common",
    "spoils": "damages, makes invalid",
    "stranger": "another user, another process",
    "suspicion": "crash bisection",
    "tally": "count",
    "unheard": "not watched",
    "unseal": "read, deserialize",
    "withheld": "held back, deferred",
}
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")  # of snake_case and CamelCase alike
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def modules() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def docstring_starts(source: str) -> set[tuple[int, int]]:
    """Return the line and column of each docstring."""
    documented = (node for node in ast.walk(ast.parse(source)) if isinstance(node, DOCUMENTED))
    bodies = [node.body[0] for node in documented if ast.get_docstring(node) is not None]
    return {(first.lineno, first.col_offset) for first in bodies}


def words(source: str) -> Iterator[tuple[int, str]]:
    """Yield each word of docstrings, comments and identifiers, with its line."""
    docstrings = docstring_starts(source)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.NAME) or token.start in docstrings:
            for line, text in enumerate(token.string.split("\n"), token.start[0]):
                yield from ((line, word.lower()) for word in WORDS.findall(text))


def offences(source: str) -> list[str]:
    lowered = source.lower()
    if not any(word in lowered for word in FORBIDDEN):  # reading the tokens takes much longer
        return []
    return [
        f"line {line}: {word} (write: {FORBIDDEN[word]})"
        for line, word in words(source)
        if word in FORBIDDEN
    ]


def test_no_module_uses_a_private_word() -> None:
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in modules()}
    assert sources
    found = {path: offences(source) for path, source in sources.items()}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    [
        '"""Keep the tally."""',
        "def f():\n    '''Count.\n\n    It has\n    doubts.\n    '''",
        "x = 1  # a Stranger",
        "def unseal_all(): ...",
        "class NoHearsay: ...",
        "import a.suspicion",
        "f(is_withheld=True)",
    ],
)
def test_a_private_word_is_found_in_docstrings_comments_and_names(source: str) -> None:
    assert len(offences(source)) == 1


@pytest.mark.parametrize("source", ["note = 'tally'", "x = '# tally'", "totally = undoubted = 1"])
def test_strings_and_longer_words_are_allowed(source: str) -> None:
    assert offences(source) == []
