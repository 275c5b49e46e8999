"""The passages of notes that explain why the code which a question names is as it is.

Passages that mention the code or its file rank high. Below these are passages beside them, passages
about related code, and passages that quote a name from the doc comments or match a sentence of
them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from clew.engine.snapshot import Snapshot
from clew.query.code.doc_matches import in_order, slots_matching
from clew.query.code.mentions import Mention
from clew.query.code.related import USERS_FEW, CodeInsight
from clew.query.search.narrowing.phrases import candidate_slots
from clew.query.slices import PAUSE, Slices
from clew.text.uri import SCHEME, from_uri

QUOTED_MAX = 8  # names quoted in doc comments that are looked for
READ_MAX = 64  # passages with the words of such a name; a name with more is too common
QUOTING_MAX = 6  # passages that quote a name; if more do, only those below its heading count
_QUOTED = re.compile(r"`{1,2}([^`\s](?:[^`\n]{0,60}[^`\s])?)`{1,2}")
_NOT_PARAMETER = re.compile(r"[a-z][A-Z]|[./ ]")  # matches in names that are no parameters


class ExplainingSlots(NamedTuple):
    """The slots of passages that explain entities, by how they are related to these."""

    mentioning: list[int]  # they mention an entity or its file
    beside: list[int]  # the passages before and after each of these in its section
    # Passages that mention the folder of an entity, its users or their files, or what it calls;
    # that quote a name which doc comments quote; or that match a sentence of these comments.
    near: list[int]


def explaining_slots(
    snapshot: Snapshot, insights: Sequence[CodeInsight]
) -> Slices[ExplainingSlots]:
    """Return the slots of passages that mention entities, stand beside these, or are near."""
    mentioning, beside = _slots(snapshot, (each for one in insights for each in one.mentions))
    near, _ = _slots(snapshot, (each for one in insights for each in one.near))
    quoting = yield from _slots_quoting(snapshot, insights)
    matching: list[int] = []
    for each in insights:
        notes = frozenset([from_uri(each.file)]) if each.file.startswith(SCHEME) else frozenset()
        matching += yield from slots_matching(snapshot, _doc_comments(each), notes)
    return ExplainingSlots(mentioning, beside, [*near, *quoting, *matching])


def quoted_names(insights: Iterable[CodeInsight]) -> Iterator[str]:
    """Yield the names quoted in doc comments, each once; parameters of functions are left out."""
    seen = set()
    for each in insights:
        of_functions = [each.about, *about_users([each])]
        of_files = [each.users_file_about, each.file_about]
        for text in (*of_files, *of_functions):
            for name in _QUOTED.findall(text):
                if name not in seen and (text in of_files or _NOT_PARAMETER.search(name)):
                    seen.add(name)
                    yield name


def about_users(insights: Iterable[CodeInsight]) -> list[str]:
    """Return the doc comments of callers, of what hands over an entity, and of receivers."""
    users = [end for each in insights for end in (*each.callers, *each.passed)]
    receivers = [end.receiver.about for end in users if end.receiver is not None]
    return [*(end.about for end in users), *receivers]


def _slots_quoting(snapshot: Snapshot, insights: Iterable[CodeInsight]) -> Slices[list[int]]:
    """Return the slots of passages that quote a name from doc comments, or are headed by it.

    If many passages quote a name, or if it is that of a user of an entity, only the passages below
    a heading that is the name are returned.
    """
    slots_in_order: dict[int, None] = {}
    names = dict.fromkeys(_names_of_users(insights), False)
    names |= dict.fromkeys(islice(quoted_names(insights), QUOTED_MAX), True)
    for name, may_be_in_text in names.items():
        slots = yield from candidate_slots(snapshot, name)
        quoting = {}
        for slot in in_order(snapshot, slots.tolist()) if len(slots) <= READ_MAX else ():
            text, heading = _passage(snapshot, slot)
            if heading == name or (may_be_in_text and f"`{name}`" in text):
                quoting[slot] = heading == name
        if len(quoting) > QUOTING_MAX:
            quoting = {slot: True for slot, is_below in quoting.items() if is_below}
        slots_in_order |= dict.fromkeys(islice(quoting, QUOTING_MAX))
        yield PAUSE
    return list(slots_in_order)


def _names_of_users(insights: Iterable[CodeInsight]) -> Iterator[str]:
    """Yield the names of the users of each entity that has few; of methods, without the class."""
    for each in insights:
        called, passed = (each.callers, each.member_callers), (each.passed, each.member_passed)
        users = list(chain(*(called if each.is_called else passed)))
        for end in users if len(users) <= USERS_FEW else ():
            yield end.name.rpartition(".")[2]


def _passage(snapshot: Snapshot, slot: int) -> tuple[str, str]:
    """Return the text of a passage and the heading above it; ``"", ""`` for a note's head."""
    note_id = int(snapshot.passages.slots.note_ids[slot])
    note = snapshot.note(snapshot.graph.path(note_id))
    part = slot - snapshot.passages.slots.slots_of(note_id).start
    if not part:
        return "", ""
    chunk = note.chunks[part - 1]
    heading = note.headings[chunk.heading].text if chunk.heading >= 0 else ""
    return note.text[chunk.start : chunk.end], heading.strip("`")


def _slots(snapshot: Snapshot, lines: Iterable[Mention]) -> tuple[list[int], list[int]]:
    """Return the slots of the passages with these lines, and of those beside them."""
    slots = snapshot.passages.slots
    slots_with_lines: dict[int, None] = {}
    beside: dict[int, None] = {}
    for path, line, _ in lines:
        note_id, chunks = snapshot.graph.note_id(path), snapshot.note(path).chunks
        part = bisect_right(chunks, line, key=lambda chunk: chunk.first_line) - 1
        if note_id is None or part < 0 or line > chunks[part].last_line:
            continue
        first = slots.slots_of(note_id).start + 1  # after that of the title
        slots_with_lines[first + part] = None
        neighbours = (each for each in (part - 1, part + 1) if 0 <= each < len(chunks))
        heading = chunks[part].heading
        beside.update(
            (first + each, None) for each in neighbours if chunks[each].heading == heading
        )
    return list(slots_with_lines), list(beside)


def _doc_comments(insight: CodeInsight) -> Iterator[str]:
    """Yield the doc comments of an entity, its file, and what uses it."""
    yield insight.about or insight.calls_about
    yield insight.inside
    yield insight.file_about
    yield from islice(filter(None, about_users([insight])), USERS_FEW)
    yield insight.users_file_about
