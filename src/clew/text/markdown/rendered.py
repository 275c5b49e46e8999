"""Render Markdown as people read it: links as their link text, without block ids."""

import re
from bisect import bisect_left
from operator import itemgetter

# Single ones in a wikilink: a pair, or a closing one.
_BRACKETS = r"(?:\[[^\[\]\n]{0,300}+\]|(?<!\])\](?!\]))"
_TARGET = rf"[^\[\]|\n]{{0,300}}+(?:{_BRACKETS}[^\[\]|\n]{{0,300}}+){{0,8}}\|"
_SHOWN = rf"(?:[^\[\]\n]{{1,300}}+|{_BRACKETS}){{1,16}}"
_WIKILINK = re.compile(rf"(?:!\[|\[)\[(?:{_TARGET})?({_SHOWN})\]\]")
_MARKDOWN_LINK = re.compile(
    r"(?:!\[|\[)([^\[\]\n]{1,300})\]"
    r"\((<[^<>\n]{1,1000}>|(?:[^()\s]|\([^()\s]{0,100}\)){1,1000})(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_LINK_DEPTH = 2  # the link text of a link may be an image
# Code spans and code fenced by back-ticks, and links whose text has code spans.
# ``re`` skips to the first character of a pattern only if that is a literal or one of a few.
_CODE = re.compile(r"((`(?<!``)`*)(?!`).*?(?<!`)\2(?!`))", re.DOTALL)
_SPAN = r"`[^`\n]{1,300}`"
_LINK_WITH_CODE = re.compile(
    rf"(?:!\[|\[)(?:\[[^\[\]|`\n]{{0,300}}\|((?:[^\[\]|`\n]|{_SPAN}){{1,300}})\]\]"
    rf"|((?:[^\[\]`\n]|{_SPAN}){{1,300}})\]\((?:[^()\s`]|\([^()\s`]{{0,100}}\)){{1,1000}}\))"
)
# Code, or the size of an image by Obsidian: ``![[a.png|300x200]]``, ``![text|300](a.png)``.
# In tables the bar has a back-slash before it.
_IMAGE_PART = rf"(?:[^\[\]\n|]|{_BRACKETS}){{1,300}}"
_CODE_OR_SIZE = re.compile(
    rf"{_CODE.pattern}"
    rf"|(!\[\[?{_IMAGE_PART}(?:\|{_IMAGE_PART})?(?<!\\))\\?\|\d{{1,4}}(?:x\d{{1,4}})?(?=\])",
    re.DOTALL,
)
_LINK_TEXT = itemgetter(1)  # of a match; faster than the template ``\1``, which is Python code
_BLOCK_ID = re.compile(r"(?<=\s)\^[A-Za-z0-9-]{1,100}[ \t]*$", re.MULTILINE)


def render(text: str) -> str:
    """Replace links in ``text`` by their link text, and drop block ids and sizes of images.

    Code stays as it is if both its start and its end are in ``text``.
    """
    if "![" in text:
        text = _CODE_OR_SIZE.sub(r"\1\3", text)
    if "`" not in text:
        return _render_prose(text)
    text = _render_links_with_code(text)
    parts = _CODE.split(text)  # text, code, its back-ticks, text, ...
    parts[::3] = map(_render_prose, parts[::3])
    del parts[2::3]
    return "".join(parts)


def _render_links_with_code(text: str) -> str:
    """Replace links whose text has code by that text, but for links inside of code."""
    if "](" not in text and "[[" not in text:
        return text
    code = [match.span() for match in _CODE.finditer(text)]

    def shown(link: re.Match[str]) -> str:
        before = bisect_left(code, (link.start(), 0)) - 1
        is_code = before >= 0 and link.start() < code[before][1]
        return link[0] if is_code else link[1] or link[2]

    return _LINK_WITH_CODE.sub(shown, text)


def _render_prose(text: str) -> str:
    text = render_wikilinks(text)
    if "](" in text:
        for _ in range(_LINK_DEPTH):
            text = _MARKDOWN_LINK.sub(_LINK_TEXT, text)
    return _BLOCK_ID.sub("", text) if "^" in text else text


def render_wikilinks(text: str) -> str:
    """Replace wikilinks in ``text`` by their link text."""
    return _WIKILINK.sub(_LINK_TEXT, text) if "[[" in text else text


def link_destinations(text: str) -> str:
    """Return the destinations of the Markdown links in ``text``, which ``render`` drops, as lines.

    Targets of wikilinks are left out: search finds those through the graph.
    """
    if "](" not in text:
        return ""
    return "\n".join(target for _, target in _MARKDOWN_LINK.findall(text))
