"""Front matter: YAML made safe and read into typed fields, with a problem for whatever is wrong.

python-frontmatter parses through a handler that never lets YAML build anything by itself. It walks
libyaml's event stream once, without recursion, and makes plain lists, dicts and strings of it, so
that nesting cannot end the process, an alias bomb cannot grow, and no value raises on its way to
becoming a date or a number. Every scalar stays a string; what a key should hold is decided here.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler

from clew.text.dates.moment import parse_moment
from clew.text.filename import absolute_target
from clew.text.markdown.frontmatter_split import CLOSING
from clew.text.markdown.inline import split_wikilink, wikilinks_in
from clew.values.note import Fields, LinkKind, Problem, Wikilink

FRONTMATTER_CHARACTERS_MAX = 65_536
DEPTH_MAX = 32
EVENTS_MAX = 20_000
LINKS_MAX = 5_000

_KEY_LINE = re.compile(r"---\n\s{0,20}[\w\"'?{-][^\n:]{0,100}:")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_ODD_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the front matter says."""

    fields: Fields
    links: tuple[Wikilink, ...]
    problems: tuple[Problem, ...]
    is_mapping: bool  # false: text between two rules that only looked like front matter


class _NotMapping(Exception):
    """The YAML is a list or a plain word."""


class _Refused(Exception):
    """The YAML is hostile or not what front matter may hold."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line  # 0-based in the YAML text


class Text(str):
    """A YAML scalar; remembers the line of the note it begins on."""

    __slots__ = ("line",)
    line: int


def read(path: str, head: str) -> Reading:
    """Return what the front matter ``head`` (with both ``---`` lines) says.

    Never fails: YAML that cannot be read gives default fields and one problem.
    """
    try:
        metadata, _ = frontmatter.parse(head, handler=_GUARDED)
    except _NotMapping:
        return _not_keys(path, "not a mapping of keys to values")
    except _Refused as error:
        return _unreadable(path, str(error), error.line + 2)
    except yaml.MarkedYAMLError as error:
        if not looks_like_keys(head):
            return _not_keys(path, error.problem or "not valid YAML")
        line = error.problem_mark.line + 2 if error.problem_mark else None
        return _unreadable(path, error.problem or "not valid YAML", line)
    except (yaml.YAMLError, ValueError) as error:
        return _unreadable(path, f"not valid YAML: {error}".splitlines()[0], None)
    problems: list[Problem] = []
    links = tuple(_links(path, metadata, problems))
    fields = _read_fields(path, metadata, problems)
    return Reading(fields, links, tuple(problems), is_mapping=True)


def looks_like_keys(text: str) -> bool:
    """Tell front matter from text below a rule: its first line is a key."""
    return _KEY_LINE.match(text) is not None


def _not_keys(path: str, message: str) -> Reading:
    return replace(_unreadable(path, f"{message}; read as text", 1), is_mapping=False)


def _unreadable(path: str, message: str, line: int | None) -> Reading:
    problem = Problem(path, "frontmatterInvalid", line, f"front matter ignored: {message}")
    return Reading(Fields(), (), (problem,), is_mapping=True)


class _GuardedHandler(BaseHandler):
    """python-frontmatter's hook: our own split, and a reading that no YAML can hurt."""

    FM_BOUNDARY = CLOSING

    def split(self, text: str) -> tuple[str, str]:
        return text[4 : text.rfind("\n---")] if text.rfind("\n---") > 3 else "", ""

    def load(self, fm: str) -> dict[str, Any]:
        if len(fm) > FRONTMATTER_CHARACTERS_MAX:
            raise _Refused(f"longer than {FRONTMATTER_CHARACTERS_MAX} characters", 0)
        value = _construct(fm)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise _NotMapping
        return value


_GUARDED = _GuardedHandler()


def _construct(text: str) -> object:
    """Build dicts, lists, ``Text`` and ``None`` from the one document in ``text``."""
    root: list[Any] = []
    open_containers: list[Any] = [root]
    keys: list[Any] = [None]  # the key that waits for its value, one for each container
    documents = 0
    # YAML ends lines at characters that no editor does; then lines are counted by hand.
    has_odd_ends = _ODD_LINE_ENDS.search(text) is not None
    for count, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        mark = event.start_mark
        line = mark.line if mark else 0
        if mark and has_odd_ends:
            line = text.count("\n", 0, mark.index)
        if count > EVENTS_MAX:
            raise _Refused("too many values", line)
        if isinstance(event, yaml.CollectionEndEvent):
            open_containers.pop()
            keys.pop()
        elif isinstance(event, yaml.NodeEvent):
            value = _node(event, line)
            keys[-1] = _add(open_containers[-1], keys[-1], value, line)
            if isinstance(value, (dict, list)):
                _check_depth(len(open_containers), line)
                open_containers.append(value)
                keys.append(_NO_KEY)
        else:
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise _Refused("more than one document", line)
    return root[0] if root else None


def _check_depth(depth: int, line: int) -> None:
    if depth > DEPTH_MAX:
        raise _Refused("nested too deeply", line)


def _node(event: yaml.NodeEvent, line: int) -> Any:
    """Return the scalar an event is, or the empty container it opens."""
    if isinstance(event, yaml.AliasEvent):
        raise _Refused("aliases (*name) are not allowed", line)
    tag = getattr(event, "tag", None)
    if tag is not None and not tag.startswith("tag:yaml.org,2002:str"):
        raise _Refused(f"the tag {tag} is not allowed", line)
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event, line)
    return {} if isinstance(event, yaml.MappingStartEvent) else []


_NO_KEY = object()


def _add(container: Any, key: Any, value: Any, line: int) -> Any:
    """Put ``value`` into the open container; return the key that then waits for its value."""
    if isinstance(container, list):
        container.append(value)
        return None
    if key is _NO_KEY:
        if isinstance(value, (dict, list)):
            # A template's {{date}}: nothing asks for such a key, so only its value is kept.
            return f"? line {line}"
        return value if value is not None else ""
    if key == "<<":
        raise _Refused("merge keys (<<) are not allowed", line)
    container[key] = value
    return _NO_KEY


def _scalar(event: yaml.ScalarEvent, line: int) -> Text | None:
    if event.implicit[0] and event.value in _NULLS:
        return None
    text = Text(event.value)
    text.line = line + 2  # the opening --- is line 1 of the note
    return text


def _links(path: str, metadata: dict[str, Any], problems: list[Problem]) -> Iterator[Wikilink]:
    """Yield the wikilinks in front matter values, in order."""
    waiting: list[Any] = [metadata]
    count = 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, Text) and "[[" in value:
            for parts in wikilinks_in(value):
                count += 1
                if count > LINKS_MAX:
                    message = f"more than {LINKS_MAX} front matter links"
                    problems.append(Problem(path, "linksCapped", None, message))
                    return
                absolute = absolute_target(parts[0], path)
                yield Wikilink(*parts, LinkKind.FRONTMATTER, value.line, absolute)


def _read_fields(path: str, metadata: dict[str, Any], problems: list[Problem]) -> Fields:
    reader = _FieldReader(path, metadata, problems)
    return Fields(
        title=reader.text("title"),
        aliases=reader.words(("aliases", "alias"), _split_aliases),
        tags=_tags(reader.words(("tags", "tag"), str.split)),
        type=reader.one_word("type"),
        importance=reader.importance(),
        created_at_s=reader.moment(("created", "date")),
        modified_at_s=reader.moment(("modified", "updated")),
        pinned=reader.boolean("pinned"),
        source=reader.text("source"),
    )


def _tags(words: Iterable[str]) -> tuple[str, ...]:
    """Return tags as the body's are: lower case, no ``#``, and not of digits alone."""
    tags = (word.lstrip("#").strip("/ ").lower() for word in words)
    return tuple(dict.fromkeys(tag for tag in tags if tag and not tag.isdecimal()))


def _split_aliases(text: str) -> list[str]:
    return [text]


class _FieldReader:
    """Reads one key at a time; a value of the wrong type becomes a problem and counts as absent."""

    def __init__(self, path: str, metadata: dict[str, Any], problems: list[Problem]) -> None:
        self._path = path
        self._metadata = {
            key.casefold(): value for key, value in metadata.items() if isinstance(key, str)
        }
        self._problems = problems

    def text(self, key: str) -> str | None:
        value = self._metadata.get(key)
        if value is None:
            return None
        if not isinstance(value, Text):
            self._wrong(key, "must be text", value)
            return None
        return _one_line(value) or None

    def one_word(self, key: str) -> str | None:
        """Return a word that some write as a list of one, or as a link: ``["[[Book]]"]``."""
        value = self._metadata.get(key)
        if isinstance(value, list) and len(value) <= 1:
            value = value[0] if value else None
        if isinstance(value, Text):
            link = split_wikilink(value[2:-2]) if value[:2] + value[-2:] == "[[]]" else None
            return _one_line(link[0] if link else value) or None
        if value is not None:
            self._wrong(key, "must be one word", value)
        return None

    def words(self, keys: tuple[str, ...], cut: Any) -> tuple[str, ...]:
        found: list[str] = []
        for key in keys:
            value = self._metadata.get(key)
            if isinstance(value, Text):
                pieces = [piece for part in value.split(",") for piece in cut(part)]
                found += [word for piece in pieces if (word := _one_line(piece))]
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, Text):
                        if word := _one_line(item):
                            found.append(word)
                    elif item is not None:
                        self._wrong(key, "must be a list of words", item)
            elif value is not None:
                self._wrong(key, "must be a list of words", value)
        return tuple(dict.fromkeys(found))

    def importance(self) -> float:
        value = self._metadata.get("importance")
        if value is None:
            return 0.5
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not 0.0 <= number <= 1.0:
            self._wrong("importance", "must be a number from 0 to 1", value)
            return 0.5
        return number

    def moment(self, keys: tuple[str, ...]) -> float | None:
        for key in keys:
            value = self._metadata.get(key)
            if value is None:
                continue
            moment = parse_moment(value) if isinstance(value, Text) else None
            if moment is None:
                self._wrong(key, "must be an ISO date such as 2025-03-14", value)
            else:
                return moment
        return None

    def boolean(self, key: str) -> bool:
        value = self._metadata.get(key)
        if value is None:
            return False
        if not isinstance(value, Text) or value.casefold() not in _BOOLEANS:
            self._wrong(key, "must be true or false", value)
            return False
        return _BOOLEANS[value.casefold()]

    def _wrong(self, key: str, message: str, value: object) -> None:
        line = value.line if isinstance(value, Text) else None
        self._problems.append(Problem(self._path, "fieldInvalid", line, f"{key} {message}"))


def _one_line(text: str) -> str:
    return " ".join(text.split())
