"""Lines of a note that tell a reader nothing, which can be left out without a mark.

They are definitions of link references, thematic breaks, comments, list items and HTML tags without
text, embedded bases, which are tables that Obsidian computes, and what programs keep for
themselves. Comments are left out within lines and over several lines too, unless they are open.
"""

import re

# Text that Logseq keeps in a block and does not show: the properties it hides, with values as it
# writes them, and its clock. Also the remark in each drawing of Excalidraw.
KEPT_BY_PROGRAMS = (
    r"(?:[-*+][ \t]{1,9})?(?:"
    r"id::[ \t]{1,9}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|collapsed::[ \t]{1,9}(?:true|false)"
    r"|heading::[ \t]{1,9}(?:true|[1-6])"
    r"|(?:created|updated)-at::[ \t]{1,9}[0-9]{10,13}"
    r"|(?:card-(?:last-interval|repeats|last-reviewed|next-schedule|ease-factor|last-score)"
    r"|hl-(?:page|stamp|color|type)|ls-type|logseq\.[a-z.-]{1,50}"
    r"|query-(?:table|properties|sort-by|sort-desc))::[ \t][^\n]*"
    r"|:LOGBOOK:|:END:|CLOCK: \[[^\n]*"
    r"|==⚠[ \t]{1,9}Switch to EXCALIDRAW VIEW[^\n]*"
    r")[ \t]*"
)
EMBEDDED_BASE = r"!\[\[[^\[\]\n|#]{1,300}\.base(?:[|#][^\[\]\n]{0,300})?\]\]"
_NOISE = re.compile(
    r"(?<![ \t])[ \t]*(?:"
    r"\[(?!\^)[^\[\]\n]{1,300}\]:[ \t]*\S.*"  # a definition of a link reference; no footnote
    r"|[-*+][ \t]*"  # a list item without text
    r"|(?P<rule>[-*_])(?:[ \t]*(?P=rule)){2,}[ \t]*"
    r"|(?:<(?:!--[^<>]*--|/?[A-Za-z][A-Za-z0-9-]*(?:[\s/][^<>]*)?)>[ \t]*)+"
    r"|%%(?:[^%]|%(?!%))*%%[ \t]*"
    rf"|(?:[-*+][ \t]{{1,9}})?{EMBEDDED_BASE}[ \t]*"
    rf"|{KEPT_BY_PROGRAMS}"
    r")"
)
_KEPT = re.compile(KEPT_BY_PROGRAMS)
_TAGS = re.compile(r"(?<![ \t])[ \t]*(?:#[^\s#]+[ \t]*)+")
_BREAK = re.compile(r" {0,3}(?P<rule>[-*_])(?:[ \t]*(?P=rule)){2,}[ \t]*")
LINE_CHARACTERS_MAX = 4_000  # a longer line is text


def is_noise(line: str) -> bool:
    """Return whether a line that is not blank tells a reader nothing."""
    return len(line) <= LINE_CHARACTERS_MAX and _NOISE.fullmatch(line) is not None


def is_break(line: str) -> bool:
    """Return whether a line is a thematic break, if no paragraph is above it."""
    return (
        line[:1] in " -*_"
        and len(line) <= LINE_CHARACTERS_MAX
        and _BREAK.fullmatch(line) is not None
    )


def is_only_tags(line: str) -> bool:
    """Return whether a line has tags and no other word: tags are fields of the note."""
    return len(line) <= LINE_CHARACTERS_MAX and _TAGS.fullmatch(line) is not None


def has_text(text: str) -> bool:
    """Return whether any line of ``text`` tells a reader something besides tags."""
    if begins_with_text(text):
        return True
    if not text.strip(" \t>\n"):  # as text between two pieces is mostly
        return False
    return any(
        begins_with_text(line)
        or (line.strip(" \t>") and not (is_noise(line) or is_only_tags(line)))
        for line in text.split("\n")
    )


def begins_with_text(text: str, at: int = 0) -> bool:
    """Return whether a letter or digit at ``at`` shows that the line from there tells something.

    That takes a fraction of the time to look for noise. Of all noise only what programs keep for
    themselves begins so.
    """
    return text[at : at + 1].isalnum() and _KEPT.match(text, at) is None
