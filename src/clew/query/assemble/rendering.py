"""The text of a context window, from its sections, the known entities and the task."""

from collections.abc import Mapping, Sequence

from clew.query.assemble.window import WindowItem

_TITLE_BY_SECTION: Mapping[str, str] = {
    "state": "State",
    "warnings": "Warnings",
    "constraints": "Constraints",
    "knowledge": "Knowledge",
    "history": "History",
    "suggestions": "Suggestions",
    "working_memory": "Working Memory",
}
ENTITIES = "## Known Entities"
REQUEST = "## User Request"


def rendered_window(
    sections: Mapping[str, Sequence[WindowItem]], entities: Sequence[str], request: str
) -> str:
    """Return the text: a heading for each section that has items, the entities, the task last."""
    return f"{rendered_context(sections, entities)}{REQUEST}\n\n{request}\n"


def rendered_context(sections: Mapping[str, Sequence[WindowItem]], entities: Sequence[str]) -> str:
    """Return the text before the task."""
    blocks: list[str] = []
    for section, items in sections.items():
        if items:
            blocks += section_blocks(section, items)
    if entities:
        blocks.append("\n".join((ENTITIES, "", *entities)))
    return "".join(f"{block}\n\n" for block in blocks)


def section_blocks(section: str, items: Sequence[WindowItem]) -> list[str]:
    """Return a section as blocks: its heading and its items."""
    return [f"## {_TITLE_BY_SECTION[section]}", *(item.block for item in items)]
