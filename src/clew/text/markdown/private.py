"""Whether a note that cannot be parsed seems to be private.

Front matter with one wrong line says nothing, by the rules of YAML. A note must not become visible
by a typing error, so its lines are then searched for the key itself.
"""

import re

from clew.text.markdown.frontmatter_split import CLOSING

HEAD_CHARACTERS_MAX = 65_536  # of the text that are searched

_PRIVATE = re.compile(
    r"^[ \t]{0,20}[\"']?private[\"']?[ \t]{0,20}:[ \t]{0,20}(?!(?:false|no|off)\b)[^\s#]",
    re.IGNORECASE | re.MULTILINE,
)


def seems_private(text: str) -> bool:
    """Return whether the front matter that ``text`` begins with has a line that says ``private``.

    Any value but an empty one, ``false``, ``no`` and ``off`` counts. Front matter that does not end
    is taken to end at the first empty line.
    """
    head = text[:HEAD_CHARACTERS_MAX]
    if not head.startswith("---\n"):
        return False
    closing = CLOSING.search(head, 4)
    keys = head[4 : closing.start()] if closing else head[4:].partition("\n\n")[0]
    return _PRIVATE.search(keys) is not None
