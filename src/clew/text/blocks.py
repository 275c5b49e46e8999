"""Block structure of a note: which lines are text, which are code, which are headings.

markdown-it-py's block rules (CommonMark) are the authority; its inline rules never run, since they
are where hostile input costs most and wikilinks are no part of CommonMark. Text inside lists and
quotes comes back without its markers. Two bounds keep every note cheap and the outcome the same
twice, because they count work, not time: nesting, and the number of blocks tried. A note over a
bound is read by ``text_lines`` instead, which knows only fences and headings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import reference as _reference_rule
from markdown_it.token import Token

NESTING_MAX = 60  # each list level takes two
STEPS_MAX = 40_000  # about 1.5 s of work; a note of 2 MiB of prose takes 15,000

# A line costs about a tenth of a block, and a rule may look over every line below it once a level.
_LINES_PER_STEP = 10
_LINES_AHEAD_PER_STEP = 50


class BlockKind(Enum):
    """What a run of lines is."""

    TEXT = "text"
    HEADING = "heading"
    HTML = "html"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines of one kind, in document order."""

    kind: BlockKind
    content: str  # without list, quote and heading markers
    line: int  # 0-based line of the note where ``content`` begins
    level: int  # heading level 1..6, else 0


class TooComplex(Exception):
    """A note whose structure takes more work than a note may take."""


def blocks(body: str) -> list[Block]:
    """Return the blocks of ``body`` that hold text, and its code, in document order.

    Raises:
        TooComplex: nesting or the number of blocks is over its bound.
    """
    tokens: list[Token] = []
    steps = body.count("\n") // _LINES_PER_STEP
    if steps > STEPS_MAX:
        raise TooComplex("the note has too many lines")
    try:
        _PARSER.block.parse(body, _PARSER, {"steps": steps}, tokens)
    except RecursionError as error:
        raise TooComplex("blocks are nested too deeply") from error
    return list(_to_blocks(tokens))


def text_lines(body: str) -> Iterator[Block]:
    """Yield the lines of ``body`` outside fences that may hold a link or a tag, one block each.

    The fallback for notes that ``blocks`` refuses: linear whatever the input, and knowing nothing
    of Markdown but fences and headings.
    """
    fence = ""
    for index, line in enumerate(body.split("\n")):
        stripped = line.lstrip(" >")
        if fence:
            if stripped.startswith(fence):
                fence = ""
            continue
        if stripped.startswith(("```", "~~~")):
            fence = stripped[:3]
            continue
        heading = _HEADING_LINE.match(line)
        if heading:
            yield Block(BlockKind.HEADING, heading[2].strip(), index, len(heading[1]))
        elif may_matter(line):
            yield Block(BlockKind.TEXT, line, index, 0)


def may_matter(text: str) -> bool:
    """Tell whether text can hold a link or a tag, or open or close a comment or math."""
    return "[[" in text or "](" in text or "#" in text or "%%" in text or "$$" in text


_HEADING_LINE = re.compile(r"(#{1,6})[ \t]+(.*)")


def _to_blocks(tokens: list[Token]) -> Iterator[Block]:
    level = 0
    for token in tokens:
        kind = token.type
        if kind == "inline":
            assert token.map is not None
            yield Block(
                BlockKind.HEADING if level else BlockKind.TEXT, token.content, token.map[0], level
            )
        elif kind == "heading_open":
            level = int(token.tag[1])
        elif kind == "heading_close":
            level = 0
        elif kind == "html_block":
            assert token.map is not None
            yield Block(BlockKind.HTML, token.content, token.map[0], 0)
        elif kind in ("fence", "code_block"):
            assert token.map is not None
            yield Block(BlockKind.CODE, token.content, token.map[0], 0)


def _count_step(state: StateBlock, start: int, end: int, _silent: bool) -> bool:
    """Match nothing; stop the parse when it has taken too many steps.

    Run first in every chain of rules, so each attempt at a block is one step, weighed by the lines
    that remain below it: those are what a rule may look at.
    """
    env: Any = state.env
    env["steps"] += 1 + (state.level * (end - start)) // _LINES_AHEAD_PER_STEP
    if env["steps"] > STEPS_MAX:
        raise TooComplex("the note has too many blocks")
    if state.level >= NESTING_MAX - 2:
        raise TooComplex("blocks are nested too deeply")
    return False


def _reference_as_text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match a link reference definition and keep its lines as text.

    CommonMark swallows it, yet to Obsidian ``[^1]: [[note]]`` is a footnote that links.
    """
    if not _reference_rule(state, start, end, silent):
        return False
    if not silent:
        token = state.push("inline", "", 0)
        token.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        token.map = [start, state.line]
    return True


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": NESTING_MAX})
    parser.block.ruler.at("reference", _reference_as_text)
    parser.block.ruler.before("code", "count_step", _count_step)
    return parser


_PARSER = _parser()
