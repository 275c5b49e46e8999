"""Read front matter into typed fields, with a problem for each wrong value.

YAML can be hostile: deep nesting overflows the stack, aliases expand without end, and constructors
of dates and numbers raise. Therefore PyYAML only turns the text into libyaml's stream of events.
``_construct`` builds lists, dicts and strings from it, without recursion and with limits on depth
and number; aliases, merge keys and tags are refused. Every scalar stays a string (``Text``), and
``_FieldReader`` turns it into the type of its key. python-frontmatter calls all this through
``_GuardedHandler``.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler

from clew.text.concept import fold_tag
from clew.text.dates.date_keys import DEFAULT_DATE_KEYS, DateKeys, key_form
from clew.text.dates.moment import parse_stated_moment
from clew.text.filename import absolute_target
from clew.text.markdown.frontmatter_split import CLOSING
from clew.text.markdown.frontmatter_values import GROUP_AS_KEY, is_placeholder, targets_of
from clew.text.markdown.private import seems_private
from clew.text.regions.placeholders import has_placeholder, is_filled_in
from clew.text.regions.wikilinks import split_wikilink, wikilinks_in
from clew.values.note import Fields, LinkKind, Problem, Wikilink

FRONTMATTER_CHARACTERS_MAX = 65_536
DEPTH_MAX = 32
EVENTS_MAX = 20_000
LINKS_MAX = 5_000
SHOWN_CHARACTERS_MAX = 60  # of a wrong value, in its problem

_KEY_LINE = re.compile(r"---\n\s{0,20}[\w\"'?{-][^\n:]{0,100}:")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_ODD_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Reading:
    """The fields, links and problems of a note's front matter."""

    fields: Fields
    links: tuple[Wikilink, ...]
    problems: tuple[Problem, ...]
    is_mapping: bool  # false: it is body text between two horizontal rules


class _NotMapping(Exception):
    """The YAML is not a mapping of keys to values."""


class _Refused(Exception):
    """The YAML is over a limit, or has a feature that is not allowed."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line  # 0-based in the YAML text


class Text(str):
    """A YAML scalar with its 1-based line in the note."""

    __slots__ = ("line",)
    line: int


def read(path: str, head: str, date_keys: DateKeys = DEFAULT_DATE_KEYS) -> Reading:
    """Read the front matter ``head``, which includes both ``---`` lines.

    The dates are those of ``date_keys``. Never fails: YAML that cannot be read gives default fields
    and one problem; of its keys only ``private`` counts.
    """
    try:
        metadata, _ = frontmatter.parse(head, handler=_GUARDED)
    except _NotMapping:
        return _not_keys(path, head, "not a mapping of keys to values")
    except _Refused as error:
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
    fields = _read_fields(path, metadata, date_keys, problems)
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


class _GuardedHandler(BaseHandler):
    """Makes python-frontmatter split and parse front matter by our rules."""

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
    """Return the scalar of an event, or an empty container if the event starts one."""
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
            for parts in wikilinks_in(value):
                count += 1
                if count > LINKS_MAX:
                    message = f"more than {LINKS_MAX} front matter links"
                    problems.append(Problem(path, "linksCapped", None, message))
                    return
                absolute = absolute_target(parts[0], path)
                yield Wikilink(*parts, LinkKind.FRONTMATTER, value.line, absolute)


def _read_fields(
    path: str, metadata: dict[str, Any], date_keys: DateKeys, problems: list[Problem]
) -> Fields:
    reader = _FieldReader(path, metadata, problems)
    return Fields(
        title=reader.title(),
        aliases=reader.words(("aliases", "alias"), lambda text: [text]),
        tags=_tags(reader.words(("tags", "tag"), str.split)),
        type=reader.one_word("type"),
        importance=reader.importance(),
        created_at_s=reader.moment(date_keys.created),
        modified_at_s=reader.moment(date_keys.modified),
        pinned=reader.boolean("pinned"),
        source=reader.text("source"),
        lang=reader.text("lang"),
        private=reader.boolean("private", otherwise=True),  # a note in doubt is not shown
        superseded_by=reader.targets("superseded_by"),
        supersedes=reader.targets("supersedes"),
    )


def _tags(words: Iterable[str]) -> tuple[str, ...]:
    """Return tags as in the body: lower case, no ``#``, no plain numbers, no placeholders."""
    tags = (fold_tag(word) for word in words if not has_placeholder(word))
    return tuple(dict.fromkeys(tag for tag in tags if tag and not tag.isdecimal()))


class _FieldReader:
    """Reads fields; a value of a wrong type gives a problem and is treated as missing."""

    def __init__(self, path: str, metadata: dict[str, Any], problems: list[Problem]) -> None:
        self._path = path
        self._metadata = {
            key.casefold(): value for key, value in metadata.items() if isinstance(key, str)
        }
        self._by_form = {key_form(key): (key, value) for key, value in self._metadata.items()}
        self._problems = problems

    def text(self, key: str) -> str | None:
        value = self._metadata.get(key)
        if value is None:
            return None
        if not isinstance(value, Text):
            self._wrong(key, "must be text", value)
            return None
        return _one_line(value) or None

    def title(self) -> str | None:
        title = self.text("title")
        return None if title and is_filled_in(title) else title

    def one_word(self, key: str) -> str | None:
        """Return a word, also when it is written as a link or in a list: ``["[[Book]]"]``."""
        value = self._metadata.get(key)
        if isinstance(value, list) and len(value) <= 1:
            value = value[0] if value else None
        if isinstance(value, Text):
            link = split_wikilink(value[2:-2]) if value[:2] + value[-2:] == "[[]]" else None
            return _one_line(link[0] if link else value) or None
        if value is not None:
            self._wrong(key, "must be one word", value)
        return None

    def words(self, keys: tuple[str, ...], split_text: Any) -> tuple[str, ...]:
        """Return the words of ``keys``: the items of a list, or a text split at commas."""
        words: list[str] = []
        for key in keys:
            value = self._metadata.get(key)
            if isinstance(value, Text):
                pieces = [piece for part in value.split(",") for piece in split_text(part)]
                words += [word for piece in pieces if (word := _one_line(piece))]
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, Text):
                        if word := _one_line(item):
                            words.append(word)
                    elif item is not None:
                        self._wrong(key, "must be a list of words", item)
            elif value is not None:
                self._wrong(key, "must be a list of words", value)
        return tuple(dict.fromkeys(words))

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

    def moment(self, forms: tuple[str, ...]) -> float | None:
        """Return the first date among the keys that are written in one of ``forms``."""
        for form in forms:
            key, value = self._by_form.get(form, (form, None))
            if value is None:
                continue
            text = _only_item(value)
            moment_s = parse_stated_moment(text) if isinstance(text, Text) else None
            if moment_s is not None:
                return moment_s
            self._wrong(key, "must be a date such as 2025-03-14 or 2025-03-14T15:09", text)
        return None

    def targets(self, name: str) -> tuple[str, ...]:
        """Return what the links of a key lead to."""
        key, value = self._by_form.get(key_form(name), (name, None))
        targets = () if value is None else targets_of(value, self._path)
        if targets is None:
            self._wrong(key, "must be a link, or a list of links", value)
        return targets or ()

    def boolean(self, key: str, *, otherwise: bool = False) -> bool:
        """Return the truth value of ``key``; ``otherwise`` if it is neither true nor false."""
        value = self._metadata.get(key)
        if value is None:
            return False
        if not isinstance(value, Text) or value.casefold() not in _BOOLEANS:
            self._wrong(key, "must be true or false", value)
            return otherwise
        return _BOOLEANS[value.casefold()]

    def _wrong(self, key: str, message: str, value: object) -> None:
        if is_placeholder(value):
            return  # a placeholder is right in a template
        line = value.line if isinstance(value, Text) else None
        message = f"{key} {message}"
        self._problems.append(Problem(self._path, "fieldInvalid", line, message, _shown(value)))


def _only_item(value: object) -> object:
    """Return the item of a list of one, also of ``[[2025-03-14]]``, a link without its quotes."""
    for _ in range(2):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
    return value


def _shown(value: object) -> str:
    """Return the start of a wrong value, by which its writer recognizes it."""
    if not isinstance(value, Text):
        return "a list" if isinstance(value, list) else "a group of keys"
    line = _one_line(value)
    is_long = len(line) > SHOWN_CHARACTERS_MAX
    return line[:SHOWN_CHARACTERS_MAX] + ("…" if is_long else "")


def _shown_line(head: str, line: int) -> str | None:
    """Return the start of a line of front matter, 1-based; ``None`` if it is empty or beyond."""
    lines = head.splitlines()[line - 1 : line]
    return _one_line(lines[0])[:SHOWN_CHARACTERS_MAX] or None if lines else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
