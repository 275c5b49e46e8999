"""The properties of a note as the lines of its front matter.

They are read as lines rather than YAML: they must be found where YAML has an error, too.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clew.text.dates.date_keys import CREATED_KEYS, MODIFIED_KEYS, key_form
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.rendered import render

# Properties that name, date or show a note, and tell nothing of its subject.
LABELS = frozenset(
    (
        *CREATED_KEYS,
        *MODIFIED_KEYS,
        *["title", "alias", "aliases", "tag", "tags", "lang", "cssclass", "cssclasses"],
    )
)
CHARACTERS_MAX = 4_000  # of front matter that is looked at
PROPERTIES_MAX = 100  # of a note that are shown
_LATER = r"[^:\n]{0,100}"  # the characters of a key after its first one
# Any key that is not indented begins a property.
_KEY = re.compile(rf"^([^\s:#-]{_LATER}):", re.MULTILINE)
# A property is shown as "key: value" only if its key is plain YAML, and no URL or quoted text.
_PLAIN_KEY = re.compile(rf"^([^\s:#'\"-]{_LATER}):(?:\s|$)")
# The names of labels are not indexed at any depth, and not in lists either.
_NESTED_KEY = re.compile(rf"^[ \t-]*([^\s:#]{_LATER}):(?=\s)", re.MULTILINE)
# A value that says nothing of a subject: a number, a date with or without a time, a flag.
_NO_SUBJECT = re.compile(r"(?:[\W\d_]|(?<=\d)[TZ])*|true|false|null")
_LIST_MARKS = "-[]{},'\"| \t"


class PropertyLines(NamedTuple):
    """Where the properties of a note are: from the first that is no label to the last."""

    start: int  # in characters of the note's text
    end: int
    text: str  # of the properties alone, without labels between them


def has_properties(text: str) -> bool:
    """Return whether a note with this text has front matter beyond names, tags and dates."""
    head = split(text).frontmatter or ""
    return not LABELS.issuperset(map(key_form, _KEY.findall(head)))


def property_spans(text: str) -> list[tuple[int, int]]:
    """Return where each property of a note that is no label begins and ends, with its values."""
    head = (split(text).frontmatter or "")[:CHARACTERS_MAX].removesuffix("---")
    keys = [*_KEY.finditer(head)]
    ends = [*(each.start() for each in keys[1:]), len(head)]
    return [
        (each.start(), each.start() + len(head[each.start() : end].rstrip()))
        for each, end in zip(keys, ends[: len(keys)], strict=True)
        if key_form(each[1]) not in LABELS and head[each.end() : end].strip()
    ]


def property_lines(text: str) -> PropertyLines | None:
    """Return the lines of a note's properties that are no labels; ``None`` if there are none."""
    spans = property_spans(text)
    if not spans:
        return None
    start, end = spans[0][0], spans[-1][1]
    return PropertyLines(start, end, "\n".join(text[first:last] for first, last in spans))


def named_properties(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the properties of a note; a list is shown with commas."""
    key, count = "", 0
    values: list[str] = []
    for line in (split(text).frontmatter or "").split("\n"):
        if match := _PLAIN_KEY.match(line):
            if key:
                yield key, _shown(values)
            key, values, count = match[1].strip(), [line[match.end() :]], count + 1
            if count > PROPERTIES_MAX:
                return
        else:
            values.append(line)
    if key:
        yield key, _shown(values)


def telling_values(text: str) -> Iterator[str]:
    """Yield the values of a note's properties that say something of its subject in words.

    Labels, numbers, dates, flags and addresses of pages do not.
    """
    for key, value in named_properties(text):
        items = () if key_form(key) in LABELS else value.split(", ")
        telling = [each for each in items if "://" not in each and not _NO_SUBJECT.fullmatch(each)]
        if telling:
            yield ", ".join(telling)


def _shown(values: Sequence[str]) -> str:
    items = (render(value).strip(_LIST_MARKS) for line in values for value in line.split(", "))
    return ", ".join(filter(None, items))


def properties_without_labels(text: str) -> str:
    """Return the front matter at the start of ``text``, without the names of ``LABELS``."""
    matter = split(text).frontmatter
    return _NESTED_KEY.sub(_subject_key, matter) if matter is not None else ""


def _subject_key(key: re.Match[str]) -> str:
    return " " if key_form(key[1]) in LABELS else key[0]
