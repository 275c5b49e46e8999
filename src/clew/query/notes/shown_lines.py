"""A line of a note as replies show it."""

from clew.text.masking.secrets import masked

LINE_CHARACTERS_MAX = 240


def shown_line(line: str) -> str:
    """Return a line without white space at its ends and without secrets, cut if it is long."""
    text = masked(line)[0].strip()
    if len(text) <= LINE_CHARACTERS_MAX:
        return text
    return text[: LINE_CHARACTERS_MAX - 1].rstrip() + "…"
