"""Refusals of the daemon in terms of the command line.

The daemon names the field of the request that is wrong. A user knows the option or the argument
that fills it, so a message must name that: "--limit must be 1 or more, not 0".
"""

from __future__ import annotations

from clew.surface.cli.table import COMMON, Command

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from typing import Any

    from clew.surface.client import Refused

# Messages that replace those of the daemon, by command and field.
_MESSAGES = {
    ("backlinks", "uri"): "give either a NOTE or --concept",
    ("read", "uri"): "give either a NOTE or --title",
    ("tags", "prefix"): "give either a TAG or --prefix",
}
# Parts of hints, which the daemon words for programs, and their replacements for the user.
_HINT_WORDS = (
    ("with more waitFreshMs", "in a moment: `clew status` tells what is still read"),
    ("with waitFresh", "with --wait-fresh"),
    ("a smaller limit", "a smaller --limit"),
    ("`recent` lists notes, `search`", "`clew recent` lists notes, `clew search`"),
    ("`why` tells the reason", "`clew why` tells the reason"),
    ("`code` tells what is in it", "`clew code` tells what is in it"),
    ("`concept` tells what it goes with", "`clew backlinks --concept` lists the links to it"),
    (
        "send the method and the parameters that it came with",
        "repeat the command that printed it, with its arguments and options",
    ),
)


def user_message(error: Refused, command: Command, fields: dict[str, Any]) -> str:
    """Return the message of a refusal with the names that a user types.

    ``fields``: the values of the command line, by field.
    """
    field, message = error.field, str(error)
    override = _MESSAGES.get((command.name, field))
    is_about_the_value = message.startswith(f"{field}: ")
    if override and not is_about_the_value:
        return override
    name = _names(command).get(field)
    if name is None:
        return message
    reason = message.removeprefix(f"{field}: ")
    if is_about_the_value and reason.endswith((" or more", " or less")):
        return f"{name} {reason}, not {_plain(fields.get(field))}"
    if is_about_the_value and reason.startswith(("must ", "may ")):
        return f"{name} {reason}"
    if reason.startswith("Invalid"):
        return f"{name} has a value that cannot be used: {_plain(fields.get(field))}"
    if name.startswith("--"):
        renamed = reason.removeprefix("the ").replace(field, name, 1)
        return renamed if renamed != reason else f"{name}: {reason}"
    return reason


def user_hint(hint: str) -> str:
    """Return a hint of the daemon with the names that a user types."""
    for wire, typed in _HINT_WORDS:
        hint = hint.replace(wire, typed)
    return hint


def _names(command: Command) -> dict[str, str]:
    """Return the long flag of each option and the shown name of each argument, by field."""
    names = {option.field: option.flags[-1] for option in (*command.options, *COMMON)}
    return names | {argument.field: argument.name.upper() for argument in command.arguments}


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "-".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
