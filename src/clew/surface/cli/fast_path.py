"""The short way: a well-formed command straight to the daemon, without click or asyncio.

Anything out of the ordinary (help, a typo, a missing argument) is left to click, which knows how
to say what is wrong. Both read the same table, and a test holds their readings equal.
"""

from __future__ import annotations

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
    from typing import Any

    Parsed = tuple[Command, dict[str, Any]]

_NUMBER_DIGITS_MAX = 18


def parse(words: list[str]) -> Parsed | None:
    """Return the command and the fields that ``words`` give, or ``None`` to leave it to click."""
    command = BY_NAME.get(words[0]) if words else None
    if command is None:
        return None
    options = {flag: option for option in (*command.options, *COMMON) for flag in option.flags}
    fields: dict[str, Any] = {}
    plain: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word == "--":
            plain += rest
        elif word.startswith("-") and len(word) > 1:
            flag, equals, value = word.partition("=")
            option = options.get(flag)
            if option is None or (equals and not flag.startswith("--")):
                return None
            if option.kind == FLAG:
                if equals:
                    return None
                fields[option.field] = option.sets
                continue
            given = value if equals else next(rest, None)
            read = None if given is None else read_value(option, given)
            if read is None:
                return None
            if option.many:
                fields.setdefault(option.field, []).append(read)
            else:
                fields[option.field] = read
        else:
            plain.append(word)
    return (command, fields) if _fill(command, plain, fields) else None


def _fill(command: Command, plain: list[str], fields: dict[str, Any]) -> bool:
    """Fill the fields of the positional arguments; tell whether their number is right."""
    needed = sum(argument.required for argument in command.arguments)
    if plain and any(argument.many for argument in command.arguments):
        plain = [" ".join(plain)]
    for argument, word in zip(command.arguments, plain, strict=False):
        fields[argument.field] = word
    return needed <= len(plain) <= len(command.arguments)


def read_value(option: Option, text: str) -> Any:
    """Return what an option's text stands for, or ``None`` when it is not of the option's kind."""
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
