"""Links and tags in the text of one block, as Obsidian reads them.

A single pass from left to right over the characters that can open something: what opens first
wins, except that a code span wins over a link it cuts through, as in CommonMark. Comments
(``%%``) and display math (``$$``) may run on over later blocks, so the reading of one block hands
its open mark to the next. Every pattern here is linear: none can match the same text in two ways.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from urllib.parse import unquote

from markdown_it.common.html_re import HTML_TAG_RE

from clew.values.note import LinkKind

LINK_CHARACTERS_MAX = 2_000
TAG_CHARACTERS_MAX = 200
_HTML_TAG_CHARACTERS_MAX = 20_000

# https://help.obsidian.md/file-formats names the attachment formats.
ATTACHMENT_EXTENSIONS = frozenset(
    "avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav 3gp mkv mov mp4 ogv webm pdf canvas"
    " base".split()
)
NOTE_EXTENSIONS = frozenset(("md", "markdown"))


@dataclass(frozen=True, slots=True)
class InlineLink:
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

_WIKILINK = re.compile(r"\[\[([^\[\]\n]{1,%d})\]\]" % LINK_CHARACTERS_MAX)
_SPECIAL = re.compile(r"\\.|`+|<|%%|\$\$?|\[\[|\]\(|#", re.DOTALL)
_HTML_WITHOUT_TEXT = ("<script", "<style", "<pre", "<textarea")
_BACKTICKS = re.compile(r"`+")
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*>")
# Obsidian: a tag takes everything up to white space and most ASCII and general punctuation.
_TAG = re.compile(
    r"#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%%&()*+,.:;<=>?@^`{|}~\[\]\\\s]{1,%d})"
    % TAG_CHARACTERS_MAX
)
_DESTINATION = re.compile(
    r"\]\([ \t]*(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}(?:\([^\s()<>]{0,1000}\)[^\s()<>]{0,1000}){0,8}))"
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
    links: list[InlineLink] = []
    tags: list[str] = []
    position = 0
    if open_mark:
        end = text.find(open_mark)
        if end < 0:
            return InlineReading((), (), open_mark)
        position = end + len(open_mark)
    ahead = _Lookahead(text)
    while opener := _SPECIAL.search(text, position):
        mark, start = opener[0], opener.start()
        position = opener.end()
        first = mark[0]
        if first == "[":
            link = _wikilink(text, start, ahead)
            if link is None:
                position = start + 1
            else:
                position = link[1]
                if link[0] is not None:
                    links.append(link[0])
        elif first == "#":
            if tag := _tag(text, start):
                tags.append(tag)
                position = start + 1 + len(tag)
        elif first == "`":
            position = ahead.code_end(start, len(mark))
        elif first == "<":
            position = _html_end(text, start, ahead)
        elif first == "]":
            if found := _markdown_link(text, start):
                links.append(found[0])
                position = found[1]
        elif mark == "%%" or mark == "$$":
            end = text.find(mark, position)
            if end >= 0:
                position = end + 2
            elif mark in later_marks:
                return InlineReading(tuple(links), tuple(tags), mark)
        elif mark == "$":
            position = _math_end(text, start, ahead)
    if not links and not tags:
        return NOTHING
    return InlineReading(tuple(links), tuple(tags), "")


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


def _wikilink(text: str, start: int, ahead: "_Lookahead") -> tuple[InlineLink | None, int] | None:
    """Return the link at ``start`` and where to read on; no link there: ``None``."""
    match = _WIKILINK.match(text, start)
    if match is None:
        return None
    end = match.end()
    if "`" in match[1] and ahead.code_cuts(start, end):
        return None
    embed = start > 0 and text[start - 1] == "!"
    if start > 0 and text[start - 1] == "[" and text[end : end + 1] == "]":
        return None, end  # [[[x]]] is no link
    parts = split_wikilink(match[1])
    if parts is None:
        return None, end
    target, fragment, alias = parts
    kind = LinkKind.EMBED if embed else LinkKind.WIKI
    return InlineLink(target, fragment, alias, kind, start), end


def split_wikilink(inner: str) -> tuple[str, str | None, str | None] | None:
    """Split what stands between double brackets into target, fragment and alias.

    In a table the bar is written ``\\|``. No target and no fragment: no link.
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


def _markdown_link(text: str, start: int) -> tuple[InlineLink, int] | None:
    """Return the Markdown link whose ``](`` is at ``start``, if it leads to a file of the vault."""
    match = _DESTINATION.match(text, start)
    opener = text.rfind("[", max(0, start - LINK_CHARACTERS_MAX), start)
    if match is None or opener < 0:
        return None
    destination = unquote(match[1] if match[1] is not None else match[2])
    if destination.startswith(("#", "//")) or _SCHEME.match(destination):
        return None
    target, _, fragment = destination.partition("#")
    extension = target.rpartition(".")[2].lower()
    if extension not in NOTE_EXTENSIONS and extension not in ATTACHMENT_EXTENSIONS:
        return None
    shown = text[opener + 1 : start].strip()
    link = InlineLink(target, fragment or None, shown or None, LinkKind.MARKDOWN, opener)
    return link, match.end()


def _tag(text: str, start: int) -> str | None:
    if start > 0 and not text[start - 1].isspace():
        return None
    match = _TAG.match(text, start)
    if match is None:
        return None
    tag = match[1].strip("/")
    return None if not tag or tag.isdecimal() else match[1]


def _html_end(text: str, start: int, ahead: "_Lookahead") -> int:
    """Return where the tag, comment or autolink at ``start`` ends, else just past the ``<``."""
    for opener, terminator in _HTML_TERMINATORS:
        if text.startswith(opener, start):
            # "<!-->" is a whole comment: its end may share the opener's dashes.
            close = ahead.find(terminator, start + 2)
            return close + len(terminator) if close >= 0 else start + 1
    following = text[start + 1 : start + 2]
    if not (following.isalpha() or following == "/") or ahead.find(">", start) < 0:
        return start + 1
    end = min(len(text), start + _HTML_TAG_CHARACTERS_MAX)
    match = HTML_TAG_RE.match(text, start, end) or _AUTOLINK.match(text, start, end)
    return match.end() if match else start + 1


def _math_end(text: str, start: int, ahead: "_Lookahead") -> int:
    """Return where the inline math at ``start`` ends, else just past the ``$``.

    As Obsidian has it: on one line, no space just inside either mark, no digit after the closer.
    """
    if text[start + 1 : start + 2].isspace():
        return start + 1
    line_end = ahead.find("\n", start)
    close = text.find("$", start + 1, line_end if line_end >= 0 else len(text))
    if close < 0 or text[close - 1].isspace() or text[close + 1 : close + 2].isdigit():
        return start + 1
    return close + 1


class _Lookahead:
    """Where code spans and terminators of one text lie; each question costs linear time in all."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: dict[int, list[int]] | None = None  # run length -> starts, ascending
        self._next: dict[str, int] = {}  # terminator -> its last found place, len(text) for none

    def find(self, terminator: str, start: int) -> int:
        """Return the first place of ``terminator`` at or after ``start``, -1 for none.

        For one terminator ``start`` may only grow: that is what keeps a text of a million openers
        without a closer from being read a million times.
        """
        place = self._next.get(terminator, -1)
        if place < start:
            place = self._text.find(terminator, start)
            if place < 0:
                place = len(self._text)
            self._next[terminator] = place
        return place if place < len(self._text) else -1

    def code_end(self, start: int, length: int) -> int:
        """Return where the code span opened by the run at ``start`` ends, else just past the run.

        A run of back-ticks closes at the next run of equal length.
        """
        if self._runs is None:
            self._runs = {}
            for run in _BACKTICKS.finditer(self._text):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        starts = self._runs.get(length, [])
        closer = bisect_right(starts, start)
        return (starts[closer] if closer < len(starts) else start) + length

    def code_cuts(self, start: int, end: int) -> bool:
        """Tell whether a code span opens inside ``[start, end)`` and closes beyond it."""
        position = start
        while run := _BACKTICKS.search(self._text, position, end):
            position = self.code_end(run.start(), len(run[0]))
            if position > end:
                return True
        return False
