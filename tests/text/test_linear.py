"""Any text is read in linear time."""

import gc
import importlib
import pkgutil
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

import clew.text
from clew.text.markdown.blocks import TooComplex, blocks
from clew.text.markdown.inline import read_inline
from tests.parsing import parse_note
from tests.tables import for_each_row

BLOCK_SIZE = 150_000  # one block of text, in which searching ahead from each opener takes longest
NOTE_SIZE = 50_000
FAST_S = 0.05
RATIO_MAX = 3.0

REPEATED = [
    *("[[", "[[a|", "![[", "[[a`", "[[a]", "[", "](", "](<", "](a", '](a "', "[x](a"),
    *("[[a[b]", "a[b]", "](a(b(c)", '](a "\\"', "\\]"),
    *("#a#", "*#a ", "_#a_", "=#", "|#a", "[#a", "][#a", "[x][#a", "\n[#a", "<b>#a", "\n|-|-"),
    *("a://", "a://_#", "![[a[b]"),
    *("`", "`` ", "`a", "<!--", "<!-- ", "<?", "<![CDATA[", "<!a", "<a ", '<a b="', "<a:", "</"),
    *("$a", "$", "$$ ", "%%", "%% ", "#", "#a", "# ", "\\", "\\[", "\\`", "*a **a ", "_a "),
    *("> ", "- ", "1. ", "    ", "\t", "> - ", "\n", "- a\n", "> a\n", "a\n", "# a\n", "```\n"),
    *("<div>\n", "---\n", "===\n", "[a]: ", "[a]: b\n", "| a ", "|-", "key: ", "a-_/ ", "\u200b"),
]
# What the patterns for code look for.
REPEATED_IN_CODE = ["class A", "class AAA ", "class AAA a\n", "namespace ", "~", "~ "]


def patterns() -> list[object]:
    """Return every compiled pattern of the modules of ``clew.text``.

    A pattern whose name has no ``_`` is imported, and is matched at one position only.
    """
    modules = pkgutil.walk_packages(clew.text.__path__, "clew.text.")
    found = {
        f"{module.name}.{name}": (name, value)
        for module in modules
        for name, value in vars(importlib.import_module(module.name)).items()
        if isinstance(value, re.Pattern)
    }
    return [
        pytest.param(pattern, name[0] == "_", id=place)
        for place, (name, pattern) in sorted(found.items(), key=lambda item: item[0])
    ]


def assert_linear(read: Callable[[str], object], piece: str, size: int, end: str = ">") -> None:
    """Fail if ``read`` takes over three times as long for twice the text, in the best of six."""
    small, large = (piece * (n // len(piece)) + end for n in (size, 2 * size))
    small_s, large_s = 0.0, seconds(read, large)
    for _ in range(6):
        if large_s < max(FAST_S, RATIO_MAX * small_s):
            return
        small_s = max(small_s, seconds(read, small))
        large_s = min(large_s, seconds(read, large))
    assert large_s < max(FAST_S, RATIO_MAX * small_s)


def seconds(read: Callable[[str], object], text: str) -> float:
    """Return the CPU time of ``read``, without garbage collection."""
    gc.disable()
    start_s = time.process_time()
    read(text)
    taken_s = time.process_time() - start_s
    gc.enable()
    return taken_s


def read_blocks(text: str) -> None:
    try:
        blocks(text)
    except TooComplex:
        return


def test_patterns_are_found() -> None:
    assert len(patterns()) >= 10


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "is_own"), patterns())
def test_a_pattern_is_linear(pattern: re.Pattern[Any], is_own: bool) -> None:
    find = pattern.findall if is_own else pattern.match
    is_of_bytes = isinstance(pattern.pattern, bytes)
    for piece in (*REPEATED, *REPEATED_IN_CODE):
        assert_linear((lambda text: find(text.encode())) if is_of_bytes else find, piece, NOTE_SIZE)


@pytest.mark.slow
@pytest.mark.parametrize("piece", REPEATED)
def test_reading_one_block_is_linear(piece: str) -> None:
    for end in ("", ">") if "<" in piece else ("",):
        assert_linear(lambda text: read_inline(text, "", frozenset("%$")), piece, BLOCK_SIZE, end)


@pytest.mark.slow
@for_each_row("piece", REPEATED)
def test_finding_blocks_is_linear(piece: str) -> None:
    assert_linear(read_blocks, piece, NOTE_SIZE)


@pytest.mark.slow
@pytest.mark.parametrize("piece", REPEATED)
def test_reading_a_note_is_linear(piece: str) -> None:
    assert_linear(lambda text: parse_note("a.md", "", text), piece, NOTE_SIZE)


@for_each_row("piece", ["a: ", "- ", "[", "{", "a: [b]\n", "'", "&a ", "? ", "#", "|\n"])
def test_reading_front_matter_is_linear(piece: str) -> None:
    assert_linear(lambda text: parse_note("a.md", "", f"---\n{text}\n---\n"), piece, NOTE_SIZE)
