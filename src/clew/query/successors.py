"""The live notes that replace a superseded note: the ends of the chains that lead on from it."""

from clew.engine.snapshot import Snapshot
from clew.query.dates import iso
from clew.query.quoting.labels import Remark
from clew.query.quoting.note_text import in_label
from clew.text.masking.secrets import masked
from clew.text.uri import to_uri
from clew.values.search_replies import LiveNote

CHAIN_MAX = 1_000  # notes that are visited on all chains from one note
LIVE_MAX = 3  # notes that a reply names
TITLE_CHARACTERS_MAX = 80


def live_paths(snapshot: Snapshot, path: str) -> list[str]:
    """Return the notes at the ends of the chains from ``path``, the newest first.

    The list is empty if no note replaces it. It is empty too if all chains are cycles, since
    nothing tells then which note is live.
    """
    index = snapshot.successors
    seen, waiting = {path}, [path]
    live: list[str] = []
    for replaced in waiting:
        for successor in sorted(index.successors(replaced) - seen):
            if len(seen) >= CHAIN_MAX:
                break
            seen.add(successor)
            is_live = not index.successors(successor) - {successor}
            (live if is_live else waiting).append(successor)
    return sorted(live, key=lambda path: (-snapshot.dates(path).created_s, path))


def replaced_by(snapshot: Snapshot, path: str) -> tuple[LiveNote, ...]:
    """Return the live notes that replace the note at ``path``, the newest first, a few at most."""
    if not snapshot.successors.is_replaced(path):
        return ()
    return tuple(_live_note(snapshot, each) for each in live_paths(snapshot, path)[:LIVE_MAX])


def _live_note(snapshot: Snapshot, path: str) -> LiveNote:
    title = in_label(masked(snapshot.title(path))[0], TITLE_CHARACTERS_MAX)
    since = iso(snapshot.dates(path).created_s).partition("T")[0]
    return LiveNote(uri=to_uri(path), title=title, since=since)


def superseded_line(replacements: tuple[LiveNote, ...]) -> str:
    """Return the line that tells what replaced a note and since when; ``""`` if nothing did."""
    if not replacements:
        return ""
    named = ", ".join(f"{each.title} (`{each.uri}`, {each.since})" for each in replacements)
    return f"*{Remark.SUPERSEDED} {named}*"
