"""The square brackets of Markdown links, and the labels of reference links."""

from clew.text.regions.wikilinks import CHARACTERS_MAX

_BRACKETS_WITHIN_MAX = 8
_INDENT_MAX = 3  # spaces before a definition


def opening_bracket(text: str, closing: int) -> int:
    """Return the position of the ``[`` that ``]`` at ``closing`` closes, -1 if it is too far."""
    first = max(0, closing - CHARACTERS_MAX)
    opener, unmatched = closing, 1
    for _ in range(_BRACKETS_WITHIN_MAX):
        before = text.rfind("[", first, opener)
        if before < 0:
            return -1
        unmatched += text.count("]", before, opener) - text.count("\\]", before, opener)
        opener = before
        if text[opener - 1 : opener] != "\\":
            unmatched -= 1
        if unmatched == 0:
            return opener
    return -1


def is_label(text: str, start: int, markup_end: int) -> bool:
    """Return whether the ``[`` at ``start`` opens a label: ``[shown][label]``, ``[label]: target``.

    ``markup_end``: where the markup before it ends, since ``[[x]]`` shows nothing for a label.
    """
    if text[start - 1 : start] == "]" and start != markup_end:
        return opening_bracket(text, start - 1) >= 0
    before = text[max(0, start - _INDENT_MAX - 1) : start]
    is_first = not before.rpartition("\n")[2].strip() and ("\n" in before or len(before) == start)
    close = text.find("]", start, start + CHARACTERS_MAX) if is_first else -1
    return close >= 0 and text.startswith(":", close + 1)
