"""Render a passage for an excerpt: its text without comments, tags, fences and link targets.

Search indexes more than is shown: ``rendered`` keeps what may be searched for.
"""

import re

from clew.text.markdown.rendered import render
from clew.text.regions.comments import without_comments
from clew.text.regions.fenced_code import Code, code_within
from clew.text.regions.noise import EMBEDDED_BASE, KEPT_BY_PROGRAMS

_SETTINGS = frozenset(("button", "meta-bind-button"))  # languages of fences that show a button
_CALLOUT = re.compile(r"^([ \t>]*)\[![\w|-]{1,50}\][+-]?", re.MULTILINE)
_REFERENCE = re.compile(r"^[ \t>]{0,20}\[(?!\^)[^\[\]\n]{1,300}\]:[ \t]*\S[^\n]*$", re.MULTILINE)
_KEPT_BY_PROGRAMS = re.compile(rf"(?:\A|\n)[ \t>]{{0,40}}{KEPT_BY_PROGRAMS}(?=\n|\Z)")
_REFERRING_LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,300}\]")
_EMBEDDED_BASE = re.compile(rf"^[ \t>*+-]{{0,20}}{EMBEDDED_BASE}[ \t]*$", re.MULTILINE)
_LINK_WITHOUT_TEXT = re.compile(r"!?\[\]\([^()\n]{0,1000}\)")
_URL = r"[A-Za-z][A-Za-z0-9+.-]{1,20}://(?:[^\s()<>]|\([^\s()<>]{0,300}\))+(?<![.,;:!?'\"*_])"
# What is not shown. The leftmost wins, so that signs inside of code or of a comment mean nothing.
# A comment without an end hides the rest of the passage.
_HIDDEN = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)|<%.*?(?:%>|\Z)"
    rf"|<{_URL}>|(?<![A-Za-z0-9]){_URL}"
    r"|</?(?P<tag>[A-Za-z][A-Za-z0-9-]*)(?:[\s/][^<>]*)?>",
    re.DOTALL,
)
_BUTTON = re.compile(r"`{1,9}\s{0,9}(?:BUTTON\[[^\]]{0,300}\]|button-[\w-]{1,300})\s{0,9}`{1,9}")
# Tags that end a line or a cell: words on both sides of them are apart.
_BLOCK_TAG = re.compile(r"br|hr|p|div|li|t[dhr]|d[dt]|h[1-6]|summary|figcaption", re.IGNORECASE)
_EMPTY_BRACKETS = re.compile(r"(?<!\w)(?:\(\s*\)|<\s*>)")  # after a word they belong to a call


def shown_text(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` as an excerpt shows it; ``text`` is that of the whole note.

    Links are shown by their text, code without its fences. HTML tags and comments, ``%%`` comments,
    buttons, URLs, definitions of link references, embedded bases and what programs keep for
    themselves are left out.
    """
    runs: list[str] = []
    at = start
    for code in code_within(text, start, end):
        if at < code.start:
            runs.append(_shown_prose(without_comments(text, at, code.start - 1)))
        first, last = max(start, code.first), min(end, code.last)
        if first < last and _language(code) not in _SETTINGS:
            runs.append(without_comments(text, first, last).removesuffix("\n"))
        at = text.find("\n", code.last) + 1 or len(text)
    if at < end or not runs:
        runs.append(_shown_prose(without_comments(text, at, end)))
    return "\n".join(runs)


def _language(code: Code) -> str:
    return code.fence.strip("`~ \t").lower()


def _shown_prose(prose: str) -> str:
    # Most prose has none of these: looking for a few characters is far faster than each pattern.
    if "[!" in prose:
        prose = _CALLOUT.sub(r"\1## ", prose)  # its title reads as a heading
    if "::" in prose or "LOGBOOK" in prose or "EXCALIDRAW" in prose:
        prose = _KEPT_BY_PROGRAMS.sub("", prose)
    if "]:" in prose:
        prose = _REFERENCE.sub("", prose)
    if ".base" in prose:
        prose = _EMBEDDED_BASE.sub("", prose)
    if "[](" in prose:
        prose = _LINK_WITHOUT_TEXT.sub("", prose)
    if "][" in prose:
        prose = _REFERRING_LINK.sub(r"\1", prose)
    rendered = render(f"\n{prose}")[1:]  # a block id may begin the line after a fence
    if _may_hide(rendered):
        rendered = _HIDDEN.sub(_kept, rendered)
    if "(" in rendered or "<" in rendered:
        rendered = _EMPTY_BRACKETS.sub("", rendered)
    return rendered


def _may_hide(text: str) -> bool:
    """Return whether ``text`` has a sign of what ``_HIDDEN`` replaces."""
    return "<" in text or "://" in text or "%%" in text or "BUTTON[" in text or "button-" in text


def _kept(hidden: re.Match[str]) -> str:
    """Return what is shown instead of a match of ``_HIDDEN``."""
    if code := hidden["code"]:
        return "" if _BUTTON.fullmatch(code) else code
    tag = hidden["tag"]
    return " " if tag and _BLOCK_TAG.fullmatch(tag) else ""
