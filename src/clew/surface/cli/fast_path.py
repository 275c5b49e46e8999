"""Fast path: parse a well-formed command line without click, which costs more than the request.

Help, typos and missing arguments are left to click, which explains them. Both read the same table,
and a test checks that they read every command line alike.
"""

from __future__ import annotations

from clew.surface.cli.lists.options import options_of
from clew.surface.cli.table import (
    BY_NAME,
    CHOICE,
    COMMON,
    DECIMAL,
    FLAG,
    LINES,
    NUMBER,
    Command,
    Option,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterator
    from typing import Any

    Parsed = tuple[Command, dict[str, Any]]

_NUMBER_DIGITS_MAX = 18
# Options that may stand before the name of a command, each with whether a value follows it.
_LEADING = {flag: option.kind != FLAG for option in COMMON for flag in option.flags}
_LEADING |= {"--state": True, "--config": True}


def command_first(words: list[str]) -> list[str]:
    """Return a command line with the options before the command's name put after its arguments.

    They go before the first other option, so an option without its value does not take them.
    """
    at = _after_leading(words)
    leading, others = words[:at], words[at:]
    if not others or others[0].startswith("-"):
        return words
    is_option = (i for i, word in enumerate(others) if word.startswith("-"))
    end = next(is_option, len(others))
    return [*others[:end], *leading, *others[end:]]


def awaits_leading_value(words: list[str]) -> bool:
    """Return whether all words are options before a command's name, the last without its value."""
    return _after_leading(words) > len(words)


def _after_leading(words: list[str]) -> int:
    """Return where the options before the command's name end, with their values."""
    at = 0
    while at < len(words):
        flag, equals, _ = words[at].partition("=")
        if flag not in _LEADING:
            break
        at += 2 if _LEADING[flag] and not equals else 1
    return at


def parse(words: list[str]) -> Parsed | None:
    """Return the command and the fields of a command line, or ``None`` to leave it to click."""
    command = BY_NAME.get(words[0]) if words else None
    if command is None:
        return None
    options = {flag: option for option in options_of(command) for flag in option.flags}
    fields: dict[str, Any] = {}
    positional: list[str] = []
    remaining = iter(words[1:])
    for word in remaining:
        if word == "--":
            positional += remaining
        elif not word.startswith("-") or len(word) == 1:
            positional.append(word)
        elif not _read_option(word, remaining, options, fields):
            return None
    return (command, fields) if _fill(command, positional, fields) else None


def _read_option(
    word: str, remaining: Iterator[str], options: dict[str, Option], fields: dict[str, Any]
) -> bool:
    """Set the field of the option ``word``; return whether the option and its value are valid."""
    flag, equals, text = word.partition("=")
    option = options.get(flag)
    if option is None or (equals and not flag.startswith("--")):
        return False
    if option.kind == FLAG:
        fields[option.field] = option.sets
        return not equals
    given = text if equals else next(remaining, None)
    value = None if given is None else read_value(option, given)
    if option.many:
        fields.setdefault(option.field, []).append(value)
    else:
        fields[option.field] = value
    return value is not None


def _fill(command: Command, positional: list[str], fields: dict[str, Any]) -> bool:
    """Set the fields of the positional arguments; return whether their number is right."""
    needed = sum(argument.required for argument in command.arguments)
    if positional and any(argument.many for argument in command.arguments):
        positional = [" ".join(positional)]
    for argument, word in zip(command.arguments, positional, strict=False):
        fields[argument.field] = word
    return needed <= len(positional) <= len(command.arguments)


def read_value(option: Option, text: str) -> Any:
    """Return the parsed value of an option, or ``None`` if the text does not fit its kind."""
    if option.kind == NUMBER:
        digits = text.removeprefix("-")
        plain = digits.isascii() and digits.isdecimal() and len(digits) <= _NUMBER_DIGITS_MAX
        return int(text) if plain else None
    if option.kind == DECIMAL:
        digits = text.removeprefix("-").replace(".", "", 1)
        plain = digits.isascii() and digits.isdecimal() and len(digits) <= _NUMBER_DIGITS_MAX
        return float(text) if plain else None
    if option.kind == CHOICE:
        return text if text in option.choices else None
    if option.kind == LINES:
        first, _, last = text.partition("-")
        numbers = (first, last or first)
        if not all(n.isascii() and n.isdecimal() and len(n) < 10 for n in numbers):
            return None
        return [int(n) for n in numbers]
    return text
