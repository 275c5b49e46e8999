"""Find what a query says that its asker did, which notes may record: "what did I write"."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.text.dates.languages.english import ACTS, BEFORE_ACTS, SUBJECTS


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
