"""The lines of front matter that say more of a note than its names, tags and dates.

They are read as lines rather than YAML: they must be found where YAML has an error, too.
"""

import re
from typing import NamedTuple

from clew.text.dates.date_keys import CREATED_KEYS, MODIFIED_KEYS, key_form
from clew.text.markdown.frontmatter_split import split

# Properties that name, date or show a note, and tell nothing of its subject.
LABELS = frozenset(
    (
        *CREATED_KEYS,
        *MODIFIED_KEYS,
        *["title", "alias", "aliases", "tag", "tags", "lang", "cssclass", "cssclasses"],
    )
)
CHARACTERS_MAX = 4_000  # of front matter that is looked at
_KEY = re.compile(r"^([^\s:#-][^:\n]{0,100}):", re.MULTILINE)


class PropertyLines(NamedTuple):
    """Where the properties of a note are: from the first that is no label to the last."""

    start: int  # in characters of the note's text
    end: int
    text: str  # of the properties alone, without labels between them


def has_properties(text: str) -> bool:
    """Return whether a note with this text has front matter beyond names, tags and dates."""
    head = split(text).frontmatter or ""
    return not LABELS.issuperset(map(key_form, _KEY.findall(head)))


def property_lines(text: str) -> PropertyLines | None:
    """Return the lines of a note's properties that are no labels; ``None`` if there are none."""
    head = (split(text).frontmatter or "")[:CHARACTERS_MAX].removesuffix("---")
    keys = [*_KEY.finditer(head)]
    ends = [*(each.start() for each in keys[1:]), len(head)]
    spans = [
        (each.start(), end)
        for each, end in zip(keys, ends[: len(keys)], strict=True)
        if key_form(each[1]) not in LABELS and head[each.end() : end].strip()
    ]
    if not spans:
        return None
    start, end = spans[0][0], spans[-1][1]
    end = start + len(head[start:end].rstrip())
    return PropertyLines(start, end, "".join(head[first:last] for first, last in spans))
