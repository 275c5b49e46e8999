"""The tools ``status`` and ``verify``."""

from __future__ import annotations

from clew.surface.mcp.text import one_line
from clew.surface.mcp.tools.rows import fitted
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.surface.mcp.work import Work

    Result = dict[str, Any]

_UNREADY = {
    "keyword": "Not all notes have been read yet",
    "vectors": "Not all notes have vectors yet: search by meaning finds only a part",
    "code": "Not all code has been read yet: calls of a function may be missing",
}
_IN_PARTS = "give the text in parts"
_STATES = {
    "stands": "stands: {ref}",
    "moved": "moved: {ref} is now {now}",
    "changed": "changed: the lines of {ref} say something else now, or its hash is damaged; read "
    "them again",
    "gone": "gone: {ref}; remove it, or find another source",
}


def status(_: Result) -> Work[str]:
    """Return the counts of the index, and the parts that do not work."""
    result = yield Question("status")
    progress = result["indexing"]
    counts = ", ".join(f"{result[name]} {name}" for name in ("notes", "concepts", "communities"))
    lines = [f"Vault {one_line(result['vault'], 500)}: {counts}"]
    if progress:
        lines.append(f"Reading notes: {progress['done']} of {progress['total']} so far")
    elif not result["ready"]:
        stages = result["stages"]
        lines += [line for name, line in _UNREADY.items() if not stages[name]["ready"]]
    else:
        lines.append("Everything is indexed")
    lines += [f"Does not work: {one_line(str(part), 200)}" for part in result["degraded"]]
    if result["problems"]:
        lines.append(f"{result['problems']} problems in notes: `clew doctor` lists them")
    return "\n".join([*lines, f"clew {result['version']}"])


def verify(arguments: Result) -> Work[str]:
    """Return, for each reference in a text, whether the cited lines still say the same."""
    result = yield Question("verify", text=arguments["text"])
    rows = [_citation(row) for row in result["citations"]]
    unchecked = result["unchecked"]
    if not rows and not unchecked:
        return "The text has no references such as memory://path.md#L3-L9~1a2b3c4d"
    standing = sum(row["state"] == "stands" for row in result["citations"])
    head = f"{standing} of {len(rows) + unchecked} references stand"
    if unchecked:
        head += f"; {unchecked} were not checked: {_IN_PARTS}"
    return fitted([head], rows, _IN_PARTS)


def _citation(row: Result) -> str:
    text = _STATES.get(row["state"], f"{row['state']}: {{ref}}")
    now = one_line(str(row["now"]), 500)
    return "- " + text.format(ref=one_line(row["ref"], 500), now=now)
