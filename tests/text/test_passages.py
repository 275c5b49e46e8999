"""The searchable content of a note: its weighted words, and the texts that are embedded."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.markdown.rendered import link_destinations
from clew.text.passages import (
    ALIASES_EMBEDDED,
    BODY_WEIGHT,
    HEADING_WEIGHT,
    LITTLE_TEXT,
    NAME_CHARACTERS_EMBEDDED,
    NAME_WEIGHT,
    TAG_WEIGHT,
    VALUE_WEIGHT,
    chunk_text,
    count_note_words,
    heading_path,
)
from clew.text.terms import count_words, query_words
from clew.values.note import Note
from tests.encoders import embedded_texts
from tests.examples import examples
from tests.parsing import parse_note
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear
from tests.timed import check_within


def note(text: str, path: str = "folder/a note.md") -> Note:
    return parse_note(path, "", text)


def tables(read: Note) -> list[Counter[str]]:
    """Return the words of each part with their counts."""
    found = count_note_words(read)
    words = found.words.split("\n")[:-1]
    assert len(set(words)) == len(words)
    columns = (
        np.frombuffer(each, np.int32).tolist() for each in (found.places, found.parts, found.counts)
    )
    parts = [Counter[str]() for _ in range(1 + len(read.chunks))]
    for place, part, count in zip(*columns, strict=True):
        assert words[place] not in parts[part]
        assert count > 0
        parts[part][words[place]] = count
    return parts


def long(word: str) -> str:
    return f"{word} " * 60


# -- words --------------------------------------------------------------------------------------


def test_the_weight_of_a_word_depends_on_its_place() -> None:
    read = note(
        "---\ntitle: named\naliases: [Other Named, other]\ntags: [tagged]\ntype: valued\n---\n"
        "## headed twice\n\nplain plain #tagged\n"
    )
    head, body = tables(read)
    assert head["headed"] == HEADING_WEIGHT
    assert head["note"] == NAME_WEIGHT  # in the file's name
    assert head["named"] == NAME_WEIGHT + 2 * VALUE_WEIGHT  # however many names say it
    assert head["other"] == NAME_WEIGHT + 2 * VALUE_WEIGHT
    assert head["tagged"] == TAG_WEIGHT + VALUE_WEIGHT
    assert head["valued"] == VALUE_WEIGHT
    assert head["plain"] == 0
    assert body == {
        "headed": BODY_WEIGHT,
        "twice": BODY_WEIGHT,
        "plain": 2 * BODY_WEIGHT,
        "tagged": BODY_WEIGHT,
    }


def test_keys_and_values_of_properties_are_words() -> None:
    read = note(
        "---\nstatus: open\nmy key: 10:30\nnested:\n  inner: deep\n- listed: item\nlinks:\n"
        '  - "[[Target]]"\nurl: https://host.example/x\n"quoted": said\nempty:\n---\nbody\n'
    )
    expected = (
        "status open my key 10 30 nested inner deep listed item links target url https host example"
        " quoted said empty"
    )
    assert {*expected.split()} <= tables(read)[0].keys()


@pytest.mark.parametrize("label", ["tags", "Aliases", "created_at", "last-modified", "cssclass"])
def test_keys_that_name_date_or_show_a_note_are_no_words(label: str) -> None:
    head = tables(note(f"---\n{label}: valued\n---\nbody\n"))[0]
    assert "valued" in head
    assert not {"tags", "aliases", "created", "last", "modified", "cssclass"} & head.keys()


def test_text_that_only_looks_like_front_matter_is_body() -> None:
    head, body = tables(note("text\n\n---\n\nkey: value\n\n---\n"))
    assert not {"key", "value"} & head.keys()
    assert {"key", "value"} <= body.keys()


def test_a_note_indexed_by_name_has_a_head() -> None:
    assert tables(note("", "x/Only Name.md")) == [{"only": NAME_WEIGHT, "name": NAME_WEIGHT}]


FRAGMENTS = st.sampled_from(
    [
        "# Überschrift\n",
        "## Zwei Wörter\n",
        "#tag/sub ",
        "[[Ziel|gezeigt]] ",
        "![[Bild.png]] ",
        "[x](y.md) ",
        "```\ncode()\n```\n",
        "東京都 ",
        "snake_case ",
        "plain words. ",
        long("filler") + "\n\n",
        "^block\n",
        "\n\n",
    ]
)


@given(
    st.lists(FRAGMENTS, max_size=20).map("".join),
    st.sampled_from(["", "---\naliases: [Zweiter]\n---\n"]),
)
@examples(100)
def test_every_part_has_the_words_of_its_text(body: str, front: str) -> None:
    read = note(front + body)
    head, *bodies = tables(read)
    for chunk, table in zip(read.chunks, bodies, strict=True):
        counted = count_words(chunk_text(read, chunk))
        leads = count_words(link_destinations(read.text[chunk.start : chunk.end]))
        assert table == {
            word: BODY_WEIGHT * counted.get(word, 0) + VALUE_WEIGHT * leads.get(word, 0)
            for word in {**counted, **leads}
        }
    for name in (read.title, "a note", *read.fields.aliases):
        assert set(query_words(name)) <= head.keys()
    for said, weight in ((h.text, HEADING_WEIGHT) for h in read.headings):
        assert all(head[word] >= weight for word in query_words(said))
    for tag in read.tags:
        assert all(head[word] >= TAG_WEIGHT for word in query_words(tag))


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
@examples(50)
def test_the_same_note_always_has_the_same_words(body: str) -> None:
    assert count_note_words(note(body)) == count_note_words(note(body))


def test_a_letter_alone_in_an_address_is_no_word() -> None:
    address = "https://m.example.org/q/x1/7"
    head, body = tables(note(f"---\nurl: {address}\n---\n{address} [shown]({address})\n"))
    for table in (head, body):
        assert table.keys() >= {"https", "example", "org", "x1"}
        assert table.keys().isdisjoint(("m", "q", "7"))
    _, body = tables(note("The m. of https and m 7.\n"))
    assert body["m"] == 2 * BODY_WEIGHT
    assert body["7"] == BODY_WEIGHT


# -- rendered text ------------------------------------------------------------------------------


@for_each_row(
    ("written", "shown"),
    [
        ("see [[Note]] now", "see Note now"),
        ("see [[folder/Note|that one]]", "see that one"),
        ("![[Note#Part]]", "Note#Part"),
        ("| [[Note\\|cell]] |", "| cell |"),
        ("| ![[a.png\\|300]] ![[a.png\\|cell\\|9x9]] |", "| a.png cell |"),
        ("[shown](folder/note.md)", "shown"),
        ("[[broken\nlink]]", "[[broken\nlink]]"),
        ("[no](with blank)", "[no](with blank)"),
        ("a claim ^block-1", "a claim"),
        ("a claim ^block-1  \nmore", "a claim \nmore"),
        ("2^10 and x^y", "2^10 and x^y"),
        ("[[a]][[b|c]] [d](e)[f](g)", "ac df"),
        ("[ ] open [x] done", "[ ] open [x] done"),
    ],
)
def test_text_is_rendered_as_obsidian_shows_it(written: str, shown: str) -> None:
    read = note(written)
    assert chunk_text(read, read.chunks[0]).rstrip() == shown


# -- headings and embedded texts ----------------------------------------------------------------


def test_a_heading_is_below_the_nearest_one_of_each_lower_level() -> None:
    read = note("# A\n## B\n#### C\n### D\n## E\n# F\n### G\n")
    paths = [heading_path(read, place) for place in range(-1, 7)]
    assert paths == [
        (),
        ("A",),
        ("A", "B"),
        ("A", "B", "C"),
        ("A", "B", "D"),
        ("A", "E"),
        ("F",),
        ("F", "G"),
    ]


def test_a_chunk_is_embedded_with_names_and_headings() -> None:
    read = note(
        f"---\naliases: [Alias]\n---\n# Title\n{long('one')}\n"
        f"## Part\n{long('two')}\n### Deep\n{long('three')}\n"
    )
    texts = embedded_texts(read)
    assert texts[0] == ""
    assert [text.split("\n")[:-2] for text in texts[1:]] == [
        ["Title", "Alias"],
        ["Title", "Alias", "Part"],
        ["Title", "Alias", "Part", "Deep"],
    ]
    assert texts[3].endswith(f"### Deep\n{long('three').strip()}")


def test_a_note_without_text_is_embedded_by_its_names() -> None:
    assert embedded_texts(note("---\naliases: [x, y]\n---\n", "Name.md")) == ["Name\nx\ny"]


def test_links_are_embedded_as_shown() -> None:
    assert embedded_texts(note("about [[x/Y|why]] ^id\n", "n.md"))[1].strip() == "n\nabout why"


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from("abc")), max_size=12))
@examples(100)
def test_texts_are_embedded_under_the_path_of_their_heading(rows: list[tuple[int, str]]) -> None:
    read = note("".join(f"{'#' * level} {text}\n{long('w')}\n" for level, text in rows), "Z.md")
    for chunk, text in zip(read.chunks, embedded_texts(read)[1:], strict=True):
        path = [each for each in heading_path(read, chunk.heading) if each != read.title]
        assert text == "\n".join([read.title, *path, chunk_text(read, chunk)])


@pytest.mark.parametrize("text", ["# {0}\n{1}", "## {0}\n{1}", "---\naliases: [{0}]\n---\n{1}"])
def test_long_names_are_not_repeated_whole_for_every_chunk(text: str) -> None:
    read = note(text.format("x" * 20_000, "\n\n".join([long("y")] * 200)))
    assert len(read.chunks) > 40
    texts = embedded_texts(read)
    assert sum(map(len, texts)) < len(read.text) + len(texts) * 3 * NAME_CHARACTERS_EMBEDDED


def test_only_a_few_aliases_are_embedded() -> None:
    names = [f"name{n}" for n in range(2 * ALIASES_EMBEDDED)]
    text = embedded_texts(note(f"---\naliases: {names}\n---\nbody".replace("'", "")))[1]
    assert sum(name in text.split() for name in names) == ALIASES_EMBEDDED


def test_a_note_with_little_text_is_embedded_with_what_its_properties_say() -> None:
    matter = """---
aliases: [BR]
tags: [seen]
created: 2023-09-14
director: "[[Ridley Scott]]"
genre:
  - "[[Sci-fi]]"
  - Noir
year: 1982
watched: 2024-01-02T10:00:00Z
owned: true
links: [Los Angeles, "https://example.org/a"]
cover: https://example.org/a.jpg
---
"""
    said = "Ridley Scott\nSci-fi, Noir\nLos Angeles"
    assert embedded_texts(note(matter, "Film.md")) == [f"Film\nBR\n{said}"]
    short = embedded_texts(note(f"{matter}## Seen\nAt home.\n## Again\nLater.\n", "Film.md"))
    assert short[0] == ""
    assert short[1].startswith(f"Film\nBR\n{said}\n")
    assert "Ridley" not in "".join(short[2:])
    long = embedded_texts(note(matter + "A word of it. " * LITTLE_TEXT, "Film.md"))
    assert "Ridley" not in "".join(long)
    many = "".join(f"key{n}: word of {n}\n" for n in range(99))
    alone = embedded_texts(note(f"---\n{many}---\n", "Film.md"))
    assert [len(text) for text in alone] == [len("Film\n") + LITTLE_TEXT]


@pytest.mark.slow
@pytest.mark.parametrize("read", [count_note_words, embedded_texts])
@pytest.mark.parametrize("piece", ["## a\n\nb\n\n", "[[a]] ", "[a](b) ", "^a ", "a: b\n", "é"])
def test_a_note_is_prepared_in_linear_time(read: object, piece: str) -> None:
    assert callable(read)
    notes = {
        len(text): note(text) for text in (piece * (n // len(piece)) for n in (25_000, 50_000))
    }
    sizes = sorted(notes)
    assert_linear(
        lambda text: read(notes[min(sizes, key=lambda n: abs(n - len(text)))]), piece, 25_000, ""
    )


def test_words_of_a_note_with_many_aliases_are_counted_quickly() -> None:
    aliases = "".join(f"- {number}a\n" for number in range(8_000))
    note = parse_note("n.md", "hash", f"---\naliases:\n{aliases}---\n")
    assert len(note.fields.aliases) == 8_000
    check_within(0.5, lambda: count_note_words(note), times=3)
