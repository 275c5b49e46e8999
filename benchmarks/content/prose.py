"""Generate the body of a note: Markdown with the constructs that people use."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.content.vocabulary import Concept, Vocabulary, draw_concepts

_SENTENCE_BYTES = 85
_LINKING_SHARE_MAX = 0.8


@dataclass(slots=True)
class Pen:
    """The state of writing one note."""

    rng: Random
    words: Vocabulary
    pending: list[Concept]  # concepts not linked yet
    linking_share: float  # share of sentences with a link, 0..1


def body(rng: Random, words: Vocabulary, concepts: list[Concept], size: int) -> str:
    """Return about ``size`` characters of Markdown that link each of ``concepts`` once."""
    share = len(concepts) * _SENTENCE_BYTES / size
    pen = Pen(rng, words, concepts[:], min(_LINKING_SHARE_MAX, share))
    parts: list[str] = []
    while size > 0:
        block = rng.choices(_BLOCKS, cum_weights=_BLOCK_WEIGHTS)[0](pen)
        parts.append(block)
        size -= len(block)
    if pen.pending:
        parts.append("## See also\n\n" + "\n".join(f"- {_link(pen)}" for _ in pen.pending[:]))
    return "\n\n".join(parts) + "\n"


def link_text(rng: Random, concept: Concept) -> str:
    """Return the target text of a link to ``concept``: its name, its alias or a variant."""
    chance = rng.random()
    if concept.alias and chance < 0.15:
        return concept.alias
    if chance < 0.80:
        return concept.name
    if chance < 0.90:
        return concept.name.lower()
    return concept.name.replace(" ", "_") if chance < 0.95 else concept.name.title()


def _link(pen: Pen) -> str:
    rng, concept = pen.rng, pen.pending.pop()
    name, chance = link_text(rng, concept), rng.random()
    if concept.path and chance < 0.06:
        return f"[{rng.choice(pen.words.words)}](/{concept.path.replace(' ', '%20')})"
    if chance < 0.16:
        return f"[[{name}|{_display_text(pen, concept)}]]"
    if chance < 0.21:
        return f"[[{name}#{rng.choice(pen.words.words).capitalize()}]]"
    return f"![[{name}]]" if chance < 0.24 else f"[[{name}]]"


def _display_text(pen: Pen, concept: Concept) -> str:
    """Return the display text of a link, most often a form of the name."""
    name = concept.name.replace("_", " ").lower()
    forms = (f"{name}s", f"the {name}", name.split()[-1], name.capitalize())
    return pen.rng.choice((*forms, pen.rng.choice(pen.words.words)))


def _sentence(pen: Pen) -> str:
    rng, phrases = pen.rng, pen.words.phrases
    opening = rng.choice(phrases).capitalize()
    if pen.pending and rng.random() < pen.linking_share:
        return f"{opening} {_link(pen)} {rng.choice(phrases)}."
    return f"{opening}{_ornament(pen)} {rng.choice(phrases)}."


def _ornament(pen: Pen) -> str:
    chance = pen.rng.random()
    if chance > 0.22:
        return ","
    word = pen.rng.choice(pen.words.words)
    if chance < 0.07:
        return f" `{word}_{chance:.3f}`"
    if chance < 0.09:
        return f" `[[{word}]]`"
    if chance < 0.12:
        return f" #{pen.rng.choice(pen.words.tags)}"
    return f" **{word}**" if chance < 0.17 else f" [{word}](https://example.org/{word})"


def _sentences(pen: Pen, least: int, most: int) -> list[str]:
    return [_sentence(pen) for _ in range(pen.rng.randint(least, most))]


def _paragraph(pen: Pen) -> str:
    return " ".join(_sentences(pen, 1, 6))


def _wrapped(pen: Pen) -> str:
    return "\n".join(_sentences(pen, 2, 7))


def _heading(pen: Pen) -> str:
    return f"{'#' * pen.rng.randint(2, 4)} {pen.rng.choice(pen.words.phrases).capitalize()}"


def _bullets(pen: Pen) -> str:
    indents = ("", "", "", "  ", "    ")
    first, *rest = _sentences(pen, 2, 9)
    return "\n".join([f"- {first}", *(f"{pen.rng.choice(indents)}- {line}" for line in rest)])


def _numbered(pen: Pen) -> str:
    return "\n".join(f"{n}. {line}" for n, line in enumerate(_sentences(pen, 2, 6), 1))


def _tasks(pen: Pen) -> str:
    return "\n".join(f"- [{pen.rng.choice(' x')}] {line}" for line in _sentences(pen, 2, 6))


def _quote(pen: Pen) -> str:
    head = ["> [!note] " + pen.rng.choice(pen.words.phrases)] if pen.rng.random() < 0.5 else []
    return "\n".join([*head, *(f"> {line}" for line in _sentences(pen, 1, 4))])


def _fence(pen: Pen) -> str:
    rng, words = pen.rng, pen.words.words
    lines = [
        f"{rng.choice(words)} = {rng.choice(words)}({rng.randint(0, 999)})"
        for _ in range(rng.randint(3, 20))
    ]
    lines += [
        f"# [[{concept.name}]]" for concept in draw_concepts(rng, pen.words, rng.randint(0, 3))
    ]
    return "\n".join(["```python", *lines, "```"])


def _table(pen: Pen) -> str:
    rng, words = pen.rng, pen.words.words
    rows = [
        f"| {rng.choice(words)} | {rng.choice(words)} | {rng.randint(0, 9999)} |"
        for _ in range(rng.randint(2, 12))
    ]
    if pen.pending:
        rows.append(f"| {_link(pen).replace('|', chr(92) + '|')} | {rng.choice(words)} | 0 |")
    return "\n".join(["| one | two | count |", "| --- | --- | ---: |", *rows])


def _comment(pen: Pen) -> str:
    return f"%% {pen.rng.choice(pen.words.phrases)} [[{pen.rng.choice(pen.words.words)}]] %%"


def _attachment(pen: Pen) -> str:
    return f"![[figure {pen.rng.randint(1, 200)}.png|{pen.rng.choice((300, 600))}]]"


def _math(pen: Pen) -> str:
    return f"$$\nx_{{{pen.rng.randint(1, 99)}}} = \\sum_i [[a_i]]\n$$"


_WEIGHTED: list[tuple[Callable[[Pen], str], int]] = [
    (_paragraph, 42),
    (_wrapped, 12),
    (_heading, 14),
    (_bullets, 14),
    (_numbered, 3),
    (_tasks, 3),
    (_quote, 4),
    (_fence, 4),
    (_table, 3),
    (_comment, 2),
    (_attachment, 2),
    (_math, 1),
]
_BLOCKS = [block for block, _ in _WEIGHTED]
_BLOCK_WEIGHTS = [sum(weight for _, weight in _WEIGHTED[: n + 1]) for n in range(len(_WEIGHTED))]
