"""Find the links and tags in the text of one block, by Obsidian's rules.

One pass from left to right: ``_SPECIAL`` finds the next characters that can open something, and
their function in ``_READERS`` reads it and returns where to continue. So the construct that opens
first wins. The exception is CommonMark's: a code span that opens inside a wikilink and closes
outside of it wins over the link.

A comment (``%%``) or display math (``$$``) may continue in later blocks. Therefore reading a block
returns the mark that the block leaves open, and the caller passes it on when it reads the next
block.

Time is linear in the length of the text: no pattern can match a text in two ways, and ``_Scan``
remembers the result of every search ahead.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from markdown_it.common.html_re import HTML_TAG_RE
from markdown_it.common.utils import unescapeAll

from clew.text.filename import ATTACHMENT_EXTENSIONS, NOTE_EXTENSIONS, extension_of
from clew.text.regions.brackets import is_label, opening_bracket
from clew.text.regions.wikilinks import WIKILINK, is_tripled, split_wikilink
from clew.text.uri import unquoted_if_utf8
from clew.values.note import LinkKind

TAG_CHARACTERS_MAX = 200
_HTML_TAG_CHARACTERS_MAX = 20_000


class InlineLink(NamedTuple):
    """One link; ``offset`` is its first character in the text of the block."""

    target: str
    fragment: str | None
    alias: str | None
    kind: LinkKind
    offset: int


@dataclass(frozen=True, slots=True)
class InlineReading:
    """The links and tags of one block."""

    links: tuple[InlineLink, ...]
    tags: tuple[str, ...]  # as written, without "#"
    open_mark: str  # "%%" or "$$" if the block ends inside a comment or math, else ""


NOTHING = InlineReading((), (), "")

_SPECIAL = re.compile(r"\\.|`+|<|%%|\$\$?|\[\[|\]\(|#|://", re.DOTALL)
_HTML_WITHOUT_TEXT = re.compile(r"\s{0,3}<(?:script|style|pre|textarea)(?=[\s>]|$)", re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")
_BACKTICKS_OR_ESCAPE = re.compile(r"\\.|`+", re.DOTALL)
_AFTER_URL = re.compile(r"[\s<>`|\]]")
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*>")
# In Obsidian a tag ends at white space and at most ASCII and general punctuation.
_TAG = re.compile(
    r"#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"
    rf"{{1,{TAG_CHARACTERS_MAX}}})"
)
_PART = r"(?:[^\s()<>\\]|\\[()<>]?+){0,1000}"  # of a destination without angle brackets
_IN_BRACKETS = rf"\({_PART}(?:\({_PART}\){_PART}){{0,8}}\)"
_QUOTED = r"{0}[^{0}\\]{{0,1000}}(?:\\[\s\S][^{0}\\]{{0,1000}}){{0,20}}{0}"
_TITLE = "|".join((_QUOTED.format('"'), _QUOTED.format("'"), r"\([^()]{0,1000}\)"))
_DESTINATION = re.compile(
    rf"\]\([ \t]*(?:<([^<>\n]{{1,1000}})>|((?![\s)]){_PART}(?:{_IN_BRACKETS}{_PART}){{0,8}}))"
    rf"(?:\s{{1,20}}(?:{_TITLE}))?[ \t\n]{{0,20}}\)"
)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")  # what a backslash can escape
_EMPHASIS = {"*": "*", "_": "_", "=": "==", "~": "~~"}  # sign -> the least that marks text
_TABLE_RULE = re.compile(r"\n[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+(?:\||(?=\n|\Z)))++[ \t]*+(?=\n|\Z)")
_HTML_TERMINATORS = (
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<!", ">"),
    ("<?", "?>"),
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def read_inline(text: str, open_mark: str, later_marks: frozenset[str]) -> InlineReading:
    """Return the links and tags of a block's text.

    ``open_mark`` is the comment or math mark that an earlier block left open. ``later_marks`` are
    the marks that occur in later blocks: a mark that is never closed opens nothing.
    """
    position = 0
    if open_mark:
        end = text.find(open_mark)
        if end < 0:
            return InlineReading((), (), open_mark)
        position = end + len(open_mark)
    if not open_mark and _is_plain(text):
        links = map(_wikilink_of, WIKILINK.finditer(text))
        return InlineReading(tuple(link for link in links if link is not None), (), "")
    return _reading(_Scan(text, later_marks, is_html=False), position)


def _reading(scan: "_Scan", position: int) -> InlineReading:
    """Return the links and tags of a text from ``position`` on."""
    while position >= 0 and (opener := _SPECIAL.search(scan.text, position)):
        position = _READERS[opener[0][0]](scan, opener.start(), opener.end())
    if not (scan.links or scan.tags or scan.left_open):
        return NOTHING
    return InlineReading(tuple(scan.links), tuple(scan.tags), scan.left_open)


def _is_plain(text: str) -> bool:
    """Return whether a text can contain no syntax except wikilinks; most texts are plain."""
    return not (
        "`" in text
        or "<" in text
        or "#" in text
        or "$" in text
        or "%" in text
        or "\\" in text
        or "](" in text
    )


def read_html(text: str, open_mark: str, later_marks: frozenset[str]) -> InlineReading:
    """Return the links and tags in the text of an HTML block.

    CommonMark does not read such text, but people write prose between HTML tags. So it is read like
    any text: a link in back-ticks is not a link. But a tag needs white space before it, so that the
    colors and anchors of a page are none.
    """
    if open_mark:
        end = text.find(open_mark)
        if end < 0:
            return InlineReading((), (), open_mark)
        # Keep the line ends of the hidden text, so that the lines below keep their numbers.
        text = "\n" * text.count("\n", 0, end) + text[end + len(open_mark) :]
    if _HTML_WITHOUT_TEXT.match(text):
        return NOTHING
    comment = text.rfind("<!--")
    if comment >= 0 and text.find("-->", comment + 2) < 0:
        text = text[:comment]  # a comment without an end continues to the end of the note
    return _reading(_Scan(text, later_marks, is_html=True), 0)


# One function for each opener, which spans ``[start, end)``. The function adds a link or a tag to
# ``scan``, and returns the position to continue at, -1 for the end of the text.


def _read_escape(scan: "_Scan", start: int, end: int) -> int:
    return scan.after(end) if scan.text[start + 1] in _PUNCTUATION else end


def _read_code(scan: "_Scan", start: int, end: int) -> int:
    code_end = scan.code_end(start, end - start)
    return scan.after(code_end) if code_end > end else end


def _read_wikilink(scan: "_Scan", start: int, _end: int) -> int:
    text = scan.text
    match = WIKILINK.match(text, start)
    if match is None or ("`" in match[1] and scan.code_span_crosses(start, match.end())):
        return start + 1
    link = _wikilink_of(match)
    if link is not None:
        if link.kind is LinkKind.EMBED and start == scan.joint:  # an escape ended here: ``\!``
            link = link._replace(kind=LinkKind.WIKI)
        scan.links.append(link)
    return scan.after(match.end())


def _wikilink_of(match: re.Match[str]) -> InlineLink | None:
    parts = None if is_tripled(match) else split_wikilink(match[1])
    if parts is None:
        return None
    start = match.start()
    is_embed = start > 0 and match.string[start - 1] == "!"
    return InlineLink(*parts, LinkKind.EMBED if is_embed else LinkKind.WIKI, start)


def _read_markdown_link(scan: "_Scan", start: int, end: int) -> int:
    """Read the Markdown link whose ``](`` is at ``start``, if it leads to a file of the vault."""
    text = scan.text
    match = _DESTINATION.match(text, start)
    opener = opening_bracket(text, start) if match is not None else -1
    if match is None or opener < 0:
        return end
    destination = unescapeAll(match[1] if match[1] is not None else match[2])
    if destination.startswith(("#", "//")) or _SCHEME.match(destination):
        return scan.after(match.end())
    # Split before decoding: a percent-encoded "#" (%23) is part of the file name.
    target, fragment = map(unquoted_if_utf8, destination.partition("#")[::2])
    extension = extension_of(target)
    if extension not in NOTE_EXTENSIONS and extension not in ATTACHMENT_EXTENSIONS:
        scan.url_end = scan.after(match.end())
        return end  # Logseq writes ``[shown]([[Page]])``
    shown = text[opener + 1 : start].strip()
    scan.links.append(
        InlineLink(target, fragment or None, shown or None, LinkKind.MARKDOWN, opener)
    )
    return scan.after(match.end())


def _read_tag(scan: "_Scan", start: int, end: int) -> int:
    match = _TAG.match(scan.text, start) if _may_begin_tag(scan, start) else None
    if match is None:
        return end
    tag = match[1].strip("/")
    if scan.text[start - 1 : start] == "_":
        tag = tag.rstrip("_")  # they end the emphasis
    if not tag or tag.isdecimal():
        return match.end()
    scan.tags.append(tag)
    return scan.after(match.end())


def _may_begin_tag(scan: "_Scan", start: int) -> bool:
    """Return whether the ``#`` at ``start`` may begin a tag.

    As in Obsidian, it begins the text of the block, of a table cell, of a link or of emphasis, or
    comes after white space or markup. Other signs before it are text, and then it is text, too. In
    a URL no sign is markup, and the label of a link is no text either.
    """
    text, before = scan.text, scan.text[start - 1 : start]
    if not before or before.isspace():
        return True
    if scan.is_html or start < scan.url_end:
        return False
    if start == scan.joint:
        return True
    if before in _EMPHASIS:
        mark, run = _EMPHASIS[before], start - 1
        while run > 0 and text[run - 1] == before:
            run -= 1
        return start - run >= len(mark) and scan.has_other(mark, run, start)
    if before == "[":
        is_text = text[start - 2 : start - 1] not in ("!", "[") and scan.find("]", start) >= 0
        return is_text and not is_label(text, start - 1, scan.joint)
    return before == "|" and scan.is_table


def _read_html(scan: "_Scan", start: int, end: int) -> int:
    """Skip the HTML tag, comment or autolink at ``start``."""
    text = scan.text
    for opener, terminator in _HTML_TERMINATORS:
        if text.startswith(opener, start):
            if opener == "<!" and not text[start + 2 : start + 3].isalpha():
                return end
            # "<!-->" is a complete comment: its end shares the dashes of its start.
            close = scan.find(terminator, start + 2)
            return scan.after(close + len(terminator)) if close >= 0 else end
    following = text[end : end + 1]
    if not (following.isalpha() or following == "/") or scan.find(">", start) < 0:
        return end
    last = min(len(text), start + _HTML_TAG_CHARACTERS_MAX)
    match = HTML_TAG_RE.match(text, start, last) or _AUTOLINK.match(text, start, last)
    return scan.after(match.end()) if match else end


def _read_comment(scan: "_Scan", start: int, end: int) -> int:
    """Skip a ``%%`` comment or display math, which may end in a later block."""
    mark = scan.text[start:end]
    close = scan.text.find(mark, end)
    if close >= 0:
        return scan.after(close + 2)
    if mark in scan.later_marks:
        scan.left_open = mark
        return -1
    return end


def _read_math(scan: "_Scan", start: int, end: int) -> int:
    """Skip math.

    As in Obsidian, inline math is on one line, has no space just inside either mark and no digit
    after the closing one.
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
    return scan.after(close + 1)


def _read_url(scan: "_Scan", start: int, end: int) -> int:
    """Note where the URL with ``://`` at ``start`` ends. A link in it is read as ever."""
    if start >= scan.url_end:
        after = _AFTER_URL.search(scan.text, end)
        scan.url_end = after.start() if after else len(scan.text)
    return end


_READERS: Mapping[str, Callable[["_Scan", int, int], int]] = {
    "\\": _read_escape,
    "`": _read_code,
    "<": _read_html,
    "%": _read_comment,
    "$": _read_math,
    "[": _read_wikilink,
    "]": _read_markdown_link,
    "#": _read_tag,
    ":": _read_url,
}


class _Scan:
    """The state of reading one text: its links and tags, and the results of searches ahead.

    All searches for one terminator together take linear time, and so do those for code spans.
    """

    def __init__(self, text: str, later_marks: frozenset[str], *, is_html: bool) -> None:
        self.text = text
        self.later_marks = later_marks
        self.is_html = is_html
        self.links: list[InlineLink] = []
        self.tags: list[str] = []
        self.left_open = ""
        self.joint = -1  # where markup ended last
        self.url_end = 0  # of the last URL
        self._runs: dict[int, list[int]] | None = None  # run length -> starts, ascending
        self._next: dict[str, int] = {}  # terminator -> its next position, len(text) for none

    @cached_property
    def is_table(self) -> bool:
        """Whether the text is a table."""
        return _TABLE_RULE.search(self.text) is not None

    def after(self, position: int) -> int:
        """Return ``position``, where markup ends."""
        self.joint = position
        return position

    def has_other(self, mark: str, start: int, end: int) -> bool:
        """Return whether the text has ``mark`` before ``start`` or after ``end``, too."""
        return self.find(mark, 0) < start or self.text.find(mark, end) >= 0

    def find(self, terminator: str, start: int) -> int:
        """Return the first position of ``terminator`` at or after ``start``, -1 for none.

        For one terminator ``start`` must not decrease. So a text of a million openers without a
        closer is searched once, not a million times.
        """
        position = self._next.get(terminator, -1)
        if position < start:
            position = self.text.find(terminator, start)
            if position < 0:
                position = len(self.text)
            self._next[terminator] = position
        return position if position < len(self.text) else -1

    def code_end(self, start: int, length: int) -> int:
        """Return the end of the code span whose run of back-ticks begins at ``start``.

        The next run of equal length closes it. Without one, the end of the run is returned.
        """
        if self._runs is None:
            self._runs = {}
            for run in _BACKTICKS.finditer(self.text):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        starts = self._runs.get(length, [])
        closer = bisect_right(starts, start)
        return (starts[closer] if closer < len(starts) else start) + length

    def code_span_crosses(self, start: int, end: int) -> bool:
        """Return whether a code span opens inside ``[start, end)`` and closes beyond it."""
        position = start
        while run := _BACKTICKS_OR_ESCAPE.search(self.text, position, end):
            if run[0][0] == "\\":
                position = run.end()
                continue
            position = self.code_end(run.start(), len(run[0]))
            if position > end:
                return True
        return False
