"""Find what a query says that somebody did, which notes may record: "what did I write"."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from clew.text.dates.languages.english import (
    ACTS,
    ANYTHING,
    BEFORE_ACTS,
    FIRST_PERSON,
    NOTE_WORDS,
    PLAIN_NOTE_WORDS,
    REQUEST_WORDS,
    SHOWING,
    SUBJECTS,
    WRITING_WORDS,
)
from clew.text.stopwords import STOP_WORDS

_ASKS = ANYTHING | {"what", "which"}


def own_acts(texts: Sequence[str], verbs: AbstractSet[str] = ACTS) -> frozenset[int]:
    """Return the indexes in ``texts`` of the ``verbs`` that say what "I" or "we" did.

    "Done" may be far behind its subject: a verb of another language is read as "done".
    """
    acts: set[int] = set()
    for at, text in enumerate(texts):
        if text not in SUBJECTS:
            continue
        act = at + 1
        while act < len(texts) and texts[act] in BEFORE_ACTS:
            act += 1
        if act < len(texts) and texts[act] in verbs:
            acts.add(act)
        elif "done" in texts[at:]:
            acts.add(texts.index("done", at))
    return frozenset(acts)


def words_that_only_ask(
    texts: Sequence[str], taken: AbstractSet[int], acts: AbstractSet[int]
) -> frozenset[int] | None:
    """Return the indexes of the words for notes, and for what was done, of a query for just these.

    ``None`` if the query has a topic, or asks for nothing. ``taken``: the indexes of the words of
    time; ``acts``: those of ``own_acts``.
    """
    left = [i for i in range(len(texts)) if i not in taken]
    asking = frozenset(i for i in left if texts[i] in PLAIN_NOTE_WORDS | ACTS | ANYTHING)
    if any(i not in asking and texts[i] not in STOP_WORDS | SUBJECTS for i in left):
        return None
    return asking if acts or any(texts[i] in _ASKS for i in left) else None


def words_around_notes(
    texts: Sequence[str], notes: Sequence[int], time: Collection[int]
) -> frozenset[int]:
    """Return the indexes of words that only ask for notes: "list all NOTES created in March".

    They are before the first of ``notes``, the rising indexes of words for notes, and between one
    and the ``time``, the indexes of its words.
    """
    around: set[int] = set()
    leading = [i for i in range(min(notes, default=0)) if i not in time]
    if all(texts[i] in REQUEST_WORDS for i in leading):
        around.update(leading)
    begin = min(time, default=0)
    for at in notes:
        between = range(at + 1, begin)
        if all(texts[i] in WRITING_WORDS for i in between):
            around.update(between)
    return frozenset(around)


def end_of_writing(texts: Sequence[str], at: int, note_words: AbstractSet[str]) -> int:
    """Return the index after the words at ``at`` that say how notes were made: "EDITED notes".

    ``at`` if no word for notes follows.
    """
    end = at
    while end < len(texts) and texts[end] in WRITING_WORDS:
        end += 1
    return end if not note_words.isdisjoint(texts[end : end + 1]) else at


def is_personal(texts: Sequence[str]) -> bool:
    """Return whether a query has a word for notes, or for its asker.

    The "me" of "show me" does not make it personal.
    """
    return any(
        text in NOTE_WORDS or (text in FIRST_PERSON and not (text == "me" and before in SHOWING))
        for before, text in zip(("", *texts), texts, strict=False)
    )
