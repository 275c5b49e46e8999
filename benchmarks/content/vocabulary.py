"""Generate a vocabulary of invented words, phrases and concepts, distributed by Zipf's law."""

from dataclasses import dataclass
from itertools import accumulate
from random import Random

WORDS = 3_000
PHRASES = 6_000
OWN_NOTE_SHARE = 0.4
ALIAS_SHARE = 0.25
# Mandelbrot's form of Zipf's law: the top concept is in a fifth of the notes, not in half of them.
_RANK_SHIFT = 2.7

_ONSETS: tuple[str, ...] = (
    *"bcdfghklmnprstvw",
    "br",
    "cl",
    "dr",
    "fl",
    "gr",
    "pl",
    "pr",
    "sh",
    "st",
    "th",
    "tr",
)
_VOWELS: tuple[str, ...] = (*"aeiou", "ai", "ea", "io", "ou")
_CODAS: tuple[str, ...] = ("", "", "", *"nrslm", "ck", "nd", "rt", "st")


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept that notes link to."""

    name: str  # as most links write it
    alias: str | None  # another name, claimed by its note
    path: str | None  # path of its own note, relative to the vault, if it has one


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words, phrases, concepts and tags that notes are made of."""

    words: list[str]
    phrases: list[str]
    concepts: list[Concept]  # most mentioned first
    shares: list[float]  # cumulative weights, by index of ``concepts``
    tags: list[str]


def vocabulary(rng: Random, concept_count: int) -> Vocabulary:
    """Return a vocabulary of ``concept_count`` concepts."""
    words = [_word(rng) for _ in range(WORDS)]
    names = _names(rng, words, concept_count * 5 // 4)
    concepts = _concepts(rng, names, concept_count)
    shares = accumulate(1 / (rank + _RANK_SHIFT) for rank in range(1, concept_count + 1))
    phrases = [" ".join(rng.choices(words, k=rng.randint(3, 9))) for _ in range(PHRASES)]
    tags = [_tag(rng, words) for _ in range(200)]
    return Vocabulary(words, phrases, concepts, list(shares), tags)


def draw_concepts(rng: Random, words: Vocabulary, count: int) -> list[Concept]:
    """Return a weighted sample of ``count`` concepts, with replacement."""
    return rng.choices(words.concepts, cum_weights=words.shares, k=count)


def title(rng: Random, words: Vocabulary) -> str:
    """Return a title for a note that is not a concept."""
    return " ".join(rng.choices(words.words, k=rng.randint(2, 5))).capitalize()


def _word(rng: Random) -> str:
    syllables = rng.choices((1, 2, 3, 4), (30, 45, 20, 5))[0]
    middle = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(syllables))
    return middle + rng.choice(_CODAS)


def _tag(rng: Random, words: list[str]) -> str:
    return "/".join(rng.choices(words, k=rng.choice((1, 1, 1, 2))))


def _names(rng: Random, words: list[str], count: int) -> list[str]:
    """Return names of one to three words that differ in more than case and separators."""
    distinct: dict[str, None] = {}
    while len(distinct) < count:
        length = rng.choices((1, 2, 3), (15, 60, 25))[0]
        distinct[" ".join(rng.choices(words, k=length))] = None
    return [_varied_case(rng, name) for name in distinct]


def _varied_case(rng: Random, name: str) -> str:
    chance = rng.random()
    if chance < 0.45:
        return name
    if chance < 0.80:
        return name.title()
    if chance < 0.90:
        return name.replace(" ", "_")
    return name.capitalize().replace(" ", "-", 1)


def _concepts(rng: Random, names: list[str], count: int) -> list[Concept]:
    """Return concepts with the first ``count`` names; the remaining names become aliases."""
    spare = names[count:]
    concepts = []
    for name in names[:count]:
        has_note = rng.random() < OWN_NOTE_SHARE
        has_alias = has_note and bool(spare) and rng.random() < ALIAS_SHARE
        path = f"concepts/{name[0].lower()}/{name}.md" if has_note else None
        concepts.append(Concept(name, spare.pop() if has_alias else None, path))
    return concepts
