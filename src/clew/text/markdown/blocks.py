"""Split the body of a note into headings and blocks of text, and its fenced code.

The block rules of markdown-it-py (CommonMark) decide where blocks begin and end. Its inline rules
never run: hostile input would take most time there, and CommonMark has no wikilinks. The text of a
list item or a quote is returned without its markers.

Three changes to a plain markdown-it parse make it twice as fast with the same result, as a test
checks:

- ``_TextState`` keeps only the tokens that hold text or code, or delimit a heading.
- ``_block_rule`` replaces the whole chain of block rules. markdown-it calls every rule at every
  line, and each looks at the first character of the line; here a table gives the few rules that
  can match it.
- ``_silent_rule`` does the same where markdown-it asks, in silent mode, whether a block begins that
  may interrupt a paragraph or a list item.

Two changes give a different result: ``_footnote`` knows footnotes, which CommonMark lacks, and
``_reference_as_text`` keeps link reference definitions, whose title may hold a link in Obsidian.

Two limits bound the work for a note: the nesting of blocks, and the number of attempts to match a
block. They limit work and not time, so the same note always gives the same outcome. A note over a
limit is read by ``text_lines`` instead, which knows only fences and headings.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import (
    StateBlock,
    blockquote,
    code,
    fence,
    heading,
    hr,
    html_block,
    lheading,
    list_block,
    paragraph,
    reference,
)
from markdown_it.token import Token

NESTING_MAX = 60  # levels; a nested list takes two
STEPS_MAX = 30_000  # attempts to match a block, about 1 s; 2 MiB of prose take a third

_LINES_PER_STEP = 10  # a line takes about a tenth of the time of an attempt

# A body without such a line end has no underlined heading, so that rule need not run.
_UNDERLINE_END = re.compile(r"[-=][ \t]*$", re.MULTILINE)


class Block(NamedTuple):
    """One block of text. A plain tuple, as a large vault has a million of them."""

    content: str  # without list, quote and heading markers
    line: int  # 0-based line of the body where ``content`` begins
    level: int  # heading level 1..6, else 0
    is_html: bool


class Fence(NamedTuple):
    """One block of fenced code."""

    content: str  # without the markers of quotes and list items
    line: int  # 0-based line of the body where ``content`` begins
    info: str  # the text after the opening fence, which may name a language


class TooComplex(Exception):
    """The structure of a note takes more work than allowed."""


def blocks(body: str) -> tuple[list[Block], list[Fence]]:
    """Return the headings of ``body`` with the blocks that may hold a link or a tag, and its code.

    Both are in the order of the text.

    Raises:
        TooComplex: ``body`` is nested too deeply or takes too many steps.
    """
    tokens: list[Token] = []
    steps = body.count("\n") // _LINES_PER_STEP
    if steps > STEPS_MAX:
        raise TooComplex("the note has too many lines")
    try:
        state = _TextState(
            body,
            _PARSER,
            {"steps": steps, "may_underline": _UNDERLINE_END.search(body) is not None},
            tokens,
        )
        _PARSER.block.tokenize(state, 0, state.lineMax)
    except RecursionError as error:
        raise TooComplex("blocks are nested too deeply") from error
    return list(_to_blocks(tokens)), [
        Fence(token.content, token.map[0] + 1, token.info)
        for token in tokens
        if token.type == "fence" and token.map is not None
    ]


class _TextState(StateBlock):
    """A parser state that keeps only tokens with text or code, a quarter of all tokens."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        if nesting < 0:
            self.level -= 1
        token = _DROPPED
        if ttype in _KEPT_TOKENS:
            token = Token(ttype, tag, nesting)
            token.level = self.level
            self.tokens.append(token)
        if nesting > 0:
            self.level += 1
        return token


_KEPT_TOKENS = frozenset(("inline", "heading_open", "heading_close", "html_block", "fence"))
_DROPPED = Token("dropped", "", 0)  # rules set its attributes, and nothing reads these


def text_lines(body: str) -> Iterator[Block]:
    """Yield each line of ``body`` that is outside fences and may hold a link or a tag, as a block.

    The fallback for notes that ``blocks`` refuses. It takes linear time for any input.
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
            yield Block(heading[2].strip(), index, len(heading[1]), is_html=False)
        elif may_matter(line):
            yield Block(line, index, 0, is_html=False)


def may_matter(text: str) -> bool:
    """Return whether a text may hold a link or a tag, or begin or end a comment or math."""
    return "[[" in text or "](" in text or "#" in text or "%%" in text or "$$" in text


_HEADING_LINE = re.compile(r"(#{1,6})[ \t]+(.*)")


def _to_blocks(tokens: list[Token]) -> Iterator[Block]:
    level = 0
    for token in tokens:
        kind = token.type
        if kind == "inline":
            if level or may_matter(token.content):
                assert token.map is not None
                yield Block(token.content, token.map[0], level, False)
        elif kind == "heading_open":
            level = int(token.tag[1])
        elif kind == "heading_close":
            level = 0
        elif kind == "html_block" and may_matter(token.content):
            assert token.map is not None
            yield Block(token.content, token.map[0], 0, True)


Rule = Callable[[StateBlock, int, int, bool], bool]

# The characters at which each block rule can match. Most lines begin with a letter, at which no
# rule can match. The rules are in markdown-it's order.
_FIRST_CHARACTERS: tuple[tuple[Rule, str], ...] = (
    (fence, "`~"),
    (blockquote, ">"),
    (hr, "*-_"),
    (list_block, "*-+0123456789"),
    (html_block, "<"),
    (heading, "#"),
)


def _by_first_character(rules: Iterable[tuple[Rule, str]]) -> Mapping[str, tuple[Rule, ...]]:
    table: dict[str, tuple[Rule, ...]] = {}
    for rule, characters in rules:
        for character in characters:
            table[character] = (*table.get(character, ()), rule)
    return table


def _block_rule(state: StateBlock, start: int, end: int, _silent: bool) -> bool:
    """Match the block that begins at line ``start`` with the rules for its first character."""
    _count_step(state)
    if state.is_code_block(start):
        return code(state, start, end, False)
    begin = state.bMarks[start] + state.tShift[start]
    for rule in _BLOCK_RULES.get(state.src[begin : begin + 1], ()):
        if rule(state, start, end, False):
            return True
    if state.env["may_underline"]:
        return lheading(state, start, end, False) or paragraph(state, start, end, False)
    # lheading sets this even if it finds no underline, and the list rule reads it.
    state.parentType = "paragraph"
    return paragraph(state, start, end, False)


def _silent_rule(rules: Iterable[tuple[Rule, str]]) -> Rule:
    """Return a rule that tells in silent mode whether a block begins that ``rules`` match."""
    table = _by_first_character(rules)

    def matches(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if silent:
            begin = state.bMarks[start] + state.tShift[start]
            for rule in table.get(state.src[begin : begin + 1], ()):
                if rule(state, start, end, True):
                    return True
        return False

    return matches


def _count_step(state: StateBlock) -> None:
    """Count one attempt to match a block.

    Raises:
        TooComplex: there were too many attempts, or blocks are nested too deeply.
    """
    env: Any = state.env
    env["steps"] += 1
    if env["steps"] > STEPS_MAX:
        raise TooComplex("the note has too many blocks")
    if state.level >= NESTING_MAX - 2:
        raise TooComplex("blocks are nested too deeply")


def _reference_as_text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match a link reference definition and keep its lines as text, which CommonMark drops."""
    if not reference(state, start, end, silent):
        return False
    if not silent:
        token = state.push("inline", "", 0)
        token.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        token.map = [start, state.line]
    return True


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match a footnote, ``[^1]:`` and blocks whose later lines are indented, as on GitHub."""
    if state.is_code_block(start):
        return False
    label = _FOOTNOTE.match(
        state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start]
    )
    if label is None or silent:
        return label is not None
    of_line = state.bMarks[start], state.tShift[start], state.sCount[start]
    state.blkIndent += _FOOTNOTE_INDENT
    state.level += 1
    # The first line goes on behind the label, as if it were indented like the others.
    state.bMarks[start], state.tShift[start], state.sCount[start] = label.end(), 0, state.blkIndent
    state.md.block.tokenize(state, start, end)
    state.bMarks[start], state.tShift[start], state.sCount[start] = of_line
    state.level -= 1
    state.blkIndent -= _FOOTNOTE_INDENT
    return True


_FOOTNOTE = re.compile(r"\[\^[^\s\[\]]+\]:[ \t]*")
_FOOTNOTE_INDENT = 4  # columns
_INTERRUPTING = (*_FIRST_CHARACTERS, (_footnote, "["))
_BLOCK_RULES = _by_first_character((*_INTERRUPTING, (_reference_as_text, "[")))
_PARAGRAPH_END = _silent_rule(_INTERRUPTING)
_LIST_END = _silent_rule(rule for rule in _FIRST_CHARACTERS if rule[0] in (fence, blockquote, hr))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": NESTING_MAX})
    ruler = parser.block.ruler
    # It replaces the rule "code", since the parser state looks up by name whether code is enabled.
    ruler.at("code", _block_rule)
    ruler.push("paragraph_end", _PARAGRAPH_END, {"alt": ["paragraph", "reference", "blockquote"]})
    ruler.push("list_end", _LIST_END, {"alt": ["list"]})
    ruler.enableOnly(["code", "paragraph_end", "list_end"])
    return parser


_PARSER = _parser()
