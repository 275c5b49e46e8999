"""Where a text says what a query asks for. Pure text; knows nothing of terminals.

The daemon tells which notes it found, not the places of words: these are found again here, by a
coarser rule than its stems, which needs none of its tables.
"""

from __future__ import annotations

from unicodedata import category, combining, normalize

from clew.text.stopwords import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]

WORDS_MAX = 64  # of a query, as the daemon has it
BEGINNING_MIN = 3  # letters; a shorter word must be the whole word

# How many neighbouring signs tell a word in scripts without spaces: three of syllables (Thai, Lao,
# Tibetan, Myanmar, Khmer), two of Han and kana. Patterns of these would take long to compile.
_SIGNS_OF_SCRIPT = (
    ("\u0e00", "\u0fff", 3),
    ("\u1000", "\u109f", 3),
    ("\u1780", "\u17ff", 3),
    ("\u3005", "\u3007", 2),
    ("\u3040", "\u30ff", 2),
    ("\u31f0", "\u31ff", 2),
    ("\u3400", "\u4dbf", 2),
    ("\u4e00", "\u9fff", 2),
    ("\uf900", "\ufaff", 2),
    ("\U00020000", "\U0003ffff", 2),
)
_MARKS_FROM = 10  # the combining class of the first mark that may be left out, of Hebrew


class Sought:
    """What a query asks for, made ready to be looked for in many texts."""

    __slots__ = ("_grams", "_words")

    def __init__(self, query: str) -> None:
        words: list[str] = []
        grams: list[str] = []
        for start, end in _runs(query):
            run = query[start:end]
            signs = _signs(run[0])
            if signs:
                grams += [run[at : at + signs] for at in range(max(1, len(run) - signs + 1))]
            else:
                words.append(_folded(run))
        telling = [word for word in words if word not in STOP_WORDS] or words
        self._words = telling[:WORDS_MAX]
        self._grams = grams[:WORDS_MAX]

    def marks(self, text: str) -> list[Span]:
        """Return where ``text`` says some of it: from and to, in order, none touching another.

        A word counts, whole, that begins with one that is asked for, or is over half of it
        (``drift`` for ``drifting``), whatever its case and accents. In scripts without spaces
        counts what has two neighbouring signs in common, or three where signs are syllables.
        """
        found: list[Span] = []
        for start, end in _runs(text):
            run = text[start:end]
            if _signs(run[0]):
                found += self._grams_in(run, start)
            elif any(_says(_folded(run), word) for word in self._words):
                found.append((start, end))
        return _joined(found)

    def _grams_in(self, run: str, start: int) -> Iterator[Span]:
        for gram in self._grams:
            at = run.find(gram)
            while at >= 0:
                yield start + at, start + at + len(gram)
                at = run.find(gram, at + 1)


def _says(word: str, sought: str) -> bool:
    if word == sought:
        return True
    if len(sought) >= BEGINNING_MIN and word.startswith(sought):
        return True
    half = len(word) >= BEGINNING_MIN and 2 * len(word) > len(sought)
    return half and sought.startswith(word)


def _runs(text: str) -> Iterator[Span]:
    """Return the words of ``text``, parted where a script without spaces begins or ends."""
    start, signs = None, 0
    for at, character in enumerate(f"{text} "):
        joins = character.isalnum() or category(character)[0] == "M"
        its_signs = _signs(character) if joins else 0
        if start is not None and not (joins and its_signs == signs):
            yield start, at
            start = None
        if joins and start is None:
            start, signs = at, its_signs


def _signs(character: str) -> int:
    """Return how many neighbouring signs tell a word, 0 where spaces do."""
    if character < _SIGNS_OF_SCRIPT[0][0]:
        return 0
    return next((count for low, high, count in _SIGNS_OF_SCRIPT if low <= character <= high), 0)


def _folded(word: str) -> str:
    """Return ``word`` without case, accents and the vowel signs that most texts leave out."""
    if word.isascii():
        return word.lower()
    plain = normalize("NFKD", word.casefold())
    return "".join(c for c in plain if combining(c) < _MARKS_FROM)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` in order, those that touch or overlap as one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
