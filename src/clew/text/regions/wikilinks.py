r"""Wikilinks: where they are in a text, and their parts.

A link may have single brackets in pairs: Obsidian writes ``[[Note#Array [0]]]`` for a heading with
brackets, and people write ``[[Note|[1]]]`` to cite. It may have a closing one alone too, as
``[[Sq]uare]]``. Only ``[[`` and ``]]`` are no part of a link.
"""

import re
from collections.abc import Iterator

LinkParts = tuple[str, str | None, str | None]  # target, fragment and alias

CHARACTERS_MAX = 2_000
_SINGLE_MAX = 8  # pairs of single brackets, or closing ones
_PLAIN = r"[^\[\]\n]"
# The text between the brackets of a link. It does not begin with one: ``[[[x]]]`` is no link.
INNER = (
    rf"{_PLAIN}{{1,{CHARACTERS_MAX}}}"
    rf"(?:(?>\[{_PLAIN}{{0,200}}\]|(?<!\])\](?!\])){_PLAIN}{{0,200}}){{0,{_SINGLE_MAX}}}"
)
WIKILINK = re.compile(rf"\[\[({INNER})\]\]")


def is_tripled(match: re.Match[str]) -> bool:
    """Return whether there is a third bracket on both sides: ``[[[x]]]`` is not a link.

    But ``^[[[x]]]`` is a footnote in the line that has nothing but the link.
    """
    text, start, end = match.string, match.start(), match.end()
    has_bracket_before = start > 0 and text[start - 1] == "["
    is_footnote = has_bracket_before and text[start - 2 : start - 1] == "^"
    return has_bracket_before and not is_footnote and text[end : end + 1] == "]"


def split_wikilink(inner: str) -> LinkParts | None:
    r"""Split the text between double brackets into target, fragment and alias.

    In a table the bar is written ``\|``. If both target and fragment are empty, it is not a link.
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


def wikilinks_in(text: str) -> Iterator[LinkParts]:
    """Yield target, fragment and alias of each wikilink in a text that is not Markdown."""
    for match in WIKILINK.finditer(text):
        parts = None if is_tripled(match) else split_wikilink(match[1])
        if parts is not None:
            yield parts


def without_wikilinks(text: str, gap: str) -> str:
    """Return a text that is not Markdown with ``gap`` in place of each wikilink."""
    return WIKILINK.sub(lambda match: match[0] if is_tripled(match) else gap, text)
