"""Links, lists and notes: what the smaller requests answer."""

from typing import Literal

import pytest

from clew.engine.snapshot import Snapshot
from clew.query.draw import drawing
from clew.query.notes import links, lists, read
from clew.values import replies, requests
from clew.values.errors import InvalidParams, NotFound
from clew.values.vault import Batch
from tests.vaults import NOW_S, engine_of, read_note, snapshot_of

VAULT = {
    "Index.md": "# Start\n[[Topic]] and ![[pic.png]]\n\n[[nowhere]] [[nowhere#x|twice]]\n",
    "sub/Topic.md": "---\naliases: [Thing]\ntags: [A/b]\n---\n# Topic\nSee [[#Own]] #c\n",
    "Alone.md": "nobody #a/b #a/z\n",
}


def test_links_say_where_they_lead_and_what_they_name() -> None:
    reply = links.links(snapshot_of(VAULT), requests.Links(uri="memory://Index.md"))
    rows = [(row.target, row.kind, row.line, row.resolved, row.concept) for row in reply.links]
    assert rows == [
        ("Topic", "wiki", 2, "memory://sub/Topic.md", "topic"),
        ("pic.png", "embed", 2, None, None),
        ("nowhere", "wiki", 4, None, "nowhere"),
        ("nowhere", "wiki", 4, None, "nowhere"),
    ]


def test_backlinks_show_the_line() -> None:
    reply = links.backlinks(snapshot_of(VAULT), requests.Backlinks(uri="Topic"))
    assert [(b.uri, b.line, b.text) for b in reply.backlinks] == [
        ("memory://Index.md", 2, "[[Topic]] and ![[pic.png]]")
    ]


def test_backlinks_of_a_concept_count_every_mention() -> None:
    reply = links.backlinks(snapshot_of(VAULT), requests.Backlinks(concept_name="Nowhere"))
    assert reply.total == 2


def test_backlinks_want_exactly_one_question() -> None:
    with pytest.raises(InvalidParams):
        links.backlinks(snapshot_of(VAULT), requests.Backlinks())


def test_unresolved_targets_come_most_linked_first() -> None:
    reply = links.unresolved(snapshot_of(VAULT), requests.Unresolved())
    assert [(row.target, row.count) for row in reply.unresolved] == [("nowhere", 2), ("pic.png", 1)]


def test_orphans_neither_link_nor_are_linked() -> None:
    reply = links.orphans(snapshot_of(VAULT), requests.Orphans())
    assert reply.orphans == ("memory://Alone.md",)


def test_a_parent_tag_prefix_finds_its_children() -> None:
    reply = lists.tags(snapshot_of(VAULT), requests.Tags(prefix="#A/"))
    assert [(row.tag, row.count) for row in reply.tags] == [("a/b", 2), ("a/z", 1)]


def names_sorted_by(snapshot: Snapshot, sort: Literal["mentions", "recent", "name"]) -> list[str]:
    return [row.name for row in lists.concepts(snapshot, requests.Concepts(sort=sort)).concepts]


def test_concepts_can_be_sorted_three_ways() -> None:
    engine = engine_of({})
    old = read_note("old.md", "[[Zed]] [[Zed]] [[Mid]]", NOW_S - 1000)
    engine.apply(Batch(put=(old, read_note("new.md", "[[Abe]] [[Mid]]", NOW_S))))
    assert names_sorted_by(engine.snapshot, "mentions") == ["mid", "zed", "abe"]
    assert names_sorted_by(engine.snapshot, "recent") == ["abe", "mid", "zed"]
    assert names_sorted_by(engine.snapshot, "name") == ["abe", "mid", "zed"]


def test_a_concept_row_shows_the_other_names() -> None:
    snapshot = snapshot_of({**VAULT, "b.md": "[[Thing]]"})
    reply = lists.concepts(snapshot, requests.Concepts(prefix="top"))
    assert [(row.name, row.note_count, row.aliases) for row in reply.concepts] == [
        ("topic", 3, ("Thing",))
    ]


def test_pages_follow_one_another_without_gap() -> None:
    snapshot = snapshot_of({"a.md": " ".join(f"[[c{n}]]" for n in range(7))})
    seen, cursor = [], None
    for _ in range(4):
        reply = lists.concepts(snapshot, requests.Concepts(limit=2, cursor=cursor, sort="name"))
        seen += [row.name for row in reply.concepts]
        cursor = reply.cursor
    assert seen == [f"c{n}" for n in range(7)]
    assert cursor is None
    assert reply.total == 7


def test_a_cursor_nobody_gave_is_refused() -> None:
    with pytest.raises(InvalidParams) as caught:
        lists.tags(snapshot_of(VAULT), requests.Tags(cursor="next"))
    assert caught.value.field == "cursor"


def test_recent_counts_from_a_date() -> None:
    engine = engine_of({})
    engine.apply(Batch(put=(read_note("a.md", "x", 0.0), read_note("b.md", "x", 86_400.0))))
    reply = lists.recent(engine.snapshot, requests.Recent(since="1970-01-02"))
    assert [(n.uri, n.modified) for n in reply.notes] == [("memory://b.md", "1970-01-02T00:00:00Z")]


def test_recent_by_read_lists_what_was_read() -> None:
    engine = engine_of({"a.md": "x", "b.md": "x"})
    engine.apply(Batch(reads_s={"b.md": 5.0}))
    reply = lists.recent(engine.snapshot, requests.Recent(by="read"))
    assert [(n.uri, n.last_read) for n in reply.notes] == [
        ("memory://b.md", "1970-01-01T00:00:05Z")
    ]


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
def test_lines_beyond_the_note_are_refused(lines: tuple[int, int]) -> None:
    with pytest.raises(InvalidParams):
        read.read(snapshot_of({"a.md": "one\n"}), requests.Read(uri="a.md", lines=lines))


def test_a_note_that_is_not_there_brings_near_ones() -> None:
    with pytest.raises(NotFound) as caught:
        read.read(snapshot_of(VAULT), requests.Read(uri="memory://Indx.md"))
    assert "Index" in caught.value.hint


def draw(
    snapshot: Snapshot, request: requests.GraphRequest
) -> replies.GraphJson | replies.GraphText:
    return drawing.draw(drawing.subgraph(snapshot, request, NOW_S), request.format, "vault")


def test_a_graph_holds_the_concept_and_its_edges() -> None:
    snapshot = snapshot_of({"1.md": "[[A]] [[B]]", "2.md": "[[B]] [[C]]", "3.md": "[[C]] [[D]]"})
    reply = draw(snapshot, requests.GraphRequest(concept_name="A", depth=2))
    assert isinstance(reply, replies.GraphJson)
    assert [node.name for node in reply.nodes] == ["a", "b", "c"]
    assert [(edge.a, edge.b) for edge in reply.edges] == [("a", "b"), ("b", "c")]
