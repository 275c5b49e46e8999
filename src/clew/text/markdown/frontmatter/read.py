"""Read front matter into typed fields and links, with a problem for each wrong value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import yaml

from clew.text.dates.date_keys import DEFAULT_DATE_KEYS, DateKeys
from clew.text.filename import absolute_target
from clew.text.markdown.frontmatter.fields import read_fields
from clew.text.markdown.frontmatter.safe_yaml import NotMapping, Refused, keys_and_values
from clew.text.markdown.frontmatter.values import (
    SHOWN_CHARACTERS_MAX,
    Text,
    is_placeholder,
    one_line,
)
from clew.text.markdown.private import seems_private
from clew.text.masking.secrets import cut_before_secret
from clew.text.regions.wikilinks import LinkParts, wikilinks_in
from clew.values.note import Fields, LinkKind, Problem, Wikilink

LINKS_MAX = 5_000

_KEY_LINE = re.compile(r"---\n\s{0,20}[\w\"'?{-][^\n:]{0,100}:")


@dataclass(frozen=True, slots=True)
class Reading:
    """The fields, links and problems of a note's front matter."""

    fields: Fields
    links: tuple[Wikilink, ...]
    problems: tuple[Problem, ...]
    is_mapping: bool  # false: it is body text between two horizontal rules


def read_frontmatter(path: str, head: str, date_keys: DateKeys = DEFAULT_DATE_KEYS) -> Reading:
    """Read the front matter ``head``, which includes both ``---`` lines.

    The dates are those of ``date_keys``. Never fails: YAML that cannot be read gives default fields
    and one problem; of its keys only ``private`` counts.
    """
    try:
        metadata = keys_and_values(head)
    except NotMapping:
        return _not_keys(path, head, "not a mapping of keys to values")
    except Refused as error:
        return _unreadable(path, head, str(error), error.line + 2)
    except yaml.MarkedYAMLError as error:
        if not looks_like_keys(head):
            return _not_keys(path, head, error.problem or "not valid YAML")
        line = error.problem_mark.line + 2 if error.problem_mark else None
        return _unreadable(path, head, error.problem or "not valid YAML", line)
    except (yaml.YAMLError, ValueError) as error:
        return _unreadable(path, head, f"not valid YAML: {error}".splitlines()[0], None)
    problems: list[Problem] = []
    links = tuple(_links(path, metadata, problems))
    fields = read_fields(path, metadata, date_keys, problems)
    return Reading(fields, links, tuple(problems), is_mapping=True)


def looks_like_keys(text: str) -> bool:
    """Return whether line 2 is a key, so that the text is front matter, not a horizontal rule."""
    return _KEY_LINE.match(text) is not None


def _not_keys(path: str, head: str, message: str) -> Reading:
    return replace(_unreadable(path, head, f"{message}; read as text", 1), is_mapping=False)


def _unreadable(path: str, head: str, message: str, line: int | None) -> Reading:
    shown = None if line is None else _shown_line(head, line)
    message = f"front matter ignored: {message}"
    problem = Problem(path, "frontmatterInvalid", line, message, shown)
    problems = () if is_placeholder(shown) else (problem,)
    return Reading(Fields(private=seems_private(head)), (), problems, is_mapping=True)


def _links(path: str, metadata: dict[str, Any], problems: list[Problem]) -> Iterator[Wikilink]:
    """Yield the wikilinks in front matter values, in the order of the text."""
    waiting: list[Any] = [metadata]
    count = 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, Text) and "[[" in value:
            for line, parts in _lines_of_links(value):
                count += 1
                if count > LINKS_MAX:
                    message = f"more than {LINKS_MAX} front matter links"
                    problems.append(Problem(path, "linksCapped", None, message))
                    return
                absolute = absolute_target(parts[0], path)
                yield Wikilink(*parts, LinkKind.FRONTMATTER, line, absolute)


def _lines_of_links(value: Text) -> list[tuple[int, LinkParts]]:
    """Return the links in a value, each with its line.

    It is the first line of the value if some link is written otherwise than YAML reads it, as one
    with an escape or over two lines is.
    """
    links = list(wikilinks_in(value))
    if "\n" not in value.source:
        return [(value.line, parts) for parts in links]
    written = [
        (line, parts)
        for line, text in enumerate(value.source.split("\n"), value.line)
        for parts in wikilinks_in(text)
    ]
    is_as_written = [parts for _, parts in written] == links
    return written if is_as_written else [(value.line, parts) for parts in links]


def _shown_line(head: str, line: int) -> str | None:
    """Return the start of a line of front matter, 1-based; ``None`` if it is empty or beyond."""
    lines = head.splitlines()[line - 1 : line]
    return cut_before_secret(one_line(lines[0]), SHOWN_CHARACTERS_MAX) or None if lines else None
