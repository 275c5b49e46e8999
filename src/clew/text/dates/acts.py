"""Find what a query says that somebody did, which notes may record: "what did I write"."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.text.dates.languages.english import (
    ACTS,
    ANYTHING,
    BEFORE_ACTS,
    PLAIN_NOTE_WORDS,
    SUBJECTS,
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
