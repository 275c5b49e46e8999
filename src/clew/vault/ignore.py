"""Which notes are left out of the index: by name, by the config, by Obsidian's own settings."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from clew.values.note import Problem

APP_JSON = ".obsidian/app.json"
APP_JSON_BYTES_MAX = 1024 * 1024
FILTERS_MAX = 500
_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)  # escape, class, character
_NEVER_WALKED = "node_modules"

# What compiling a pattern may raise; pathspec's own error is a ValueError.
_BAD_PATTERN = (re.error, ValueError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Patterns in config and Obsidian's form; build with ``ignore_rules``."""

    gitignore: GitIgnoreSpec | None
    filters: tuple[tuple[str, Callable[[str], bool]], ...]  # Obsidian's text -> does it match
    problems: tuple[Problem, ...] = ()

    def rule_for(self, path: str) -> str | None:
        """Return the rule that leaves ``path`` out, or ``None``."""
        if self.gitignore is not None:
            found = self.gitignore.check_file(path)
            if found.include:
                pattern = list(self.gitignore.patterns)[found.index or 0]
                return f"ignore: {getattr(pattern, 'pattern', pattern)}"
        for text, matches in self.filters:
            if matches(path):
                return f"{APP_JSON}: {text}"
        return None


def is_hidden(name: str) -> bool:
    """Tell whether a file or folder of this name is no part of the vault at all."""
    return name.startswith(".") or name == _NEVER_WALKED


def ignore_rules(patterns: Sequence[str], app_json: bytes | None) -> IgnoreRules:
    """Build the rules from gitignore ``patterns`` and the bytes of Obsidian's ``app.json``."""
    filters: list[tuple[str, Callable[[str], bool]]] = []
    problems: list[Problem] = []
    valid = [pattern for pattern in patterns if _is_pattern(pattern, problems)]
    spec = GitIgnoreSpec.from_lines(valid) if valid else None
    for text in _user_filters(app_json, problems):
        try:
            filters.append((text, _user_filter(text)))
        except _BAD_PATTERN as error:
            message = f"userIgnoreFilters: {text[:100]!r} cannot be used: {error}"
            problems.append(Problem(APP_JSON, "ignoreFilterInvalid", None, message))
    return IgnoreRules(spec, tuple(filters), tuple(problems))


def _is_pattern(pattern: str, problems: list[Problem]) -> bool:
    try:
        GitIgnoreSpec.from_lines([pattern])
    except _BAD_PATTERN as error:
        message = f"ignore: {pattern!r} is not a gitignore pattern: {error}"
        problems.append(Problem("", "ignorePatternInvalid", None, message))
        return False
    return True


def _user_filters(app_json: bytes | None, problems: list[Problem]) -> list[str]:
    if app_json is None:
        return []
    try:
        settings = json.loads(app_json)
    except (ValueError, RecursionError) as error:
        message = f"not valid JSON, so its userIgnoreFilters are not known: {error}"
        problems.append(Problem(APP_JSON, "appJsonInvalid", None, message))
        return []
    found = settings.get("userIgnoreFilters") if isinstance(settings, dict) else None
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        message = "userIgnoreFilters is not a list of strings"
        problems.append(Problem(APP_JSON, "appJsonInvalid", None, message))
        return []
    return [item for item in found if item][:FILTERS_MAX]


def _user_filter(text: str) -> Callable[[str], bool]:
    """Return the test for one of Obsidian's filters: ``/regex/``, a glob or a path prefix."""
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        if _repeats_a_repeat(text):
            raise ValueError("a repeat within a repeat may take for ever")
        return _searcher(re.compile(text[1:-1]))
    if "*" in text or "?" in text:
        spec = GitIgnoreSpec.from_lines([text])
        return spec.match_file
    prefix = text.lower()
    return lambda path: path.lower().startswith(prefix)


def _repeats_a_repeat(pattern: str) -> bool:
    """Tell whether a group that varies inside is repeated itself: ``(a+)+``, ``(a|b)*``.

    Such an expression may try every way to part a path of forty letters, which takes a day.
    """
    open_groups = [False]  # whether each repeats or chooses inside
    pieces = [match[0] for match in _PIECES.finditer(pattern)]
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if piece == "(":
            open_groups.append(False)
        elif piece == ")" and len(open_groups) > 1:
            varies = open_groups.pop()
            if varies and following in ("+", "*", "{"):
                return True
            open_groups[-1] |= varies
        elif piece in ("+", "*", "{", "|"):
            open_groups[-1] = True
    return False


def _searcher(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda path: pattern.search(path) is not None
