"""Read the YAML of front matter without the dangers of YAML.

YAML can be hostile: deep nesting overflows the stack, aliases expand without end, and constructors
of dates and numbers raise. Therefore PyYAML only turns the text into libyaml's stream of events.
``_construct`` builds lists, dicts and strings from it, without recursion and with limits on depth
and number; aliases, merge keys and tags are refused. Every scalar stays a string (``Text``), which
``fields`` turns into the type of its key. python-frontmatter calls all this through
``_GuardedHandler``.
"""

import re
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler

from clew.text.markdown.frontmatter.values import GROUP_AS_KEY, Text
from clew.text.markdown.frontmatter_split import CLOSING

FRONTMATTER_CHARACTERS_MAX = 65_536
DEPTH_MAX = 32
EVENTS_MAX = 20_000

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_ODD_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


class NotMapping(Exception):
    """The YAML is not a mapping of keys to values."""


class Refused(Exception):
    """The YAML is over a limit, or has a feature that is not allowed."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line  # 0-based in the YAML text


def keys_and_values(head: str) -> dict[str, Any]:
    """Return the keys and values of front matter; ``head`` includes both ``---`` lines.

    Raises:
        NotMapping, Refused, yaml.YAMLError, ValueError: it cannot be read.
    """
    metadata, _ = frontmatter.parse(head, handler=_GUARDED)
    return metadata


class _GuardedHandler(BaseHandler):
    """Makes python-frontmatter split and parse front matter by our rules."""

    FM_BOUNDARY = CLOSING

    def split(self, text: str) -> tuple[str, str]:
        return text[4 : text.rfind("\n---")] if text.rfind("\n---") > 3 else "", ""

    def load(self, fm: str) -> dict[str, Any]:
        if len(fm) > FRONTMATTER_CHARACTERS_MAX:
            raise Refused(f"longer than {FRONTMATTER_CHARACTERS_MAX} characters", 0)
        value = _construct(fm)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise NotMapping
        return value


_GUARDED = _GuardedHandler()


def _construct(text: str) -> object:
    """Build dicts, lists, ``Text`` and ``None`` from the YAML document ``text``.

    ``open_containers`` is the stack of containers that have not ended. ``keys`` has for each of
    them the key whose value comes next, or ``_NO_KEY`` where a key comes next.
    """
    root: list[Any] = []
    open_containers: list[Any] = [root]
    keys: list[Any] = [None]
    documents = 0
    # For YAML, some characters end lines that do not in an editor: then count line feeds.
    has_odd_ends = _ODD_LINE_ENDS.search(text) is not None
    for count, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        mark = event.start_mark
        line = mark.line if mark else 0
        if mark and has_odd_ends:
            line = text.count("\n", 0, mark.index)
        if count > EVENTS_MAX:
            raise Refused("too many values", line)
        if isinstance(event, yaml.CollectionEndEvent):
            open_containers.pop()
            keys.pop()
        elif isinstance(event, yaml.NodeEvent):
            value = _node(event, line, text)
            keys[-1] = _add(open_containers[-1], keys[-1], value, line)
            if isinstance(value, (dict, list)):
                _check_depth(len(open_containers), line)
                open_containers.append(value)
                keys.append(_NO_KEY)
        else:
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise Refused("more than one document", line)
    return root[0] if root else None


def _check_depth(depth: int, line: int) -> None:
    if depth > DEPTH_MAX:
        raise Refused("nested too deeply", line)


def _node(event: yaml.NodeEvent, line: int, text: str) -> Any:
    """Return the scalar of an event, or an empty container if the event starts one.

    ``text``: the whole document.
    """
    if isinstance(event, yaml.AliasEvent):
        raise Refused("aliases (*name) are not allowed", line)
    tag = getattr(event, "tag", None)
    if tag is not None and not tag.startswith("tag:yaml.org,2002:str"):
        raise Refused(f"the tag {tag} is not allowed", line)
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event, line, text)
    return {} if isinstance(event, yaml.MappingStartEvent) else []


_NO_KEY = object()


def _add(container: Any, key: Any, value: Any, line: int) -> Any:
    """Add ``value``, an item, a key or the value of ``key``; return the key that comes after it."""
    if isinstance(container, list):
        container.append(value)
        return None
    if key is _NO_KEY:
        if isinstance(value, (dict, list)):
            # A container as a key, such as a template's {{date}}, is not a field; keep only its
            # value.
            return f"{GROUP_AS_KEY}{line}"
        return value if value is not None else ""
    if key == "<<":
        raise Refused("merge keys (<<) are not allowed", line)
    container[key] = value
    return _NO_KEY


def _scalar(event: yaml.ScalarEvent, line: int, text: str) -> Text | None:
    if event.implicit[0] and event.value in _NULLS:
        return None
    scalar = Text(event.value)
    scalar.line = line + 2  # the opening --- is line 1 of the note
    scalar.source = _source(event, text) if "[[" in scalar else ""
    return scalar


def _source(event: yaml.ScalarEvent, text: str) -> str:
    start, end = event.start_mark, event.end_mark
    return text[start.index : end.index] if start and end else ""
