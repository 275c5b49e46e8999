"""Suggestions: the names most similar to an unknown one, by shared trigrams."""

from collections.abc import Iterable

SUGGESTIONS_MAX = 5
_SIMILARITY_MIN = 0.35
_CHARACTERS_MAX = 100


def close_names(
    name: str, names: Iterable[str], count_max: int = SUGGESTIONS_MAX
) -> tuple[str, ...]:
    """Return up to ``count_max`` of ``names`` similar to ``name``, most similar first.

    Similarity is Dice's coefficient of the trigrams, with the ends of the text marked, in 0..1.
    """
    trigrams = _trigrams(name.casefold()[:_CHARACTERS_MAX])
    scored = []
    for candidate in names:
        marked = f"^{candidate.casefold()}$"
        shared = sum(trigram in marked for trigram in trigrams)
        similarity = 2 * shared / (len(trigrams) + len(marked) - 2)
        if similarity >= _SIMILARITY_MIN:
            scored.append((-similarity, candidate))
    return tuple(candidate for _, candidate in sorted(scored)[:count_max])


def _trigrams(text: str) -> set[str]:
    marked = f"^{text}$"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
