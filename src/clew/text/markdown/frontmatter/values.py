"""Front matter values: their text, links to notes, and placeholders of templates.

A link is ``[[Note]]``, a path or name, or a ``memory://`` URI. Without quotes, YAML reads
``[[Note]]`` as a list in a list, which is understood too.
"""

from collections.abc import Iterator

from clew.text.filename import absolute_target
from clew.text.regions.placeholders import has_placeholder
from clew.text.regions.wikilinks import wikilinks_in
from clew.text.uri import SCHEME, from_uri

TARGETS_MAX = 100  # of one key; the rest is left out
SHOWN_CHARACTERS_MAX = 60  # of a wrong value, in its problem
GROUP_AS_KEY = "? line "  # begins the text that replaces a key which is itself a group


class Text(str):
    """A YAML scalar with its 1-based first line in the note."""

    __slots__ = ("line", "source")
    line: int
    source: str  # as it is written, with quotes and line ends; empty if it has no link


def one_line(text: str) -> str:
    """Return ``text`` with single spaces in place of line ends and other white space."""
    return " ".join(text.split())


def is_placeholder(value: object) -> bool:
    """Return whether a value holds a placeholder: ``{{date}}``, ``<% tp.date.now() %>``.

    Without quotes, YAML reads ``{{date}}`` as a group with a group as its only key.
    """
    if isinstance(value, dict):
        return bool(value) and all(key.startswith(GROUP_AS_KEY) for key in value)
    return isinstance(value, str) and has_placeholder(value)


def targets_of(value: object, path: str) -> tuple[str, ...] | None:
    """Return what the links of a value in the note at ``path`` lead to; each once, in their order.

    Relative targets are made absolute. ``None``: it is neither a link nor a list of links.
    """
    texts = list(_texts(value))
    if None in texts:
        return None
    targets = (target.strip() for text in texts if text for target in _targets(text))
    found = dict.fromkeys(absolute_target(each, path) or each for each in targets if each)
    return tuple(found)[:TARGETS_MAX]


def _texts(value: object) -> Iterator[str | None]:
    """Yield the texts of a value, ``None`` for what is no text."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list) and len(item) == 1 and isinstance(item[0], list):
            yield from _texts(item)  # an item ``[[Note]]`` of a list
        elif isinstance(item, list):
            is_text = all(isinstance(part, str) for part in item)
            yield ", ".join(item) if is_text else None
        else:
            yield item if isinstance(item, str) else None


def _targets(text: str) -> Iterator[str]:
    if "[[" in text:
        yield from (target for target, _, _ in wikilinks_in(text))
    elif text.startswith(SCHEME):
        yield from_uri(text.partition("#")[0])
    else:
        yield text.partition("#")[0]
