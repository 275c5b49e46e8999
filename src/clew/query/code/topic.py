"""Which notes say why the code that a question names is as it is.

Those that speak of it, or name its file, rank high, then those beside and near. And what the source
says of the code is looked for, where the question has nothing but names.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import NamedTuple

from clew.engine.snapshot import Snapshot
from clew.query.code.related import CHARACTERS_MAX, CodeInsight
from clew.query.code.speaking import Speaking
from clew.query.context.terms import folded_words
from clew.text.dates.intent import period_of
from clew.text.stopwords import STOP_WORDS

TOPIC_WORDS_MAX = 12


class SpokenSlots(NamedTuple):
    """The slots of passages that speak of entities, or name their files, and of others there."""

    spoken: list[int]
    beside: list[int]  # the passages before and after each in its section
    near: list[int]  # those that name the folder of an entity, or the file of its callers


def slots_spoken(snapshot: Snapshot, insights: Sequence[CodeInsight]) -> SpokenSlots:
    """Return the slots of the passages that speak of entities, and of those beside and near."""
    spoken, beside = _slots(snapshot, (each for one in insights for each in one.spoken))
    near, _ = _slots(snapshot, (each for one in insights for each in one.near))
    return SpokenSlots(spoken, beside, near)


def _slots(snapshot: Snapshot, lines: Iterable[Speaking]) -> tuple[list[int], list[int]]:
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
    those of its docstring, then of its callers', then of its file's. Only words of notes are added,
    and none that mean a time.
    """
    names = {part.casefold() for each in insights for part in each.matched.split(".")}
    if set(folded_words(query[:CHARACTERS_MAX])) - names - STOP_WORDS:
        return query
    texts = [each.about for each in insights]
    texts += [end.about for each in insights for end in each.callers]
    texts += [each.callers_file_about for each in insights]
    texts += [each.file_about for each in insights]
    told = dict.fromkeys(word for text in texts for word in folded_words(text))
    known = snapshot.passages.keyword.id_of
    words = [word for word in told if word not in STOP_WORDS and known(word) is not None]
    topic = " ".join([word for word in words if not _is_time(word)][:TOPIC_WORDS_MAX])
    return query if _is_time(topic) else f"{query} {topic}"


def _is_time(text: str) -> bool:
    return period_of(text, 0, UTC, may_be_unsure=True) is not None
