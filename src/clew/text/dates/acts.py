"""What the asker says to have done, the result of which may be in notes: "what did I write"."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.text.dates.languages.english import ACTS, BEFORE_ACTS, SUBJECTS


def own_acts(texts: Sequence[str], verbs: AbstractSet[str] = ACTS) -> frozenset[int]:
    """Return the indexes of words for what "I" or "we" did, if it is one of these ``verbs``.

    "Done", which verbs of other languages are read as, may be far behind its subject.
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
