"""References to the passages of a pack: ``memory://path.md#L14-L27~1a2b3c4d``."""

from clew.query.citations.passage_hash import line_reference, passage_hash


def span_reference(uri: str, text: str, start: int, end: int, lines: tuple[int, int]) -> str:
    """Return the reference of ``lines``, those of ``text[start:end]``, in the note at ``uri``."""
    end = start + len(text[start:end].rstrip())
    line_end = text.find("\n", max(start, end - 1))
    whole = text[text.rfind("\n", 0, start) + 1 : len(text) if line_end < 0 else line_end]
    return line_reference(uri, lines, passage_hash(whole.split("\n")))
