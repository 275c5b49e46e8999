"""Episodes: notes of ``type: session``, whose blocks headed ``## role · ISO time`` are turns."""

import re
from collections.abc import Collection

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.structures.lru import LruCache
from clew.query.slices import PAUSE, Slices
from clew.text.dates.moment import parse_moment
from clew.text.uri import to_uri
from clew.values.memory.turns import Session, Turn, new_turn
from clew.values.note import Note

SESSION_TYPES = ("session",)
EPISODES_MAX = 1_000  # notes that are read, the newest
CACHED_TURNS = 40_000
_TURN_LEVEL = 2
_HEADING = re.compile(r"(?P<role>\S.*?)\s+·\s+(?P<time>\S.*)")

# Sessions by path and content hash.
EpisodeCache = LruCache[tuple[str, str], Session]


def new_episode_cache() -> EpisodeCache:
    """Return an empty cache of episodes."""
    return LruCache(CACHED_TURNS, lambda session: 1 + len(session.turns))


def episodes(
    snapshot: Snapshot, paths: Collection[str], cache: EpisodeCache
) -> Slices[list[Session]]:
    """Return the sessions in the newest of the notes at ``paths``, newest first, ties by path.

    ``paths``: of all notes of type session.
    """
    ids = np.array([snapshot.graph.note_ids[path] for path in paths], np.int64)
    changed_s = snapshot.ages.changed_s(ids).tolist()
    newest = sorted(zip(changed_s, paths, strict=True), key=lambda row: (-row[0], row[1]))
    sessions: list[Session] = []
    for _, path in newest[:EPISODES_MAX]:
        key = path, snapshot.facts[path].content_hash
        session = cache.get(key)
        if session is None:
            session = episode(snapshot.note(path))
            cache.put(key, session)
        sessions.append(session)
        yield PAUSE
    return sessions


def episode(note: Note) -> Session:
    """Return the session that a note holds: the blocks below headings of turns.

    A turn goes on to the heading of the next turn, so its text may have other headings. The id of
    the session is the note's URI.
    """
    uri = to_uri(note.path)
    heads = [
        (heading.line, match["role"], time_s)
        for heading in note.headings
        if heading.level == _TURN_LEVEL
        and (match := _HEADING.fullmatch(heading.text.strip()))
        and (time_s := parse_moment(match["time"].strip())) is not None
    ]
    lines = note.text.split("\n")
    ends = [line - 1 for line, _, _ in heads[1:]] + [len(lines)]
    turns: list[Turn] = []
    for (line, role, time_s), end in zip(heads, ends, strict=False):
        block = lines[line:end]
        while block and not block[-1].strip():
            block.pop()
        reference = f"{uri}#L{line}-L{line + len(block)}"
        text = "\n".join(block).strip()
        turns.append(new_turn(uri, len(turns) + 1, role, text, time_s, reference))
    return Session(uri, tuple(turns), uri=uri)
