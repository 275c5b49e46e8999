"""Links and co-occurrence of real vaults, compared with the results of other tools."""

import re
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from clew.engine.apply import Engine
from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.graph_rows import all_edges
from clew.values.note import LinkKind
from clew.values.vault import Batch, ReadNote
from tests.conformance.conftest import DATA, rows
from tests.vaults import read_file

KINDS = {
    "links": LinkKind.WIKI,
    "embeds": LinkKind.EMBED,
    "frontmatter_links": LinkKind.FRONTMATTER,
}

# Notes that the reference reads differently, each with the reason why clew is right.
DIFFERING: dict[tuple[str, str], str] = {
    ("madison-zettelkasten", "Core Notes/Dart.md"): (
        "the target holds a code span, [[`this` keyword ...]], and a note of exactly that name "
        "exists; the reference blanks the span and so names another target"
    ),
    ("maenifold-docs", ".github/agents/agent-boss.agent.md"): (
        "a stray back-tick in one paragraph pairs with one in another paragraph in the reference, "
        "so that all its code spans below are inside out; a span cannot cross blocks"
    ),
    ("maenifold-docs", "CHANGELOG.md"): (
        "the same: back-ticks in earlier list items turn a code span that holds a link inside out"
    ),
}


def names() -> list[str]:
    return sorted(
        path.name.removesuffix(".links.jsonl") for path in (DATA / "vaults").glob("*.links.jsonl")
    )


def read_vault(name: str) -> dict[str, ReadNote]:
    root = str(DATA / "vaults" / name)
    read = {row["note"]: read_file(root, row["note"]) for row in rows(f"vaults/{name}.links.jsonl")}
    return {path: note for path, note in read.items() if note is not None}


def linked(rows_of_kind: list[object]) -> list[tuple[str, str]]:
    """Return target and fragment of reference links; those in front matter are bare targets."""
    return [
        (link, "") if isinstance(link, str) else (link["target"], link["fragment"])  # type: ignore[index]
        for link in rows_of_kind
    ]


def blanked(fragment: str | None) -> str:
    """Return a fragment as the reference reads it: without its code spans.

    ``[[#`move`|move]]`` leads to a heading that is a code span; the reference
    loses the span, so that the link leads nowhere, while clew keeps the heading.
    """
    return re.sub("`[^`]*`", "", fragment or "").strip()


@pytest.mark.parametrize("name", names())
def test_links_of_every_note_are_those_of_the_reference(name: str) -> None:
    notes = read_vault(name)
    for row in rows(f"vaults/{name}.links.jsonl"):
        links = notes[row["note"]].note.links
        same = all(
            [(k.target, blanked(k.fragment)) for k in links if k.kind is kind] == linked(row[key])
            for key, kind in KINDS.items()
        )
        assert same != ((name, row["note"]) in DIFFERING), row["note"]


@pytest.mark.parametrize("name", names())
def test_links_lead_to_the_notes_of_the_reference(name: str) -> None:
    notes = read_vault(name)
    engine = Engine(EngineSettings())
    engine.apply(Batch(put=tuple(notes.values())))
    for row in rows(f"vaults/{name}.links.jsonl"):
        path = row["note"]
        links = notes[path].note.links
        for key, kind in KINDS.items():
            found = [engine.snapshot.resolve(link, path) for link in links if link.kind is kind]
            expected = [resolved(link, path) for link in row[key]]
            if (name, path) not in DIFFERING and None not in expected:
                assert len(found) == len(expected)
                for ours, theirs in zip(found, expected, strict=True):
                    assert ours == (theirs or None) or is_beside(path, ours, theirs or ""), path


def is_beside(path: str, ours: str | None, theirs: str) -> bool:
    """Return whether ``ours`` is in the folder of the note at ``path``, and ``theirs`` is not.

    Of several notes with one name the reference takes the first by path, wherever the link is.
    """
    if ours is None or PurePosixPath(ours).name != PurePosixPath(theirs).name:
        return False
    folders = [PurePosixPath(each).parent for each in (path, ours, theirs)]
    return folders[0] == folders[1] != folders[2]


def resolved(link: dict[str, str] | str, path: str) -> str | None:
    """Return the note to which the reference resolves a link in the note at ``path``, "" for none.

    ``None`` for links in front matter, of which it gives the targets alone.
    """
    if isinstance(link, str):
        return None
    if link["resolved"] == ".":
        return path
    return "" if (link["resolved"] or "").startswith("file:") else link["resolved"] or ""


@pytest.mark.parametrize("name", names())
def test_co_occurrence_is_that_of_the_reference(name: str) -> None:
    """Equal, after the notes that differ for a stated reason are left out on both sides."""
    engine = Engine(EngineSettings(sources=frozenset({ConceptSource.LINKS})))
    engine.apply(Batch(put=tuple(read_vault(name).values())))
    graph = engine.snapshot.graph
    found = Counter(
        {
            tuple(sorted((graph.name(first), graph.name(second)))): count
            for first, second, count in all_edges(graph).tolist()
        }
    )
    expected: Counter[tuple[str, ...]] = Counter()
    for line in Path(DATA / "vaults" / f"{name}.edges.tsv").read_text(encoding="utf-8").split("\n"):
        if line:
            first, second, count = line.split("\t")
            expected[first, second] = int(count)
    differing = {path for vault, path in DIFFERING if vault == name}
    if not differing:
        assert found == expected
        return
    ours = concepts_of({path: engine.snapshot.graph.row(path) for path in differing})
    theirs = reference_concepts(name, differing)
    for pair in found.keys() | expected.keys():
        if found[pair] != expected[pair]:
            assert found[pair] - expected[pair] == pairs_with(ours, pair) - pairs_with(theirs, pair)


def concepts_of(rows_by_path: dict[str, dict[str, int]]) -> list[set[str]]:
    return [set(row) for row in rows_by_path.values()]


def reference_concepts(name: str, differing: set[str]) -> list[set[str]]:
    """Return the concepts the reference finds in the notes that differ."""
    from clew.text.concept import normalize  # noqa: PLC0415 - only where notes differ
    from clew.text.filename import is_attachment  # noqa: PLC0415

    return [
        {
            normalize(link["target"].removesuffix(".md"))
            for link in row["links"]
            if link["target"] and not is_attachment(link["target"])
        }
        for row in rows(f"vaults/{name}.links.jsonl")
        if row["note"] in differing
    ]


def pairs_with(concepts: list[set[str]], pair: tuple[str, ...]) -> int:
    return sum(set(pair) <= found for found in concepts)
