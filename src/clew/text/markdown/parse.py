"""Parse the text of a file into a ``Note``. Never fails; the same text always gives the same note.

Does not use other notes: the engine decides which note a link leads to.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from clew.text.chunks import chunks
from clew.text.code.fences import NO_CODE, FencedCode, read_fences
from clew.text.concept import fold_tag
from clew.text.counting import TokenParts
from clew.text.dates.date_keys import DEFAULT_DATE_KEYS, DateKeys
from clew.text.filename import absolute_target, stem_of
from clew.text.markdown.blocks import Block, Fence, TooComplex, blocks, may_matter, text_lines
from clew.text.markdown.frontmatter.read import looks_like_keys, read_frontmatter
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.inline import InlineReading, read_html, read_inline
from clew.text.markdown.private import seems_private
from clew.text.markdown.rendered import render_wikilinks
from clew.text.masking.secrets import may_have_secrets
from clew.text.regions.dendron import Parts, as_in_dendron, is_of_dendron
from clew.text.regions.page_properties import page_fields
from clew.text.regions.placeholders import is_filled_in
from clew.text.regions.wikilinks import INNER
from clew.text.tokens import count_tokens
from clew.values.code.code_file import CodeFile
from clew.values.note import Fields, Heading, LinkKind, Note, Problem, Wikilink

LINKS_MAX = 20_000
HEADINGS_MAX = 5_000
TAGS_MAX = 5_000
TITLE_CHARACTERS_MAX = 300

_MARKS = ("%%", "$$")
# What may stand before the heading that is a note's title, with comments: white space and embeds.
_ASIDE = re.compile(rf"\s+|!\[\[{INNER}\]\]|!\[[^\[\]\n]*\]\((?:[^()\n]|\([^()\n]*\))*\)")
_COMMENTS = (("<!--", "-->"), ("%%", "%%"))


@dataclass(frozen=True, slots=True)
class Source:
    r"""A file's text on its way to a note: line ends are ``\n``, and it holds no NUL."""

    path: str
    content_hash: str
    text: str
    problems: tuple[Problem, ...] = ()  # from reading the file


NO_NOTES: Mapping[str, Note] = MappingProxyType({})


class Parsed(NamedTuple):
    """A note, and the code in its fenced blocks."""

    note: Note
    code: tuple[CodeFile, ...]


def parse_notes(
    sources: Sequence[Source],
    date_keys: DateKeys = DEFAULT_DATE_KEYS,
    earlier: Mapping[str, Note] = NO_NOTES,
) -> list[Parsed]:
    """Parse ``sources`` in stages: all front matter first, then all blocks, then all links.

    Code and data of one stage stay in the processor's caches, which saves a quarter of the time for
    a hundred notes at once. ``earlier`` may have earlier versions of the notes, by path: the tokens
    of chunks that are in these are not counted again.
    """
    heads = [_read_head(source, date_keys) for source in sources]
    structures = [_read_structure(head) for head in heads]
    bodies = [
        _read_blocks(head, structure.blocks)
        for head, structure in zip(heads, structures, strict=True)
    ]
    codes = [
        read_fences(head.path, structure.fences, head.body_line) if structure.fences else NO_CODE
        for head, structure in zip(heads, structures, strict=True)
    ]
    parts = zip(sources, heads, structures, bodies, codes, strict=True)
    return [Parsed(_to_note(*each, earlier.get(each[0].path)), each[-1].files) for each in parts]


@dataclass(frozen=True, slots=True)
class _Head:
    path: str
    fields: Fields
    links: tuple[Wikilink, ...]
    problems: tuple[Problem, ...]
    body: str
    body_line: int  # 0-based line of the note where the body begins
    made_by_dendron: bool = False


@dataclass(frozen=True, slots=True)
class _Structure:
    blocks: list[Block]
    fences: list[Fence]
    problems: tuple[Problem, ...]


def _read_head(source: Source, date_keys: DateKeys) -> _Head:
    path, text = source.path, source.text
    halves = split(text)
    if halves.frontmatter is not None:
        reading = read_frontmatter(path, halves.frontmatter, date_keys)
        body, line = (halves.body, halves.body_line) if reading.is_mapping else (text, 0)
        made_by_dendron = is_of_dendron(halves.frontmatter)
        return _Head(
            path, reading.fields, reading.links, reading.problems, body, line, made_by_dendron
        )
    problems: tuple[Problem, ...] = ()
    fields = page_fields(path, text)
    if halves.unclosed and looks_like_keys(text):
        message = "front matter has no closing --- line"
        problems = (Problem(path, "frontmatterUnclosed", 1, message),)
        fields = Fields(private=seems_private(text))
    return _Head(path, fields, (), problems, halves.body, halves.body_line)


def _read_structure(head: _Head) -> _Structure:
    try:
        return _Structure(*blocks(head.body), ())
    except TooComplex as error:
        problem = Problem(head.path, "tooComplex", None, f"read line by line: {error}")
        return _Structure(list(text_lines(head.body)), [], (problem,))


def _token_parts(earlier: Note | None) -> TokenParts:
    """Return what counts tokens; parts of the earlier note are not counted again."""
    parts = TokenParts(count_tokens)
    if earlier is not None:
        for chunk in earlier.chunks:
            parts.add_counted(earlier.text[chunk.start : chunk.end], chunk.part_tokens)
    return parts


def _to_note(
    source: Source,
    head: _Head,
    structure: _Structure,
    body: "_Body",
    code: FencedCode,
    earlier: Note | None,
) -> Note:
    capped = [Problem(head.path, code, None, text) for code, text in sorted(body.capped.items())]
    headings = tuple(body.headings)
    title = head.fields.title or _heading_on_top(head, headings) or stem_of(head.path)
    return Note(
        path=head.path,
        content_hash=source.content_hash,
        title=title[:TITLE_CHARACTERS_MAX],
        text=source.text,
        fields=head.fields,
        links=(*head.links, *body.links),
        tags=tuple(sorted({*head.fields.tags, *body.tags})),
        headings=headings,
        chunks=chunks(source.text, head.body_line, headings, _token_parts(earlier)),
        problems=(
            *source.problems,
            *head.problems,
            *structure.problems,
            *capped,
            *code.problems,
        ),
        name_only=False,
        may_have_secrets=may_have_secrets(source.text),
    )


def _heading_on_top(head: _Head, headings: Sequence[Heading]) -> str:
    """Return the text of the first heading of level one if the body begins with it, else "".

    A heading further down, such as "Tasks" in a daily note, names a part of the note. One that a
    plugin fills in is the title of the notes that are made from a template, not of the template.
    """
    first = next((heading for heading in headings if heading.level == 1), None)
    if first is None:
        return ""
    line = head.body_line + head.body.count("\n", 0, _after_asides(head.body)) + 1
    return first.text if first.line == line and not is_filled_in(first.text) else ""


def _after_asides(body: str) -> int:
    """Return where a text begins, after white space, comments and embeds."""
    position = 0
    while end := _end_of_aside(body, position):
        position = end
    return position


def _end_of_aside(body: str, position: int) -> int:
    """Return where white space, a comment or an embed at ``position`` ends; 0 if none is there."""
    for opening, closing in _COMMENTS:
        if body.startswith(opening, position):
            end = body.find(closing, position + len(opening))
            return end + len(closing) if end >= 0 else 0
    aside = _ASIDE.match(body, position)
    return aside.end() if aside else 0


def name_only_note(path: str, content_hash: str, problem: Problem, text: str = "") -> Note:
    """Return a note with nothing but its name; ``problem`` says why the content is not indexed.

    It is private if the beginning of its ``text`` says so.
    """
    return Note(
        path=path,
        content_hash=content_hash,
        title=stem_of(path)[:TITLE_CHARACTERS_MAX],
        text="",
        fields=Fields(private=seems_private(text)),
        links=(),
        tags=(),
        headings=(),
        chunks=(),
        problems=(problem,),
        name_only=True,
        may_have_secrets=False,
    )


class _Body:
    """The links, tags and headings of a note's body, collected block by block."""

    def __init__(self, path: str, *, made_by_dendron: bool) -> None:
        self._path = path
        self._made_by_dendron = made_by_dendron
        self.links: list[Wikilink] = []
        self.tags: set[str] = set()
        self.headings: list[Heading] = []
        self.capped: dict[str, str] = {}  # problem code -> message

    def add(self, reading: InlineReading, text: str, line: int) -> None:
        offset = 0
        for link in reading.links:
            if len(self.links) >= LINKS_MAX:
                self.capped["linksCapped"] = f"only the first {LINKS_MAX} links are read"
                break
            line += text.count("\n", offset, link.offset)
            offset = link.offset
            parts = Parts(link.target, link.fragment, link.alias)
            if self._made_by_dendron and link.kind is not LinkKind.MARKDOWN:
                parts = as_in_dendron(parts)
            absolute = absolute_target(parts.target, self._path)
            self.links.append(Wikilink(*parts, link.kind, line, absolute))
        for tag in reading.tags:
            if len(self.tags) >= TAGS_MAX:
                self.capped["tagsCapped"] = f"only the first {TAGS_MAX} tags are read"
                break
            self.tags.add(fold_tag(tag))

    def add_heading(self, level: int, content: str, line: int) -> None:
        if len(self.headings) >= HEADINGS_MAX:
            self.capped["headingsCapped"] = f"only the first {HEADINGS_MAX} headings are read"
            return
        text = render_wikilinks(" ".join(content.split()))
        self.headings.append(Heading(level, text, line))


def _read_blocks(head: _Head, body_blocks: list[Block]) -> _Body:
    body = _Body(head.path, made_by_dendron=head.made_by_dendron)
    last_with = [(mark, _last_with(mark, body_blocks)) for mark in _MARKS]
    open_mark = ""
    for index, (content, at, level, is_html) in enumerate(body_blocks):
        line = head.body_line + at + 1
        if level and not open_mark:
            body.add_heading(level, content, line)
            if not may_matter(content):
                continue
        later = frozenset([mark for mark, last in last_with if last > index])
        reading = (read_html if is_html else read_inline)(content, open_mark, later)
        open_mark = reading.open_mark
        if reading.links or reading.tags:
            body.add(reading, content, line)
    return body


def _last_with(mark: str, body_blocks: list[Block]) -> int:
    """Return the index of the last block that contains ``mark``, -1 for none."""
    indexes = (i for i, block in enumerate(body_blocks) if mark in block.content)
    return max(indexes, default=-1)
