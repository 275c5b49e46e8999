"""Arguments of a tool: checked against its schema, with a message that says what to send instead.

Only what the schemas here use is checked: types, ranges, lists of choices and lists of texts.
"""

from __future__ import annotations

from clew.surface.mcp.messages import echoed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

TEXT_CHARACTERS_MAX = 200_000  # a request for the daemon has at most 1 MiB, and JSON may escape
LIST_ITEMS_MAX = 1000


class ToolError(Exception):
    """A tool cannot do what it was asked; the message says what to do instead."""


def checked(tool: str, schema: Schema, given: Any) -> dict[str, Any]:
    """Return the arguments of a call; those that are ``null`` are left out.

    Raises:
        ToolError: they do not fit the schema.
    """
    if not isinstance(given, dict):
        raise ToolError(f"the arguments of {tool} are a JSON object")
    properties: Schema = schema["properties"]
    unknown = [name for name in given if name not in properties]
    if unknown:
        known = ", ".join(properties) or "no arguments"
        raise ToolError(f"{tool} has no argument {echoed(unknown[0])}: it takes {known}")
    arguments = {name: value for name, value in given.items() if value is not None}
    for name in schema.get("required", ()):
        if name not in arguments:
            raise ToolError(f"{tool} needs the argument {name}")
    for name, value in arguments.items():
        wanted = _wanted(properties[name], value)
        if wanted:
            raise ToolError(f"{name} is {wanted}")
    return arguments


def _wanted(schema: Schema, value: Any) -> str:
    """Return what a value must be, ``""`` if it fits."""
    if schema["type"] == "integer":
        least, most = schema["minimum"], schema["maximum"]
        fits = type(value) is int and least <= value <= most
        return "" if fits else f"an integer from {least} to {most}"
    if schema["type"] == "array":
        fits = isinstance(value, list) and len(value) <= LIST_ITEMS_MAX
        fits = fits and not any(_wanted(schema["items"], item) for item in value)
        return "" if fits else f"a list of texts, {LIST_ITEMS_MAX} at most"
    if not isinstance(value, str) or len(value) > TEXT_CHARACTERS_MAX:
        return f"a text of at most {TEXT_CHARACTERS_MAX} characters"
    if "enum" in schema and value not in schema["enum"]:
        return f"one of {', '.join(schema['enum'])}"
    return ""
