"""The table of tools: names, descriptions, schemas, and the functions that run them.

All but the functions is in the context of every conversation of an agent, so each word has a cost.
"""

from __future__ import annotations

from clew.surface.mcp.tools import checks, code, concepts, finding, notes, sessions, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from clew.surface.mcp.work import Work

    Schema = dict[str, Any]


class Tool:
    """One tool: the fields that a client sees, and the function that runs it."""

    __slots__ = ("description", "name", "reads_only", "run", "schema")

    def __init__(
        self,
        run: Callable[[dict[str, Any]], Work[str]],
        description: str,
        properties: Schema,
        *required: str,
        reads_only: bool = True,
    ) -> None:
        self.name = run.__name__
        self.description = description
        self.schema: Schema = {"type": "object", "properties": properties}
        if required:
            self.schema["required"] = list(required)
        self.run = run
        self.reads_only = reads_only

    @property
    def listed(self) -> dict[str, Any]:
        """The tool as ``tools/list`` shows it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.schema,
            "annotations": self._annotations,
        }

    @property
    def _annotations(self) -> dict[str, bool]:
        if self.reads_only:
            return {"readOnlyHint": True, "openWorldHint": False}
        return {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}


def _text(description: str = "", choices: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {"type": "string"}
    if choices:
        schema["enum"] = list(choices)
    return {**schema, "description": description} if description else schema


def _number(least: int, most: int, default: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "default": default}


_CURSOR = _text()

_ALL = (
    Tool(
        finding.context,
        "Answer a question from the notes: the passages that help most, with references, and "
        "related concepts, in one text. Try this first.",
        {
            "query": _text(),
            "budget": {
                **_number(
                    finding.CONTEXT_TOKENS_MIN, finding.CONTEXT_TOKENS_MAX, finding.CONTEXT_TOKENS
                ),
                "description": "Tokens of the reply",
            },
            "exclude": {
                "type": "array",
                "items": _text(),
                "description": "References that you have already",
            },
        },
        "query",
    ),
    Tool(
        finding.search,
        "List notes by words, meaning, links and time, each with its best passage. "
        'The query may hold "exact phrase", -word, tag:x, path:x, file:x, type:x, and times such '
        "as 'last week'.",
        {"query": _text(), "limit": _number(1, 30, finding.SEARCH_ROWS), "cursor": _CURSOR},
        "query",
    ),
    Tool(
        concepts.concept,
        "What a concept goes with: concepts in the same notes, siblings that share its neighbours, "
        "similar names. With `to`: how it leads to another concept, and by which notes.",
        {
            "name": _text("As in a [[link]]"),
            "to": _text(),
            "limit": _number(1, 40, concepts.RELATIONS),
        },
        "name",
    ),
    Tool(
        notes.read,
        "Read a note, or the part that a reference names.",
        {
            "ref": _text(
                "memory:// reference, path, title or alias; may end in #Heading or #L3-L9"
            ),
            "cursor": _CURSOR,
        },
        "ref",
    ),
    Tool(
        notes.recent,
        "List notes by date, newest first.",
        {
            "since": _text("Such as 2026-03-01, 7d, last week"),
            "until": _text("Before it"),
            "by": _text(choices=("modified", "created", "read")),
            "limit": _number(1, 60, notes.RECENT_ROWS),
            "cursor": _CURSOR,
        },
    ),
    Tool(
        concepts.communities,
        "The themes of these notes: groups of concepts that belong together, largest first.",
        {"limit": _number(1, 20, concepts.COMMUNITIES), "cursor": _CURSOR},
    ),
    Tool(checks.status, "Whether all notes are indexed, and what does not work.", {}),
    Tool(
        checks.verify,
        "Check the references in a text you wrote: do the cited lines still say the same?",
        {"text": _text()},
        "text",
    ),
)
# Tools that are served only if ``clew mcp --tools`` names their group.
GROUPS = {
    "code": (
        Tool(
            code.code,
            "What calls a function or class, what it calls, and the notes that speak of it.",
            {
                "name": _text("Such as AuthService.login, or a symbol or reference from a reply"),
                "limit": _number(1, 50, code.CODE_ROWS),
                "cursor": _CURSOR,
            },
            "name",
        ),
    ),
    "memory": (
        Tool(
            sessions.session_append,
            "Keep what was said, one turn at a time, for later sessions.",
            {
                "session": _text("This conversation, always the same"),
                "role": _text("user, assistant or a name"),
                "text": _text(),
            },
            "session",
            "role",
            "text",
            reads_only=False,
        ),
        Tool(
            sessions.session_recall,
            "What was said earlier about something.",
            {
                "query": _text(),
                "session": _text("This conversation"),
                "limit": _number(1, 20, sessions.RECALLED),
            },
            "query",
        ),
        Tool(
            windows.assemble,
            "All you need for a task: rules, notes and what was said, in one text.",
            {
                "task": _text(),
                "session": _text(),
                "budget": _number(100, finding.CONTEXT_TOKENS_MAX, finding.CONTEXT_TOKENS),
            },
            "task",
        ),
    ),
}
TOOLS = {tool.name: tool for tool in _ALL}


def tools_of(groups: Iterable[str]) -> dict[str, Tool]:
    """Return the tools that are always served, and the tools of ``groups``, by name."""
    return TOOLS | {tool.name: tool for group in groups for tool in GROUPS[group]}
