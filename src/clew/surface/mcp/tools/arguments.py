"""Check the arguments of a tool against its schema, with messages that say what to send instead.

Only the features that the schemas use are checked: types, ranges, choices and lists of texts.
"""

from __future__ import annotations

from clew.surface.mcp.messages import echoed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

TEXT_CHARACTERS_MAX = 200_000  # fits into a request of 1 MiB even if JSON escapes the text
LIST_ITEMS_MAX = 1000


class ToolError(Exception):
    """A tool cannot carry out a call; the message says what to do instead."""


def checked(tool: str, schema: Schema, given: Any) -> dict[str, Any]:
    """Return the arguments of a call without ``null`` ones, and whole numbers as ``int``.

    Raises:
        ToolError: the arguments do not fit the schema.
    """
    if not isinstance(given, dict):
        raise ToolError(f"the arguments of {tool} are a JSON object")
    properties: Schema = schema["properties"]
    unknown = [name for name in given if name not in properties]
    if unknown:
        known = ", ".join(properties) or "no arguments"
        raise ToolError(f"{tool} has no argument {echoed(unknown[0])}: it takes {known}")
    arguments = {name: _whole(value) for name, value in given.items() if value is not None}
    for name in schema.get("required", ()):
        if name not in arguments:
            raise ToolError(f"{tool} needs the argument {name}")
    for name, value in arguments.items():
        expectation = _expectation(properties[name], value)
        if expectation:
            raise ToolError(f"{name} is {expectation}")
    return arguments


def _whole(value: Any) -> Any:
    # JSON Schema calls 2.0 an integer, and clients that keep all numbers as doubles write it so.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _expectation(schema: Schema, value: Any) -> str:
    """Return a description of the valid values, ``""`` if ``value`` is valid."""
    if schema["type"] == "integer":
        least, greatest = schema["minimum"], schema["maximum"]
        fits = type(value) is int and least <= value <= greatest
        return "" if fits else f"an integer from {least} to {greatest}"
    if schema["type"] == "array":
        fits = isinstance(value, list) and len(value) <= LIST_ITEMS_MAX
        fits = fits and not any(_expectation(schema["items"], item) for item in value)
        return "" if fits else f"a list of texts, {LIST_ITEMS_MAX} at most"
    if not isinstance(value, str) or len(value) > TEXT_CHARACTERS_MAX:
        return f"a text of at most {TEXT_CHARACTERS_MAX} characters"
    if "enum" in schema and value not in schema["enum"]:
        return f"one of {', '.join(schema['enum'])}"
    return ""
