"""Which notes say why the code that a question names is as it is.

Those that speak of it, or name its file, rank high, then those beside and near, and those that have
a name which the source quotes. And what the source says of the code is looked for, where the
question has nothing but names.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from itertools import chain, islice
from typing import NamedTuple

from clew.engine.snapshot import Snapshot
from clew.query.code.mentions import Mention
from clew.query.code.related import USERS_FEW, CodeInsight
from clew.query.code.saying import slots_saying
from clew.query.search.narrowing.phrases import candidate_slots
from clew.query.slices import PAUSE, Slices
from clew.text.dates.intent import period_of
from clew.text.dates.seasons import seasons_in
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.text.similarity.folded_terms import folded_words
from clew.text.stopwords import STOP_WORDS
from clew.text.uri import SCHEME, from_uri

TOPIC_WORDS_MAX = 20
QUOTED_MAX = 8  # names that the source quotes, which are looked for
READ_MAX = 64  # passages with the words of such a name; one that more have is too common
QUOTING_MAX = 6  # passages that quote a name, too
_QUOTED = re.compile(r"`{1,2}([^`\s](?:[^`\n]{0,60}[^`\s])?)`{1,2}")
_TELLING = re.compile(r"[a-z][A-Z]|[./ ]")  # in a name that is no parameter


class SpokenSlots(NamedTuple):
    """The slots of passages that speak of entities, or name their files, and of others there."""

    spoken: list[int]
    beside: list[int]  # the passages before and after each in its section
    # Those that name the folder of an entity, or the files of its users; that speak of its users,
    # or of what it calls; that quote what their docstrings quote, or say what these say.
    near: list[int]


def slots_spoken(snapshot: Snapshot, insights: Sequence[CodeInsight]) -> Slices[SpokenSlots]:
    """Return the slots of the passages that speak of entities, and of those beside and near."""
    spoken, beside = _slots(snapshot, (each for one in insights for each in one.mentions))
    near, _ = _slots(snapshot, (each for one in insights for each in one.near))
    quoting = yield from _slots_quoting(snapshot, insights)
    saying: list[int] = []
    for each in insights:
        notes = frozenset([from_uri(each.file)]) if each.file.startswith(SCHEME) else frozenset()
        saying += yield from slots_saying(snapshot, _said(each), notes)
    return SpokenSlots(spoken, beside, [*near, *quoting, *saying])


def _slots_quoting(snapshot: Snapshot, insights: Iterable[CodeInsight]) -> Slices[list[int]]:
    """Return the slots of passages that quote the names which the source quotes.

    Of a name that many quote, those below a heading that is the name; of the name of what uses an
    entity too.
    """
    found: dict[int, None] = {}
    names = dict.fromkeys(_names_of_users(insights), False)
    names |= dict.fromkeys(islice(_names_quoted(insights), QUOTED_MAX), True)
    for name, may_be_in_text in names.items():
        slots = yield from candidate_slots(snapshot, name)
        quoting = {}
        for slot in slots.tolist() if len(slots) <= READ_MAX else ():
            text, heading = _passage(snapshot, slot)
            if heading == name or (may_be_in_text and f"`{name}`" in text):
                quoting[slot] = heading == name
        if len(quoting) > QUOTING_MAX:
            quoting = {slot: True for slot, is_below in quoting.items() if is_below}
        found |= dict.fromkeys(islice(quoting, QUOTING_MAX))
        yield PAUSE
    return list(found)


def _names_quoted(insights: Iterable[CodeInsight]) -> Iterator[str]:
    """Yield the names that the source quotes, each once; of functions none that is a parameter."""
    seen = set()
    for each in insights:
        of_functions = [each.about, *_said_of_users([each])]
        of_files = [each.users_file_about, each.file_about]
        for text in (*of_files, *of_functions):
            for name in _QUOTED.findall(text):
                if name not in seen and (text in of_files or _TELLING.search(name)):
                    seen.add(name)
                    yield name


def _names_of_users(insights: Iterable[CodeInsight]) -> Iterator[str]:
    """Yield the bare names of what uses an entity, if that is little: one may be a method's."""
    for each in insights:
        called, passed = (each.callers, each.member_callers), (each.passed, each.member_passed)
        users = list(chain(*(called if each.is_called else passed)))
        for end in users if len(users) <= USERS_FEW else ():
            yield end.name.rpartition(".")[2]


def _passage(snapshot: Snapshot, slot: int) -> tuple[str, str]:
    """Return the text of a passage, and the heading above it without its marks; "" for a head."""
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
    found: dict[int, None] = {}
    beside: dict[int, None] = {}
    for path, line, _ in lines:
        note_id, chunks = snapshot.graph.note_id(path), snapshot.note(path).chunks
        part = bisect_right(chunks, line, key=lambda chunk: chunk.first_line) - 1
        if note_id is None or part < 0 or line > chunks[part].last_line:
            continue
        first = slots.slots_of(note_id).start + 1  # after that of the title
        found[first + part] = None
        near = (each for each in (part - 1, part + 1) if 0 <= each < len(chunks))
        heading = chunks[part].heading
        beside.update((first + each, None) for each in near if chunks[each].heading == heading)
    return list(found), list(beside)


def with_topic(snapshot: Snapshot, query: str, insights: Sequence[CodeInsight]) -> str:
    """Return a query with what the source says of the entities, if it has nothing but their names.

    "Why is there a ``Store``" asks for what a store is about, in whatever words notes have it:
    names that the source quotes, then those of its docstring, its callers' and its file's. Only
    words of notes are added, and none that mean a time.
    """
    names = {part.casefold() for each in insights for part in each.matched.split(".")}
    if set(folded_words(query[:SEARCHED_CHARACTERS_MAX])) - names - STOP_WORDS:
        return query
    texts = list(islice(_names_quoted(insights), QUOTED_MAX))
    texts += [each.about or each.calls_about for each in insights]
    texts += [each.inside for each in insights]
    texts += _said_of_users(insights)
    texts += [each.users_file_about for each in insights]
    texts += [each.file_about for each in insights]
    told = dict.fromkeys(word for text in texts for word in folded_words(text))
    known = snapshot.passages.keyword.id_of
    topic = ""
    for word in told:
        longer = f"{topic} {word}".lstrip()
        if word not in STOP_WORDS and known(word) is not None and not _is_time(longer):
            topic = longer
            if topic.count(" ") + 1 == TOPIC_WORDS_MAX:
                break
    return f"{query} {topic}"


def _said(insight: CodeInsight) -> Iterator[str]:
    """Yield what the source says of an entity and its file, and of what uses it."""
    yield insight.about or insight.calls_about
    yield insight.inside
    yield insight.file_about
    yield from islice(filter(None, _said_of_users([insight])), USERS_FEW)
    yield insight.users_file_about


def _said_of_users(insights: Iterable[CodeInsight]) -> list[str]:
    """Return what the source says of callers, or what hands over an entity, and of its receiver."""
    users = [end for each in insights for end in (*each.callers, *each.passed)]
    receivers = [end.receiver.about for end in users if end.receiver is not None]
    return [*(end.about for end in users), *receivers]


def _is_time(text: str) -> bool:
    return bool(seasons_in(text)) or period_of(text, 0, UTC, may_be_unsure=True) is not None
