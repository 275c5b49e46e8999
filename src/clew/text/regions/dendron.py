"""Links of Dendron, which has the label first: ``[[The beta|proj.beta]]``.

Obsidian has the target first, so links are read in Dendron's way only in notes that Dendron made,
and only where the second part is a name of its kind: ``proj.beta`` or ``dendron://vault/proj``.
"""

import re
from typing import NamedTuple

# What Dendron writes into front matter: an id, a description, and times in milliseconds.
_KEYS = (
    re.compile(r"^id: *\S", re.MULTILINE),
    re.compile(r"^desc:", re.MULTILINE),
    re.compile(r"^updated: *[0-9]{13}$", re.MULTILINE),
    re.compile(r"^created: *[0-9]{13}$", re.MULTILINE),
)
# Matched from the start of a part of a link alone, in linear time.
NAME = re.compile(r"(?:dendron://[^\s/]+/)?[^\s/.#]+(?:\.[^\s/.#]+)+(?:#.*)?|dendron://\S+")
_IN_VAULT = re.compile(r"dendron://[^/]*/")


class Parts(NamedTuple):
    """The parts of a link."""

    target: str
    fragment: str | None
    alias: str | None


def is_of_dendron(frontmatter: str) -> bool:
    """Return whether Dendron made the note that has this front matter."""
    return all(key.search(frontmatter) for key in _KEYS)


def as_in_dendron(parts: Parts) -> Parts:
    """Return what Dendron means by a link; ``parts`` are those that Obsidian reads."""
    target, fragment, alias = parts
    if alias and NAME.fullmatch(alias) and not NAME.fullmatch(target):
        label = target if fragment is None else f"{target}#{fragment}"
        target, _, fragment = alias.partition("#")
        alias = label
    return Parts(_IN_VAULT.sub("", target, count=1), fragment or None, alias)
