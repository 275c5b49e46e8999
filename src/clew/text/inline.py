"""Links and tags in the text of one block, as Obsidian reads them.

A single pass from left to right over the characters that can open something: what opens first
wins, except that a code span wins over a link it cuts through, as in CommonMark. Comments
(``%%``) and display math (``$$``) may run on over later blocks, so the reading of one block hands
its open mark to the next. Every pattern here is linear: none can match the same text in two ways.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it.common.html_re import HTML_TAG_RE

from clew.values.note import LinkKind

LINK_CHARACTERS_MAX = 2_000
TAG_CHARACTERS_MAX = 200
_HTML_TAG_CHARACTERS_MAX = 20_000

# https://help.obsidian.md/file-formats names the attachment formats.
ATTACHMENT_EXTENSIONS = frozenset(
    (
        *("avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp"),
        *("flac", "m4a", "mp3", "ogg", "wav", "3gp"),
        *("mkv", "mov", "mp4", "ogv", "webm"),
        *("pdf", "canvas", "base"),
    )
)
NOTE_EXTENSIONS = frozenset(("md", "markdown"))


class InlineLink(NamedTuple):
    """One link in a block's text; ``offset`` is where it begins there."""

    target: str
    fragment: str | None
    alias: str | None
    kind: LinkKind
    offset: int


@dataclass(frozen=True, slots=True)
class InlineReading:
    """What the text of one block says."""

    links: tuple[InlineLink, ...]
    tags: tuple[str, ...]  # as written, without "#"
    open_mark: str  # "%%" or "$$" when the block ends inside one, else ""


NOTHING = InlineReading((), (), "")

_WIKILINK = re.compile(rf"\[\[([^\[\]\n]{{1,{LINK_CHARACTERS_MAX}}})\]\]")
_SPECIAL = re.compile(r"\\.|`+|<|%%|\$\$?|\[\[|\]\(|#", re.DOTALL)
_HTML_WITHOUT_TEXT = ("<script", "<style", "<pre", "<textarea")
_BACKTICKS = re.compile(r"`+")
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*>")
# Obsidian: a tag takes everything up to white space and most ASCII and general punctuation.
_TAG = re.compile(
    r"#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"
    rf"{{1,{TAG_CHARACTERS_MAX}}})"
)
_DESTINATION = re.compile(
    r"\]\([ \t]*(?:<([^<>\n]{1,1000})>"
    r"|([^\s()<>]{1,1000}(?:\([^\s()<>]{0,1000}\)[^\s()<>]{0,1000}){0,8}))"
    r"(?:\s{1,20}(?:\"[^\"]{0,1000}\"|'[^']{0,1000}'))?[ \t\n]{0,20}\)"
)
_HTML_TERMINATORS = (
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<!", ">"),
    ("<?", "?>"),
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def read_inline(text: str, open_mark: str, later_marks: frozenset[str]) -> InlineReading:
    """Return the links and tags of a block's text.

    ``open_mark`` is the comment or math mark that an earlier block left open. ``later_marks``
    holds the marks that occur in any later block: one that never closes opens nothing.
    """
    position = 0
    if open_mark:
        end = text.find(open_mark)
        if end < 0:
            return InlineReading((), (), open_mark)
        position = end + len(open_mark)
    scan = _Scan(text, later_marks)
    while position >= 0 and (opener := _SPECIAL.search(text, position)):
        position = _READERS[opener[0][0]](scan, opener.start(), opener.end())
    if not (scan.links or scan.tags or scan.left_open):
        return NOTHING
    return InlineReading(tuple(scan.links), tuple(scan.tags), scan.left_open)


def read_html(text: str, open_mark: str, later_marks: frozenset[str]) -> InlineReading:
    """Return the links and tags in the text of an HTML block.

    CommonMark leaves such text alone, yet people write prose and code spans between their own
    tags: read as text, a link in back-ticks is still no link.
    """
    if text.lstrip()[:9].lower().startswith(_HTML_WITHOUT_TEXT):
        return InlineReading((), (), open_mark)
    comment = text.rfind("<!--")
    if comment >= 0 and text.find("-->", comment + 2) < 0:
        text = text[:comment]  # never closed: a comment to the end of the note
    return read_inline(text, open_mark, later_marks)


def split_wikilink(inner: str) -> tuple[str, str | None, str | None] | None:
    r"""Split what stands between double brackets into target, fragment and alias.

    In a table the bar is written ``\|``. No target and no fragment: no link.
    """
    inner = inner.replace("\\|", "|")
    path, bar, shown = inner.partition("|")
    target, hash_mark, fragment = path.partition("#")
    target, fragment = target.strip(), fragment.strip()
    if not target and not fragment:
        return None
    return (
        target,
        fragment if hash_mark and fragment else None,
        (shown.strip() or None) if bar else None,
    )


def is_attachment(target: str) -> bool:
    """Tell whether a target names a file that is kept as a link but is no concept."""
    _, dot, extension = target.rpartition(".")
    return bool(dot) and extension.lower() in ATTACHMENT_EXTENSIONS


# One reader for each opener: it takes what it finds and returns where to read on, -1 for nowhere.


def _read_escape(_: "_Scan", __: int, end: int) -> int:
    return end


def _read_code(scan: "_Scan", start: int, end: int) -> int:
    return scan.code_end(start, end - start)


def _read_wikilink(scan: "_Scan", start: int, end: int) -> int:
    text = scan.text
    match = _WIKILINK.match(text, start)
    if match is None or ("`" in match[1] and scan.code_cuts(start, match.end())):
        return start + 1
    end = match.end()
    is_tripled = start > 0 and text[start - 1] == "[" and text[end : end + 1] == "]"
    parts = None if is_tripled else split_wikilink(match[1])
    if parts is not None:
        is_embed = start > 0 and text[start - 1] == "!"
        kind = LinkKind.EMBED if is_embed else LinkKind.WIKI
        scan.links.append(InlineLink(*parts, kind, start))
    return end


def _read_markdown_link(scan: "_Scan", start: int, end: int) -> int:
    """Take the Markdown link whose ``](`` is at ``start``, if it leads to a file of the vault."""
    text = scan.text
    match = _DESTINATION.match(text, start)
    opener = text.rfind("[", max(0, start - LINK_CHARACTERS_MAX), start)
    if match is None or opener < 0:
        return end
    destination = unquote(match[1] if match[1] is not None else match[2])
    if destination.startswith(("#", "//")) or _SCHEME.match(destination):
        return end
    target, _, fragment = destination.partition("#")
    extension = target.rpartition(".")[2].lower()
    if extension not in NOTE_EXTENSIONS and extension not in ATTACHMENT_EXTENSIONS:
        return end
    shown = text[opener + 1 : start].strip()
    scan.links.append(
        InlineLink(target, fragment or None, shown or None, LinkKind.MARKDOWN, opener)
    )
    return match.end()


def _read_tag(scan: "_Scan", start: int, end: int) -> int:
    if start > 0 and not scan.text[start - 1].isspace():
        return end
    match = _TAG.match(scan.text, start)
    if match is None:
        return end
    tag = match[1].strip("/")
    if tag and not tag.isdecimal():
        scan.tags.append(tag)
    return match.end()


def _read_html(scan: "_Scan", start: int, end: int) -> int:
    """Pass over the tag, comment or autolink at ``start``."""
    text = scan.text
    for opener, terminator in _HTML_TERMINATORS:
        if text.startswith(opener, start):
            # "<!-->" is a whole comment: its end may share the opener's dashes.
            close = scan.find(terminator, start + 2)
            return close + len(terminator) if close >= 0 else end
    following = text[end : end + 1]
    if not (following.isalpha() or following == "/") or scan.find(">", start) < 0:
        return end
    last = min(len(text), start + _HTML_TAG_CHARACTERS_MAX)
    match = HTML_TAG_RE.match(text, start, last) or _AUTOLINK.match(text, start, last)
    return match.end() if match else end


def _read_comment(scan: "_Scan", start: int, end: int) -> int:
    """Pass over a ``%%`` comment or display math; it may go on in a later block."""
    mark = scan.text[start:end]
    close = scan.text.find(mark, end)
    if close >= 0:
        return close + 2
    if mark in scan.later_marks:
        scan.left_open = mark
        return -1
    return end


def _read_math(scan: "_Scan", start: int, end: int) -> int:
    """Pass over math; inline as Obsidian has it.

    On one line, no space just inside either mark, no digit after the closing one.
    """
    text = scan.text
    if end - start == 2:
        return _read_comment(scan, start, end)
    if text[end : end + 1].isspace():
        return end
    line_end = scan.find("\n", start)
    close = text.find("$", end, line_end if line_end >= 0 else len(text))
    if close < 0 or text[close - 1].isspace() or text[close + 1 : close + 2].isdigit():
        return end
    return close + 1


_READERS: Mapping[str, Callable[["_Scan", int, int], int]] = {
    "\\": _read_escape,
    "`": _read_code,
    "<": _read_html,
    "%": _read_comment,
    "$": _read_math,
    "[": _read_wikilink,
    "]": _read_markdown_link,
    "#": _read_tag,
}


class _Scan:
    """One reading of one text: what was found, and where code spans and terminators lie.

    Each question about what lies ahead costs linear time over the whole reading.
    """

    def __init__(self, text: str, later_marks: frozenset[str]) -> None:
        self.text = text
        self.later_marks = later_marks
        self.links: list[InlineLink] = []
        self.tags: list[str] = []
        self.left_open = ""
        self._runs: dict[int, list[int]] | None = None  # run length -> starts, ascending
        self._next: dict[str, int] = {}  # terminator -> its last found place, len(text) for none

    def find(self, terminator: str, start: int) -> int:
        """Return the first place of ``terminator`` at or after ``start``, -1 for none.

        For one terminator ``start`` may only grow: that is what keeps a text of a million openers
        without a closer from being read a million times.
        """
        place = self._next.get(terminator, -1)
        if place < start:
            place = self.text.find(terminator, start)
            if place < 0:
                place = len(self.text)
            self._next[terminator] = place
        return place if place < len(self.text) else -1

    def code_end(self, start: int, length: int) -> int:
        """Return where the code span opened by the run at ``start`` ends, else just past the run.

        A run of back-ticks closes at the next run of equal length.
        """
        if self._runs is None:
            self._runs = {}
            for run in _BACKTICKS.finditer(self.text):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        starts = self._runs.get(length, [])
        closer = bisect_right(starts, start)
        return (starts[closer] if closer < len(starts) else start) + length

    def code_cuts(self, start: int, end: int) -> bool:
        """Tell whether a code span opens inside ``[start, end)`` and closes beyond it."""
        position = start
        while run := _BACKTICKS.search(self.text, position, end):
            position = self.code_end(run.start(), len(run[0]))
            if position > end:
                return True
        return False
