"""Lists of concepts, tags and recent notes, and their pages."""

from typing import Any, Literal

import pytest

from clew.engine.snapshot import Snapshot
from clew.query.notes import lists
from clew.query.slices import finished
from clew.values import replies, requests
from clew.values.errors import InvalidParams
from clew.values.vault import Batch
from tests.query.notes.vault import VAULT
from tests.vaults import CLOCK, NOW_S, engine_of, read_note, snapshot_of


def tagged(tag: str, **fields: Any) -> replies.TaggedNotes:
    reply = finished(lists.tags(snapshot_of(VAULT), requests.Tags(tag=tag, **fields)))
    assert isinstance(reply, replies.TaggedNotes)
    return reply


@pytest.mark.parametrize(
    ("tag", "notes"),
    [
        ("#a", {"Alone": ("a/b", "a/z"), "Topic": ("a/b",)}),
        ("A/b/", {"Alone": ("a/b",), "Topic": ("a/b",)}),
        ("c", {"Topic": ("c",)}),
        (" #c ", {"Topic": ("c",)}),
        ("a/", {"Alone": ("a/b", "a/z"), "Topic": ("a/b",)}),
    ],
)
def test_a_tag_has_its_notes_and_those_of_tags_below_it(
    tag: str, notes: dict[str, tuple[str, ...]]
) -> None:
    reply = tagged(tag)
    assert {row.title: row.tags for row in reply.notes} == notes
    assert (reply.total, reply.suggestions) == (len(notes), ())


@pytest.mark.parametrize(("tag", "similar"), [("a/bb", ("a/b",)), ("zzz", ()), ("#", ())])
def test_an_unknown_tag_has_similar_ones(tag: str, similar: tuple[str, ...]) -> None:
    reply = tagged(tag)
    assert (reply.notes, reply.total, reply.suggestions) == ((), 0, similar)


def test_a_tag_and_a_prefix_together_are_refused() -> None:
    with pytest.raises(InvalidParams):
        tagged("a", prefix="a")


def test_a_parent_tag_prefix_finds_its_children() -> None:
    reply = finished(lists.tags(snapshot_of(VAULT), requests.Tags(prefix="#A/")))
    assert isinstance(reply, replies.Tags)
    assert [(row.tag, row.count) for row in reply.tags] == [("a/b", 2), ("a/z", 1)]


def names_sorted_by(snapshot: Snapshot, sort: Literal["mentions", "recent", "name"]) -> list[str]:
    return [
        row.name
        for row in finished(lists.concepts(snapshot, requests.Concepts(sort=sort))).concepts
    ]


def test_concepts_can_be_sorted_three_ways() -> None:
    old = read_note("old.md", "[[Abe]] [[Abe]] [[Mid]]", NOW_S - 1000)
    new = read_note("new.md", "[[Zed]] [[Mid]]", NOW_S)
    for notes in ((old, new), (new, old)):
        engine = engine_of({})
        engine.apply(Batch(put=notes))
        assert names_sorted_by(engine.snapshot, "mentions") == ["abe", "mid", "zed"]
        assert names_sorted_by(engine.snapshot, "recent") == ["mid", "zed", "abe"]
        assert names_sorted_by(engine.snapshot, "name") == ["abe", "mid", "zed"]


def test_a_concept_row_lists_its_aliases() -> None:
    snapshot = snapshot_of({**VAULT, "b.md": "[[Thing]]"})
    reply = finished(lists.concepts(snapshot, requests.Concepts(prefix="top")))
    assert [(row.name, row.note_count, row.aliases) for row in reply.concepts] == [
        ("topic", 3, ("Thing",))
    ]


def test_recent_starts_at_a_date() -> None:
    engine = engine_of({})
    engine.apply(Batch(put=(read_note("a.md", "x", 0.0), read_note("b.md", "x", 86_400.0))))
    reply = finished(lists.recent(engine.snapshot, requests.Recent(since="1970-01-02"), CLOCK))
    assert [(n.uri, n.modified) for n in reply.notes] == [("memory://b.md", "1970-01-02T00:00:00Z")]


def test_recent_ends_before_a_date() -> None:
    engine = engine_of({})
    days = {"a.md": 0.0, "b.md": 86_400.0, "c.md": 2 * 86_400.0}
    engine.apply(Batch(put=tuple(read_note(path, "x", at_s) for path, at_s in days.items())))

    def listed(since: str | None = None, until: str | None = None) -> list[str]:
        request = requests.Recent(since=since, until=until)
        return [row.uri for row in finished(lists.recent(engine.snapshot, request, CLOCK)).notes]

    assert listed(until="1970-01-03") == ["memory://b.md", "memory://a.md"]
    assert listed(since="1970-01-02", until="1970-01-03") == ["memory://b.md"]
    assert listed(since="1970-01-03", until="1970-01-02") == []


def test_recent_by_read_lists_notes_with_a_read_date() -> None:
    engine = engine_of({"a.md": "x", "b.md": "x"})
    engine.apply(Batch(reads_s={"b.md": 5.0}))
    reply = finished(lists.recent(engine.snapshot, requests.Recent(by="read"), CLOCK))
    assert [(n.uri, n.last_read) for n in reply.notes] == [
        ("memory://b.md", "1970-01-01T00:00:05Z")
    ]
