"""Calls of tools: turns the parameters of ``tools/call`` into its result.

A failure of a tool is a result with ``isError``, which the agent reads and can act on.
"""

from __future__ import annotations

from clew.surface.client import NoDaemon, Refused
from clew.surface.mcp.messages import INVALID_PARAMS, Fault, echoed
from clew.surface.mcp.text import one_line
from clew.surface.mcp.tools.arguments import ToolError, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from clew.surface.mcp.tools.table import Tool
    from clew.surface.mcp.work import Work

_MESSAGE_CHARACTERS_MAX = 1000
_PROGRESS = "The first index is being built: {done} of {total} notes so far.\n\n"
_HINTS = {
    "notReady": "ask again in a few seconds",
    "busy": "ask again in a few seconds",
    "methodNotFound": "the daemon is older than this tool: restart it with `clew stop` and "
    "`clew start`",
    "internal": "the daemon's log has the details",
}

# Fields of requests, which the daemon names in errors, and the arguments of tools that fill them.
_ARGUMENT_BY_FIELD = {
    "conceptName": "name",
    "content": "text",
    "from": "name",
    "session.id": "session",
    "sessionId": "session",
    "task.text": "task",
    "uri": "ref",
}


def call_tool(params: dict[str, Any], tools: Mapping[str, Tool]) -> Work[dict[str, Any]]:
    """Call a tool; return the result with its text.

    Raises:
        Fault: there is no such tool.
    """
    name = params.get("name")
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None:
        wrong = f"no tool {echoed(name)}" if isinstance(name, str) else "name is that of a tool"
        raise Fault(INVALID_PARAMS, f"{wrong}: there are {', '.join(tools)}")
    try:
        arguments = checked(tool.name, tool.schema, params.get("arguments") or {})
        text = yield from _with_progress(tool.run(arguments))
    except Refused as error:
        return _content(explained(error, _ARGUMENT_BY_FIELD), is_error=True)
    except (NoDaemon, ToolError) as error:
        return _content(one_line(str(error), _MESSAGE_CHARACTERS_MAX), is_error=True)
    return _content(text, is_error=False)


def _content(text: str, *, is_error: bool) -> dict[str, Any]:
    # There is no ``structuredContent``, since some clients would then not show the text.
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _with_progress(work: Work[str]) -> Work[str]:
    """Run the work; prepend a remark to its text if the first index is still being built."""
    result: dict[str, Any] | None = None
    remark = ""
    while True:
        try:
            question = work.send(result)  # type: ignore[arg-type] # None starts it
        except StopIteration as done:
            return f"{remark}{done.value}"
        result = yield question
        if result.get("indexing") and question.method != "status":
            remark = _PROGRESS.format(**result["indexing"])


def explained(error: Refused, argument_by_field: Mapping[str, str] | None = None) -> str:
    """Return an error of the daemon as text, with advice on what to do next."""
    data = error.error.get("data")
    data = data if isinstance(data, dict) else {}
    hint = _HINTS.get(error.code, error.hint)
    notes = [*error.candidates, *data.get("suggestions", ())]
    field, _, reason = str(error).partition(": ")
    message = str(error)
    if argument_by_field is not None and field == error.field:
        message = f"{argument_by_field.get(field, field)}: {reason}"
    lines = [one_line(message, _MESSAGE_CHARACTERS_MAX)]
    if hint and not data.get("suggestions"):
        lines.append(one_line(hint, _MESSAGE_CHARACTERS_MAX))
    elif notes:
        lines.append("Close to it:")
    return "\n".join([*lines, *(f"- {one_line(str(note), 500)}" for note in notes)])
