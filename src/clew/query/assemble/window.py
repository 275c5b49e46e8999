"""The values that a context window is made of: items, sections, and what a session remembers."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from clew.query.quoting.note_text import one_line, quoted
from clew.query.slices import PAUSE, Slices
from clew.text.masking.secrets import masked
from clew.values.windows.priorities import PRIORITIES

# The sections in order of priority, each with its default level, which rules can change.
LEVEL_BY_SECTION: Final[Mapping[str, str]] = {
    "state": "critical",
    "warnings": "critical",
    "constraints": "high",
    "knowledge": "medium",
    "history": "medium",
    "suggestions": "low",
    "working_memory": "low",
}
SECTIONS: Final = tuple(LEVEL_BY_SECTION)
SEARCH: Final = "search"  # the source of passages, and of what search suggests beside them
CONCEPT: Final = "concept"  # the source of insights about concepts that a task names
REQUEST: Final = "request"  # the source of an item that the request gives without one
REF_CHARACTERS_MAX = 400  # of a reference that is shown


class WindowItem(Struct, frozen=True, gc=False):
    """A piece of text for a section, as the window shows it."""

    text: str
    source: str
    ref: str | None = None
    priority: str = "medium"
    is_spare: bool = False  # dropped before others of its priority
    live: tuple[str, ...] = ()  # URIs of the live notes that replace its note
    is_cut: bool = False  # its text is the beginning of what it was
    is_reserved: bool = False  # room was kept for it beside knowledge
    turn: str = ""  # which turn of which session it is: two turns may say the same

    @property
    def key(self) -> bytes:
        """A hash of the text for deduplication; white space and the reference do not count."""
        words = " ".join((*self.text.split(), self.turn)).encode("utf-8", "replace")
        return hashlib.blake2b(words, digest_size=16).digest()

    @property
    def block(self) -> str:
        """The item with its reference above it."""
        if self.ref is None or self.ref in self.text:
            return self.text
        return f"`{self.ref}`\n{self.text}"


def _recall_nothing(_: str, __: int) -> Slices[tuple[WindowItem, ...]]:
    yield PAUSE
    return ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the daemon remembers of a session: its turns, and its scratch store.

    ``turns``: the last ones, the newest first. ``scratch``: the newest first. ``recall(query,
    most)`` returns the turns about a query: those of ``turns`` that are among the ``most`` best,
    then up to ``most`` others, of any session, best first.
    """

    turns: tuple[WindowItem, ...] = ()
    scratch: Mapping[str, str] = field(default_factory=dict)
    recall: Callable[[str, int], Slices[tuple[WindowItem, ...]]] = _recall_nothing


NOTHING_REMEMBERED: Final = Remembered()


def shown_item(
    text: str, source: str, ref: str | None = None, priority: str = "medium"
) -> WindowItem:
    """Return an item whose secrets are masked and whose text cannot forge structure of a window."""
    reference = one_line(masked(ref)[0], REF_CHARACTERS_MAX).replace("`", "'") if ref else None
    return WindowItem(quoted(masked(text)[0]), one_line(source), reference, priority)


def section_order(priorities: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sections in order of priority, where ``priorities`` replace their levels."""
    levels = {**LEVEL_BY_SECTION, **priorities}
    return tuple(sorted(SECTIONS, key=lambda each: PRIORITIES.index(levels[each])))
