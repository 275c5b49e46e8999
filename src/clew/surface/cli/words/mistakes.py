"""Messages for usage errors: what is wrong with a command line, and what to type instead."""

import io
from collections.abc import Sequence
from difflib import get_close_matches

import click

# Commands, each with names under which people look for it.
_OTHER_NAMES = {
    "search": "ask find grep query rg",
    "recent": "daily last latest list ls new notes today",
    "read": "cat note print show view",
    "open": "edit",
    "concept": "neighbors neighbours related",
    "similar": "like",
    "backlinks": "mentions references refs",
    "unresolved": "broken dead missing",
    "tags": "tag",
    "graph": "draw plot",
    "start": "index init launch run up",
    "stop": "down exit kill quit",
    "sync": "rebuild refresh reindex reload scan update",
    "status": "info ps state",
    "where": "config paths",
    "service install": "autostart install",
    "service uninstall": "remove uninstall",
    "doctor": "check diagnose fix lint problems validate",
    "session recall": "recall remember",
    "--version": "version -V",
}
_COMMANDS_BY_OTHER_NAME = {
    other: command for command, others in _OTHER_NAMES.items() for other in others.split()
}
_MISPLACED = "Put the options of a command after its name: clew COMMAND {} ..."
_CLOSE_ENOUGH = 0.7  # difflib's ratio, 0..1: allows for a letter or two in a short word
_CLOSE_MAX = 3


def usage_lines(error: click.ClickException, words: Sequence[str]) -> list[str]:
    """Return a usage error of the command line ``words`` as lines.

    Click breaks the lines of its message only before a tab. Any other line break comes from an
    argument that the message repeats, and starts no line here.
    """
    report = io.StringIO()
    error.show(file=report)
    usage, _, message = f"\n{report.getvalue()}".removesuffix("\n").partition("\nError: ")
    lines = usage.split("\n")[1:]
    if not message.strip():
        return lines  # a group without a command: its help is the whole message
    message = _unknown(error, words) or message
    first, *choices = message.split("\n\t")
    return [*lines, f"Error: {first}", *(f"\t{choice}" for choice in choices)]


def _unknown(error: click.ClickException, words: Sequence[str]) -> str:
    """Return the message about an unknown command or option; "" for another error.

    Click sorts its suggestions by name; here the likeliest comes first.
    """
    if isinstance(error, click.exceptions.NoSuchCommand):
        name = error.command_name
        is_main = error.ctx is not None and error.ctx.parent is None
        meant = _COMMANDS_BY_OTHER_NAME.get(name) if is_main else None
        group = error.ctx.command if error.ctx is not None else None
        names = list(group.commands) if isinstance(group, click.Group) else []
        return _with_meant(error.message, [meant] if meant else close(name, names))
    if isinstance(error, click.NoSuchOption):
        excluding = _excluding_word(error, words)
        if excluding:
            advice = f"To leave out notes, quote the query: clew search '... {excluding}'"
            return f"{error.message} {advice}"
        options = error.ctx.command.params if error.ctx is not None else []
        flags = [flag for option in options if not _is_hidden(option) for flag in option.opts]
        likely = close(error.option_name, [flag for flag in flags if flag.startswith("--")])
        is_main = error.ctx is not None and error.ctx.parent is None
        if is_main and not likely:
            return f"{error.message} {_MISPLACED.format(error.option_name)}"
        return _with_meant(error.message, likely)
    return ""


def close(name: str, names: Sequence[str]) -> list[str]:
    """Return the names that are likely meant by a misspelt one, the likeliest first."""
    return get_close_matches(name, names, _CLOSE_MAX, _CLOSE_ENOUGH)


def _with_meant(message: str, meant: Sequence[str]) -> str:
    return f"{message} Did you mean {' or '.join(meant)}?" if meant else message


def _is_hidden(parameter: click.Parameter) -> bool:
    return not isinstance(parameter, click.Option) or parameter.hidden


def _excluding_word(error: click.NoSuchOption, words: Sequence[str]) -> str:
    """Return the word of a search that begins with a minus and was read as an option."""
    if error.ctx is None or error.ctx.info_name != "search":
        return ""
    if error.option_name.startswith("--"):
        return ""
    return next((word for word in words if word.startswith(error.option_name)), "")
