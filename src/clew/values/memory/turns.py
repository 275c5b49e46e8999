"""Sessions of an agent: their turns, each a text and its role, and their scratch values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

EMBEDDED_CHARACTERS = 1_000  # the start of a turn's text, from which its vector is made


class Turn(NamedTuple):
    """One turn of a session."""

    session_id: str  # as the client named it, or the URI of the note
    number: int  # 1-based, in its session
    role: str
    text: str
    time_s: float  # POSIX seconds
    uri: str | None  # the reference of its lines, if it is in a note
    digest: bytes  # of the role and the text

    @property
    def embedded_text(self) -> str:
        """The text from which its vector is made."""
        return f"{self.role}: {self.text[:EMBEDDED_CHARACTERS]}"


def new_turn(
    session_id: str, number: int, role: str, text: str, time_s: float, uri: str | None = None
) -> Turn:
    """Return a turn with its digest."""
    digest = blake2b(f"{role}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Turn(session_id, number, role, text, time_s, uri, digest)


class ScratchEntry(NamedTuple):
    """A scratch value, and when it was set."""

    value: str
    time_s: float  # POSIX seconds


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one session, in their order, and its scratch values by key."""

    id: str
    turns: tuple[Turn, ...] = ()
    scratch: Mapping[str, ScratchEntry] = field(default_factory=dict)
    uri: str | None = None  # the note that holds it

    @property
    def last_s(self) -> float:
        """The POSIX seconds of the last addition, 0.0 without one."""
        last_turn_s = self.turns[-1].time_s if self.turns else 0.0
        return max(last_turn_s, max((entry.time_s for entry in self.scratch.values()), default=0.0))
