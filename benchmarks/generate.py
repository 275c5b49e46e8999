"""Generate a vault; equal note counts and seeds give equal bytes.

Run as ``python -m benchmarks.generate DIR --notes 10000 --seed 1``.
"""

import argparse
import math
import os
from datetime import UTC, datetime, timedelta
from random import Random

from benchmarks.content.prose import body, link_text
from benchmarks.content.vocabulary import Concept, Vocabulary, draw_concepts, title, vocabulary

CONCEPTS_PER_NOTE = 1.3
LINKS_MEDIAN = 6
LINKS_MAX = 500
SIZE_MEDIAN = 2_000  # characters
SIZE_MAX = 100_000
DAYS = 730
END = datetime(2026, 1, 1, tzinfo=UTC)

_LINKS_EXPONENT = 1.5
_SIZE_SIGMA = 1.0
_UNLINKED_SHARE = 0.05
_FRONT_MATTER_SHARE = 0.85
_ATTACHMENTS = 100
_TYPES = ("note", "meeting", "person", "decision", "source")


def generate(folder: str, notes: int, seed: int) -> None:
    """Write a vault of ``notes`` notes into ``folder``, which is created if necessary."""
    rng = Random(seed)  # noqa: S311 - every run must be the same
    words = vocabulary(rng, int(notes * CONCEPTS_PER_NOTE))
    _write(f"{folder}/.obsidian/app.json", b"{}\n", END)
    for number in range(1, _ATTACHMENTS + 1):
        _write(f"{folder}/attachments/figure {number}.png", b"\x89PNG\r\n\x1a\n", END)
    for path, concept in _plan(rng, words, notes):
        modified = END - timedelta(seconds=int(DAYS * 86400 * rng.random()))
        text = _note(rng, words, concept, modified)
        _write(f"{folder}/{path}", text.encode(), modified)


def _plan(rng: Random, words: Vocabulary, notes: int) -> list[tuple[str, Concept | None]]:
    """Return the path of each note, and its concept if the note is one."""
    plan: dict[str, Concept | None] = {
        concept.path: concept for concept in words.concepts if concept.path
    }
    plan = dict(list(plan.items())[:notes])
    folders = _folders(rng, words)
    days = 0
    while len(plan) < notes:
        if days < DAYS and rng.random() < 0.2:
            day = END - timedelta(days=days)
            plan[f"journal/{day:%Y/%m/%Y-%m-%d}.md"] = None
            days += 1
        else:
            plan[f"{rng.choice(folders)}/{title(rng, words)}.md"] = None
    return list(plan.items())


def _folders(rng: Random, words: Vocabulary) -> list[str]:
    """Return the folders, one to three levels deep, of notes other than concepts and journal."""
    folders = ["sequential", "workflows", "projects/workflows"]
    for _ in range(40):
        project = f"projects/{rng.choice(words.words)}"
        folders += [project, f"{project}/meetings", f"{project}/sources"]
    folders += [f"areas/{rng.choice(words.words)}" for _ in range(20)]
    return folders


def _note(rng: Random, words: Vocabulary, concept: Concept | None, modified: datetime) -> str:
    concepts = draw_concepts(rng, words, _link_count(rng))
    size = min(SIZE_MAX, int(SIZE_MEDIAN * math.exp(rng.gauss(0, _SIZE_SIGMA))))
    heading = concept.name if concept else title(rng, words)
    head = ""
    if (concept and concept.alias) or rng.random() < _FRONT_MATTER_SHARE:
        head = _front_matter(rng, words, concept, modified)
    return f"{head}# {heading}\n\n{body(rng, words, concepts, max(200, size))}"


def _link_count(rng: Random) -> int:
    """Return a number of links: 0 for a few notes, otherwise from a power law."""
    if rng.random() < _UNLINKED_SHARE:
        return 0
    least = LINKS_MEDIAN / 2 ** (1 / _LINKS_EXPONENT)
    return min(LINKS_MAX, int(least * rng.paretovariate(_LINKS_EXPONENT)))


def _front_matter(
    rng: Random, words: Vocabulary, concept: Concept | None, modified: datetime
) -> str:
    created = modified - timedelta(days=rng.expovariate(1 / 60))
    lines = [f"title: {concept.name if concept else title(rng, words)}"]
    if concept and concept.alias:
        lines += [f"aliases: [{concept.alias}]"]
    if rng.random() < 0.6:
        lines += _tag_lines(rng, words)
    lines += [f"type: {rng.choice(_TYPES)}", f"created: {created:%Y-%m-%d}"]
    if rng.random() < 0.7:
        lines += [f"modified: {modified:%Y-%m-%dT%H:%M:%SZ}"]
    if rng.random() < 0.5:
        lines += [f"importance: {rng.random():.2f}"]
    if rng.random() < 0.1:
        lines += [f'related: "[[{link_text(rng, draw_concepts(rng, words, 1)[0])}]]"']
    return "\n".join(["---", *lines, "---", "", ""])


def _tag_lines(rng: Random, words: Vocabulary) -> list[str]:
    tags = rng.choices(words.tags, k=rng.randint(1, 4))
    if rng.random() < 0.5:
        return [f"tags: [{', '.join(tags)}]"]
    return ["tags:", *(f"  - {tag}" for tag in tags)]


def _write(path: str, data: bytes, modified: datetime) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, (modified.timestamp(), modified.timestamp()))


def main() -> None:
    """Parse the command line and generate the vault."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generate(arguments.folder, arguments.notes, arguments.seed)


if __name__ == "__main__":
    main()
