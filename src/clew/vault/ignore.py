"""Ignore rules: notes left out of the index by name, by the config, or by Obsidian's settings.

Patterns and paths are compared in one Unicode form, since some systems write the accents of file
names as characters of their own (NFD), and people do not.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.text.concept import unicode_form
from clew.text.filename import NOTE_EXTENSIONS, extension_of
from clew.text.patterns import BadPattern, compiled
from clew.values.note import Problem

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

APP_JSON = ".obsidian/app.json"
APP_JSON_BYTES_MAX = 1024 * 1024
FILTERS_MAX = 500
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)  # escape, class, character
_REPEATS = re.compile(r"[+*{]")
REPEATS_MAX = 2  # in a pattern that RE2 rejects: time may be length to the power of this number
_NEVER_WALKED = "node_modules"

# Errors that compiling a pattern may raise; pathspec's own error is a ValueError.
BAD_PATTERN = (re.error, ValueError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Compiled patterns of the config and of Obsidian; made by ``ignore_rules``."""

    gitignore: "GitIgnoreSpec | None"
    filters: tuple[tuple[str, Callable[[str], bool]], ...]  # text in app.json, match function
    problems: tuple[Problem, ...] = ()

    @property
    def keeps_others(self) -> bool:
        """Whether files that are not read are listed too, since links may lead to them."""
        return True

    def is_wanted(self, name: str) -> bool:
        """Return whether a file of this name is a note."""
        return extension_of(name) in NOTE_EXTENSIONS

    def skips(self, _folder: str) -> bool:
        """Return whether a folder is left out with everything below it."""
        return False

    def rule_for(self, path: str) -> str | None:
        """Return the rule that ignores ``path``, as text for people, or ``None``."""
        path = unicode_form(path)
        if self.gitignore is not None:
            match = self.gitignore.check_file(path)
            if match.include:
                pattern = list(self.gitignore.patterns)[match.index or 0]
                return f"ignore: {getattr(pattern, 'pattern', pattern)}"
        for text, matches in self.filters:
            if matches(path):
                return f"{APP_JSON}: {text}"
        return None


def is_hidden(name: str) -> bool:
    """Return whether files and folders of this name are skipped, with everything below them."""
    return name.startswith(".") or name == _NEVER_WALKED


def gitignore_spec(patterns: Iterable[str]) -> "GitIgnoreSpec":
    """Compile gitignore patterns, which match paths in the form of ``unicode_form``.

    Not with pathspec's RE2 backend, which rejects paths that are not UTF-8.

    Raises:
        ValueError: a pattern is not valid in gitignore.
    """
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only where there are patterns

    return GitIgnoreSpec.from_lines(map(unicode_form, patterns), backend="simple")


def path_matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return whether a path matches gitignore patterns, as a function.

    Raises:
        ValueError: a pattern is not valid in gitignore.
    """
    spec = gitignore_spec(patterns)
    return lambda path: spec.match_file(unicode_form(path))


def ignore_rules(patterns: Sequence[str], app_json: bytes | None) -> IgnoreRules:
    """Compile gitignore ``patterns`` and the filters in the bytes of Obsidian's ``app.json``."""
    filters: list[tuple[str, Callable[[str], bool]]] = []
    problems: list[Problem] = []
    valid = [pattern for pattern in patterns if _is_pattern(pattern, problems)]
    spec = gitignore_spec(valid) if valid else None
    for text in _user_filters(app_json, problems):
        try:
            filters.append((text, _user_filter(unicode_form(text))))
        except BAD_PATTERN as error:
            message = f"userIgnoreFilters: {text[:100]!r} cannot be used: {error}"
            problems.append(Problem(APP_JSON, "ignoreFilterInvalid", None, message, text[:100]))
    return IgnoreRules(spec, tuple(filters), tuple(problems))


def _is_pattern(pattern: str, problems: list[Problem]) -> bool:
    try:
        gitignore_spec([pattern])
    except BAD_PATTERN as error:
        message = f"ignore: {pattern!r} is not a gitignore pattern: {error}"
        problems.append(Problem("", "ignorePatternInvalid", None, message, pattern[:100]))
        return False
    return True


def _user_filters(app_json: bytes | None, problems: list[Problem]) -> list[str]:
    if app_json is None:
        return []
    try:
        settings = json.loads(app_json)
    except (ValueError, RecursionError) as error:
        message = f"not valid JSON, so its userIgnoreFilters are not applied: {error}"
        problems.append(Problem(APP_JSON, "appJsonInvalid", None, message))
        return []
    filters = settings.get("userIgnoreFilters") if isinstance(settings, dict) else None
    if filters is None:
        return []
    if not isinstance(filters, list) or not all(isinstance(item, str) for item in filters):
        message = "userIgnoreFilters is not a list of strings"
        problems.append(Problem(APP_JSON, "appJsonInvalid", None, message))
        return []
    return [item for item in filters if item][:FILTERS_MAX]


def _user_filter(text: str) -> Callable[[str], bool]:
    """Return a predicate for one of Obsidian's filters: ``/regex/``, a glob or a path prefix."""
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return _searcher(text[1:-1])
    if "*" in text or "?" in text:
        return path_matcher([text])
    prefix = text.lower()
    return lambda path: path.lower().startswith(prefix)


def _searcher(pattern: str) -> Callable[[str], bool]:
    """Return a predicate for a regular expression, by RE2 in linear time, else by ``re``.

    Raises:
        ValueError: the expression is invalid, or RE2 rejects it and ``re`` may take long.
    """
    try:
        linear = compiled(pattern, heeds_case=True)
    except BadPattern:
        if _has_nested_repeat(pattern):
            raise ValueError("a repeat inside a repeat may take exponential time") from None
        if len(_REPEATS.findall(pattern)) > REPEATS_MAX:
            raise ValueError(f"with a lookaround, no more than {REPEATS_MAX} repeats") from None
        backtracking = re.compile(pattern)
        return lambda path: backtracking.search(path) is not None
    return lambda path: linear.search(path.encode("utf-8", "replace")) is not None


def _has_nested_repeat(pattern: str) -> bool:
    """Return whether a group with a repeat or choice inside is repeated: ``(a+)+``, ``(a|b)*``.

    Matching such an expression backtracks exponentially: matching a path of forty letters may take
    a day.
    """
    varies_by_open_group = [False]  # the whole pattern, then each open group
    parts = [match[0] for match in _TOKENS.finditer(pattern)]
    for before, part, next_part in zip(["", *parts[:-1]], parts, [*parts[1:], ""], strict=True):
        if part == "(":
            varies_by_open_group.append(False)
        elif part == ")" and len(varies_by_open_group) > 1:
            varies = varies_by_open_group.pop()
            if varies and next_part in ("+", "*", "{"):
                return True
            varies_by_open_group[-1] |= varies
        elif part in ("+", "*", "{", "|") or (part == "?" and before != "("):
            varies_by_open_group[-1] = True
    return False
