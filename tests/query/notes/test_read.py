"""Reading a note by any of its names, either all of it or some lines."""

from urllib.parse import quote

import pytest

from clew.query.notes import read
from clew.query.slices import finished
from clew.query.suggest import with_similar_names
from clew.values import requests
from clew.values.errors import InvalidParams, NotFound, UnknownNote
from clew.values.note import Problem
from tests.query.notes.vault import VAULT
from tests.tables import for_each_row
from tests.vaults import engine_of, snapshot_of


@pytest.mark.parametrize("question", ["memory://sub/Topic.md", "sub/Topic.md", "topic", "Thing"])
def test_a_note_is_found_by_uri_path_name_and_alias(question: str) -> None:
    reply = read.read(snapshot_of(VAULT), requests.Read(uri=question))
    assert reply.uri == "memory://sub/Topic.md"
    assert reply.metadata.tags == ("a/b", "c")


def test_lines_are_counted_from_one_and_cut_at_the_end() -> None:
    reply = read.read(
        snapshot_of({"a.md": "one\ntwo\nthree\n"}), requests.Read(uri="a.md", lines=(2, 9))
    )
    assert (reply.content, reply.lines, reply.total_lines) == ("two\nthree", (2, 3), 3)


@pytest.mark.parametrize("lines", [(3, 2), (9, 9)])
def test_lines_after_the_end_are_an_error(lines: tuple[int, int]) -> None:
    with pytest.raises(InvalidParams):
        read.read(snapshot_of({"a.md": "one\n"}), requests.Read(uri="a.md", lines=lines))


SECTIONS = "# A\none\n\n## B *b*: c\ntwo\n\n### C\nthree\nfour ^id\n\n# D\n## C\nfive\n"


@for_each_row(
    ("fragment", "lines"),
    [
        ("L2", (2, 2)),
        ("L2-L5", (2, 5)),
        ("L2-5", (2, 5)),
        ("L2-L5~1a2b3c4d", (2, 5)),
        ("L12-L99", (12, 13)),
        ("A", (1, 9)),
        ("B *b* c", (4, 9)),
        ("c", (7, 9)),
        ("D#C", (12, 13)),
        ("D", (11, 13)),
        ("A#", (1, 9)),
        ("D##C", (12, 13)),
        ("^id", (8, 9)),
    ],
)
def test_a_fragment_names_a_part(fragment: str, lines: tuple[int, int]) -> None:
    snapshot = snapshot_of({"a.md": SECTIONS})
    for reference in (f"memory://a.md#{quote(fragment)}", f"a.md#{fragment}", f"[[a#{fragment}]]"):
        reply = read.read(snapshot, requests.Read(uri=reference))
        assert reply.lines == lines
        assert reply.content == "\n".join(SECTIONS.split("\n")[lines[0] - 1 : lines[1]])


STRANGE = (
    "## What's `new`: [[Topic|it]]? #tag\n## C\n## C++\n### #\n- **bold** _x_/y:\n\n"
    "> # Really?! (yes) …\n"
)


@for_each_row(
    ("fragment", "line"),
    [
        ("What's `new`: it? tag", 1),
        ("What's new it tag", 1),
        ("What's `new` Topic it tag", 1),  # as Obsidian writes it
        ("c", 2),
        ("C++", 3),
        ("Really yes …", 7),
    ],
)
def test_signs_do_not_matter_in_a_heading_that_no_other_fits_better(
    fragment: str, line: int
) -> None:
    reply = read.read(snapshot_of({"a.md": STRANGE}), requests.Read(uri=f"a.md#{fragment}"))
    assert reply.lines[0] == line


BLOCKS = """\
- one
- two
  more ^two
    - under two

      still under
- three
^list

| a | b |
|---|---|
| 1 | 2 |

^Table

```
code

more
```

^code

> said
> again

^said
# Heading
^heading

1. first ^first
   and more
2. second

^alone
"""


@for_each_row(
    ("block", "lines"),
    [
        ("two", (2, 6)),
        ("list", (1, 7)),
        ("table", (10, 12)),
        ("code", (16, 20)),
        ("said", (24, 25)),
        ("heading", (28, 28)),
        ("first", (31, 32)),
        ("alone", (31, 33)),
    ],
)
def test_a_block_is_a_list_item_or_what_stands_before_its_id(
    block: str, lines: tuple[int, int]
) -> None:
    reply = read.read(snapshot_of({"a.md": BLOCKS}), requests.Read(uri=f"a.md#^{block}"))
    assert reply.lines == lines


QUOTED_BLOCKS = """\
---
example: an id ^twice
---
at the top ^top
```
an id ^twice
```
> [!note] two
> - one ^one
>   - under one
>
>   still one
> - two
>
> after the list ^after
> > - deep ^deep

last ^twice
"""


@for_each_row(
    ("block", "lines"),
    [
        ("top", (4, 4)),
        ("one", (9, 12)),
        ("after", (8, 15)),
        ("deep", (16, 16)),
        ("twice", (18, 18)),
    ],
)
def test_a_list_item_of_a_quote_is_a_block_and_code_has_no_ids(
    block: str, lines: tuple[int, int]
) -> None:
    reply = read.read(snapshot_of({"a.md": QUOTED_BLOCKS}), requests.Read(uri=f"a.md#^{block}"))
    assert reply.lines == lines


@for_each_row(
    ("reference", "lines"),
    [
        ("[[a#[^1]]]", (6, 7)),
        ("a.md#[^Note]", (8, 8)),
        ("memory://a.md#%5B%5Enote%5D", (8, 8)),
        ("a.md#[^1] again", (9, 16)),
        ("a#[^3]", (11, 14)),
    ],
)
def test_a_footnote_is_a_part(reference: str, lines: tuple[int, int]) -> None:
    text = (
        "x[^1]\n```\n[^1]: code\n```\n\n[^1]: one\n  more\n[^note]: two\n# [^1] again\nz\n"
        "[^3]: three\n\n    more\nof it\n\nand text\n"
    )
    assert read.read(snapshot_of({"a.md": text}), requests.Read(uri=reference)).lines == lines


def test_a_title_may_name_a_part_as_a_reference_does() -> None:
    snapshot = snapshot_of({"a.md": SECTIONS, "b.md": "---\ntitle: a#b\n---\ntext\n"})
    assert read.read(snapshot, requests.Read(title="[[a#D]]")).lines == (11, 13)
    assert read.read(snapshot, requests.Read(title="a#b")).uri == "memory://b.md"
    with pytest.raises(NotFound):
        read.read(snapshot, requests.Read(title="[[a#x]]"))


def test_lines_of_a_request_come_before_those_of_a_fragment() -> None:
    reply = read.read(snapshot_of({"a.md": SECTIONS}), requests.Read(uri="a#D", lines=(2, 3)))
    assert reply.lines == (2, 3)


@for_each_row("reference", ["memory://a.md#Fix%20%2312%20now", "a#Fix #12 now", "[[a#Fix 12 now]]"])
def test_a_heading_with_a_number_sign_is_found(reference: str) -> None:
    snapshot = snapshot_of({"a.md": "# H\n\n## Fix #12 now\n\nbody\n\n## Fix\n"})
    assert read.read(snapshot, requests.Read(uri=reference)).lines == (3, 5)


@for_each_row(
    "reference",
    ["C#/F#/a.md#D", "[[C#/F#/a#D]]", "memory://C%23/F%23/a.md#D", "C#/F#/a.md#D#", "F#/a#A#D"],
)
def test_a_part_of_a_note_below_a_folder_with_a_number_sign_is_found(reference: str) -> None:
    snapshot = snapshot_of({"C#/F#/a.md": "# A\n## D\ntext\n# E\n", "C.md": "# D\n", "F.md": ""})
    reply = read.read(snapshot, requests.Read(uri=reference))
    assert (reply.uri, reply.lines) == ("memory://C%23/F%23/a.md", (2, 3))


@for_each_row("fragment", ["E", "D#B", "L14", "L0-L2", "L3-L2", "^i", "^", "#"])
def test_a_part_that_is_not_there_is_an_error_that_names_headings(fragment: str) -> None:
    with pytest.raises(NotFound) as caught:
        read.read(snapshot_of({"a.md": SECTIONS}), requests.Read(uri=f"memory://a.md#{fragment}"))
    assert "A, B *b*: c" in caught.value.hint


def test_a_missing_note_gives_similar_names() -> None:
    snapshot = snapshot_of(VAULT)
    with pytest.raises(NotFound) as caught:
        read.read(snapshot, requests.Read(uri="memory://Indx.md"))
    error = finished(with_similar_names(snapshot, caught.value))
    assert isinstance(error, UnknownNote)
    assert (error.hint, error.suggestions) == ("close to it: Index", ("memory://Index.md",))


@for_each_row(
    "reference", ["out/Trip", "Trip", "[[Trip]]", "out/Trip.md#Day 1", "memory://out/Trip.md"]
)
def test_a_note_that_is_left_out_is_told_from_a_missing_one(reference: str) -> None:
    snapshot = engine_of({"Trips.md": "[[Trip]]"}, others=("out/Trip.md", "out/Trip.png")).snapshot
    assert read.file_meant(snapshot, reference) == "out/Trip.md"
    with pytest.raises(NotFound) as caught:
        read.read(snapshot, requests.Read(uri=reference))
    hint = finished(with_similar_names(snapshot, caught.value)).hint
    assert hint == "its note is left out of the index: `why` tells the reason"


@for_each_row(
    ("folder", "note"),
    [
        ("out", "out/a/b.md"),
        ("out/a", "out/a/b.md"),
        ("ou", None),
        ("in", None),
        ("pictures", None),
    ],
)
def test_a_folder_is_left_out_if_all_of_its_notes_are(folder: str, note: str | None) -> None:
    others = ("out/c.md", "out/a/b.md", "in/left.md", "pictures/a.png")
    snapshot = engine_of({"in/d.md": ""}, others=others).snapshot
    assert read.note_left_out_in(snapshot, folder) == note


def test_the_first_ten_headings_of_a_note_are_named_where_a_part_is_not_there() -> None:
    note = "".join(f"# part {number}\n" for number in range(11))
    with pytest.raises(NotFound) as caught:
        read.read(snapshot_of({"a.md": note}), requests.Read(uri="a#nothing"))
    assert caught.value.hint.endswith("part 8, part 9")


def test_a_file_is_missing_for_what_is_wrong_with_a_folder_around_it() -> None:
    problems = [Problem(path, "symlink", None, "not followed") for path in ("sub/out", "sub/ou")]

    def uris(path: str) -> list[str]:
        reply = read.why(snapshot_of(VAULT), path, None, problems, 0.0)
        return [problem.uri for problem in reply.problems]

    assert uris("sub/out/deep/x.md") == ["memory://sub/out"]
    assert uris("sub/out") == ["memory://sub/out"]
    assert uris("sub/Topic.md") == uris("sub/outer.md") == []


@pytest.mark.parametrize(
    ("asked", "state"),
    [("log", "folder"), ("log/2025/", "folder"), ("log/2025/Day", "indexed"), ("lo", "missing")],
)
def test_why_tells_a_folder_from_a_missing_note(asked: str, state: str) -> None:
    snapshot = snapshot_of({"log/2025/Day.md": "", "a.md": ""})
    reply = read.why(snapshot, read.file_meant(snapshot, asked), None, [], 0.0)
    assert reply.state == state
