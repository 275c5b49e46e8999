"""Block structure of a note: which lines are text, which are code, which are headings.

markdown-it-py's block rules (CommonMark) are the authority; its inline rules never run, since they
are where hostile input costs most and wikilinks are no part of CommonMark. Text inside lists and
quotes comes back without its markers. Two bounds keep every note cheap and the outcome the same
twice, because they count work, not time: nesting, and the number of blocks tried. A note over a
bound is read by ``text_lines`` instead, which knows only fences and headings.
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

NESTING_MAX = 60  # each list level takes two
STEPS_MAX = 30_000  # about a second of work; 2 MiB of prose take a third of it

# A line costs about a tenth of a block.
_LINES_PER_STEP = 10

# Without a line that ends so there is no underlined heading, and no need to look for one.
_UNDERLINE_END = re.compile(r"[-=][ \t]*$", re.MULTILINE)


class Block(NamedTuple):
    """A run of text; a plain tuple, since a vault has a million of them."""

    content: str  # without list, quote and heading markers
    line: int  # 0-based line of the body where ``content`` begins
    level: int  # heading level 1..6, else 0
    is_html: bool


class TooComplex(Exception):
    """A note whose structure takes more work than a note may take."""


def blocks(body: str) -> list[Block]:
    """Return the headings of ``body`` and the text that may hold a link or a tag, in order.

    Raises:
        TooComplex: nesting or the number of blocks is over its bound.
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
    return list(_to_blocks(tokens))


class _TextState(StateBlock):
    """A parse that keeps the tokens with text alone; the others are three quarters of them."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        if nesting < 0:
            self.level -= 1
        token = _UNKEPT
        if ttype in _KEPT_TOKENS:
            token = Token(ttype, tag, nesting)
            token.level = self.level
            self.tokens.append(token)
        if nesting > 0:
            self.level += 1
        return token


_KEPT_TOKENS = frozenset(("inline", "heading_open", "heading_close", "html_block"))
_UNKEPT = Token("unkept", "", 0)  # rules fill in what they push; nobody reads this one


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
            yield Block(heading[2].strip(), index, len(heading[1]), is_html=False)
        elif may_matter(line):
            yield Block(line, index, 0, is_html=False)


def may_matter(text: str) -> bool:
    """Tell whether text can hold a link or a tag, or open or close a comment or math."""
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

# Each of markdown-it's block rules looks at one character first, and most lines begin with a
# letter; asking only the rules that could match halves the cost of a parse. The order among them
# is markdown-it's own, and a test holds the outcome equal to a plain parse.
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
    """Match whatever block begins here: the whole chain of rules behind one look."""
    _count_step(state)
    if state.is_code_block(start):
        return code(state, start, end, False)
    begin = state.bMarks[start] + state.tShift[start]
    for rule in _BLOCK_RULES.get(state.src[begin : begin + 1], ()):
        if rule(state, start, end, False):
            return True
    if state.env["may_underline"]:
        return lheading(state, start, end, False) or paragraph(state, start, end, False)
    # What lheading does even where it finds no underline, and what lists below are told by.
    state.parentType = "paragraph"
    return paragraph(state, start, end, False)


def _paragraph_end(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Tell whether a block that may interrupt a paragraph, a quote or a definition begins here."""
    begin = state.bMarks[start] + state.tShift[start]
    return silent and _matches(_ENDS_PARAGRAPH.get(state.src[begin : begin + 1]), state, start, end)


def _list_end(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Tell whether a block that may interrupt a list item begins here."""
    begin = state.bMarks[start] + state.tShift[start]
    return silent and _matches(_ENDS_LIST.get(state.src[begin : begin + 1]), state, start, end)


def _matches(rules: tuple[Rule, ...] | None, state: StateBlock, start: int, end: int) -> bool:
    if rules is not None:
        for rule in rules:
            if rule(state, start, end, True):
                return True
    return False


def _count_step(state: StateBlock) -> None:
    """Stop the parse when it has taken too many steps: one for each attempt at a block."""
    env: Any = state.env
    env["steps"] += 1
    if env["steps"] > STEPS_MAX:
        raise TooComplex("the note has too many blocks")
    if state.level >= NESTING_MAX - 2:
        raise TooComplex("blocks are nested too deeply")


def _reference_as_text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match a link reference definition and keep its lines as text.

    CommonMark swallows it, yet to Obsidian ``[^1]: [[note]]`` is a footnote that links.
    """
    if not reference(state, start, end, silent):
        return False
    if not silent:
        token = state.push("inline", "", 0)
        token.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        token.map = [start, state.line]
    return True


_BLOCK_RULES = _by_first_character((*_FIRST_CHARACTERS, (_reference_as_text, "[")))
_ENDS_PARAGRAPH = _by_first_character(_FIRST_CHARACTERS)
_ENDS_LIST = _by_first_character(
    rule for rule in _FIRST_CHARACTERS if rule[0] in (fence, blockquote, hr)
)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": NESTING_MAX})
    ruler = parser.block.ruler
    # Under the name of the rule it begins with: a state asks by name whether code is enabled.
    ruler.at("code", _block_rule)
    ruler.push("paragraph_end", _paragraph_end, {"alt": ["paragraph", "reference", "blockquote"]})
    ruler.push("list_end", _list_end, {"alt": ["list"]})
    ruler.enableOnly(["code", "paragraph_end", "list_end"])
    return parser


_PARSER = _parser()
