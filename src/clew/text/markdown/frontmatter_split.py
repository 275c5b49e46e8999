"""Split a note's text into front matter and body."""

import re
from dataclasses import dataclass

CLOSING = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Split:
    """The front matter and the body of a note's text."""

    frontmatter: str | None  # with both ``---`` lines; None when there is none
    body: str
    body_line: int  # 0-based line of the note where the body begins
    unclosed: bool  # the text begins like front matter that does not end


def split(text: str) -> Split:
    """Split ``text``; it has front matter only if line 1 is exactly ``---``."""
    if not text.startswith("---\n"):
        return Split(None, text, 0, text == "---")
    closing = CLOSING.search(text, 4)
    if closing is None:
        return Split(None, text, 0, True)
    head = text[: closing.end()]
    return Split(head, text[closing.end() + 1 :], head.count("\n") + 1, False)
