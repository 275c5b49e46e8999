"""The few sentences of a passage that show best why it was found. Pure text."""

import re
import unicodedata
from collections.abc import Sequence

from clew.query.notes.preview import excerpt

WINDOW_CHARACTERS = 160  # within which words count as standing together
FORMS_MAX = 200  # ways to write the words asked for that are looked for
PLACES_MAX = 20  # of each

_HEADINGS = re.compile(r"(?:#{1,6}[ \t][^\n]*\n\s*)+(?=\S)")


def snippet(text: str, forms: Sequence[Sequence[str]]) -> str:
    """Return about 200 characters of ``text``, where it holds most of what was asked for.

    ``forms`` are the folded ways to write each term. A text with none of them begins at its start.
    Headings it begins with are left out: a result has them beside it.
    """
    headings = _HEADINGS.match(text)
    text = text[headings.end() if headings else 0 :]
    words = unicodedata.normalize("NFC", " ".join(text.split()))
    folded = words.casefold()
    if len(folded) != len(words):  # some letters fold to two; places would not fit
        folded = words.lower()
    if len(folded) != len(words):
        folded = words
    places = sorted(_places(folded, forms, inside=False) or _places(folded, forms, inside=True))
    if not places:
        return excerpt(words, 0, 0)
    first, last = _densest(places)
    return excerpt(words, places[first][0], places[last][1])


def _places(
    folded: str, forms: Sequence[Sequence[str]], *, inside: bool
) -> list[tuple[int, int, int]]:
    """Return where each term begins and ends, with its number; ``inside`` other words too."""
    found = []
    budget = FORMS_MAX
    for term, ways in enumerate(forms):
        for form in ways[:budget]:
            budget -= 1
            at = folded.find(form)
            for _ in range(PLACES_MAX):
                if at < 0:
                    break
                end = at + len(form)
                if inside or not form[0].isascii() or at == 0 or not folded[at - 1].isalnum():
                    found.append((at, end, term))
                at = folded.find(form, end)
    return found


def _densest(places: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return the first run of places within the window that holds most terms, then most places."""
    best, chosen = (0, 0), (0, 0)
    counts: dict[int, int] = {}
    first = 0
    for last, (_, end, term) in enumerate(places):
        counts[term] = counts.get(term, 0) + 1
        while first < last and end - places[first][0] > WINDOW_CHARACTERS:
            gone = places[first][2]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        weight = (len(counts), last - first + 1)
        if weight > best:
            best, chosen = weight, (first, last)
    return chosen
