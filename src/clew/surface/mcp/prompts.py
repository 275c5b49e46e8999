"""The two prompts: instructions that make an agent use the tools for a common question."""

from __future__ import annotations

from clew.surface.mcp.messages import INVALID_PARAMS, Fault, echoed
from clew.surface.mcp.text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TOPIC_CHARACTERS_MAX = 500
_KNOWN = """\
What do I know about: {topic}?

Answer from my notes alone. Call `context` with the topic as the query, and `concept` with its \
name; `read` what they leave open. Say what my notes say, where they disagree, and what they do \
not say. Give the reference of the note after each statement."""
_WEEK = """\
Brief me on my week.

Call `recent` with since "7d", and `read` the notes that matter most, or ask `context` about \
them. Tell me in a few short paragraphs what I worked on, what I decided, and what is still open. \
Give the reference of the note after each statement."""

LISTED: list[dict[str, Any]] = [
    {
        "name": "what_do_i_know",
        "description": "What do I know about a topic?",
        "arguments": [{"name": "topic", "description": "Any subject", "required": True}],
    },
    {"name": "brief_my_week", "description": "Brief me on my week.", "arguments": []},
]


def prompt(params: dict[str, Any]) -> dict[str, Any]:
    """Return the messages of the prompt that ``params`` name.

    Raises:
        Fault: there is no such prompt, or its argument is missing.
    """
    name, arguments = params.get("name"), params.get("arguments") or {}
    if name == "brief_my_week":
        return _message("Brief me on my week", _WEEK)
    if name != "what_do_i_know":
        known = ", ".join(row["name"] for row in LISTED)
        raise Fault(INVALID_PARAMS, f"no prompt {echoed(str(name))}: there are {known}")
    topic = arguments.get("topic") if isinstance(arguments, dict) else None
    if not isinstance(topic, str) or not topic.strip():
        raise Fault(INVALID_PARAMS, "the prompt what_do_i_know needs the argument topic, a text")
    shown = one_line(topic, _TOPIC_CHARACTERS_MAX)
    return _message(f"What do I know about {shown}?", _KNOWN.format(topic=shown))


def _message(description: str, text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    return {"description": description, "messages": [{"role": "user", "content": content}]}
