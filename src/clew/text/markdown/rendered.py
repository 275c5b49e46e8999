"""Markdown as people see it: links by what they show, no ids of blocks; code as it is."""

import re

_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|\n]{0,300}\|)?([^\[\]|\n]{1,300})\]\]")
_MARKDOWN_LINK = re.compile(
    r"!?\[([^\[\]\n]{1,300})\]"
    r"\((<[^<>\n]{1,1000}>|(?:[^()\s]|\([^()\s]{0,100}\)){1,1000})(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_LINK_DEPTH = 2  # a link may show a picture
# Spans of code, and what is fenced by back-ticks.
_CODE = re.compile(r"(?<!`)((`+)(?!`).*?(?<!`)\2(?!`))", re.DOTALL)
_BLOCK_ID = re.compile(r"(?<=\s)\^[A-Za-z0-9-]{1,100}[ \t]*$", re.MULTILINE)


def shown(text: str) -> str:
    """Return ``text`` with its links as what they show, and without ids of blocks.

    Code is left alone, as far as the text has both of its ends.
    """
    if "`" not in text:
        return _shown(text)
    parts = _CODE.split(text)  # text, code, its back-ticks, text, ...
    parts[::3] = map(_shown, parts[::3])
    del parts[2::3]
    return "".join(parts)


def _shown(text: str) -> str:
    text = wikilinks_shown(text)
    if "](" in text:
        for _ in range(_LINK_DEPTH):
            text = _MARKDOWN_LINK.sub(r"\1", text)
    return _BLOCK_ID.sub("", text) if "^" in text else text


def wikilinks_shown(text: str) -> str:
    """Return ``text`` with its wikilinks as what they show."""
    return _WIKILINK.sub(r"\1", text) if "[[" in text else text


def hidden(text: str) -> str:
    """Return where the Markdown links of ``text`` lead, a line each: ``shown`` has none of that.

    Where wikilinks lead is the graph's to know.
    """
    if "](" not in text:
        return ""
    return "\n".join(target for _, target in _MARKDOWN_LINK.findall(text))
