"""Turn the values of front matter into typed fields, with a problem for each wrong value."""

import math
from collections.abc import Iterable
from typing import Any

from clew.text.concept import fold_tag
from clew.text.dates.date_keys import DateKeys, key_form
from clew.text.dates.moment import parse_stated_moment
from clew.text.markdown.frontmatter.values import (
    SHOWN_CHARACTERS_MAX,
    Text,
    is_placeholder,
    one_line,
    targets_of,
)
from clew.text.masking.secrets import cut_before_secret
from clew.text.regions.placeholders import has_placeholder, is_filled_in
from clew.text.regions.wikilinks import split_wikilink
from clew.values.note import Fields, Problem

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read_fields(
    path: str, metadata: dict[str, Any], date_keys: DateKeys, problems: list[Problem]
) -> Fields:
    """Return the typed fields of ``metadata``; add a problem for each wrong value.

    The dates are those of ``date_keys``.
    """
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
        return one_line(value) or None

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
            return one_line(link[0] if link else value) or None
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
                words += [word for piece in pieces if (word := one_line(piece))]
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, Text):
                        if word := one_line(item):
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
    line = one_line(value)
    is_long = len(line) > SHOWN_CHARACTERS_MAX
    return cut_before_secret(line, SHOWN_CHARACTERS_MAX) + ("…" if is_long else "")
