"""Names close to one that was not found: shared runs of three letters, best first."""

from collections.abc import Iterable

SUGGESTIONS_MAX = 5
_LIKENESS_MIN = 0.35
_CHARACTERS_MAX = 100


def close_names(wanted: str, names: Iterable[str], most: int = SUGGESTIONS_MAX) -> tuple[str, ...]:
    """Return up to ``most`` of ``names`` that look like ``wanted``, closest first.

    Likeness is Dice's coefficient over trigrams of the text with its ends marked, in [0, 1].
    """
    runs = _trigrams(wanted.casefold()[:_CHARACTERS_MAX])
    scored = []
    for name in names:
        marked = f"^{name.casefold()}$"
        shared = sum(run in marked for run in runs)
        likeness = 2 * shared / (len(runs) + len(marked) - 2)
        if likeness >= _LIKENESS_MIN:
            scored.append((-likeness, name))
    return tuple(name for _, name in sorted(scored)[:most])


def _trigrams(text: str) -> set[str]:
    marked = f"^{text}$"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
