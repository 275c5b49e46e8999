"""Links, backlinks, unresolved targets and orphans."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.query.notes import links
from clew.query.notes.meant import notes_meant
from clew.query.slices import SLICE_ROWS, finished
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.errors import InvalidParams
from clew.values.vault import Batch
from tests.counted import counted
from tests.examples import examples
from tests.query.notes.vault import VAULT
from tests.vaults import engine_of, read_note, snapshot_of


def test_links_have_their_resolved_note_and_concept() -> None:
    reply = finished(links.links(snapshot_of(VAULT), requests.Links(uri="memory://Index.md")))
    rows = [(row.target, row.kind, row.line, row.resolved, row.concept) for row in reply.links]
    assert rows == [
        ("Topic", "wiki", 2, "memory://sub/Topic.md", "topic"),
        ("pic.png", "embed", 2, None, None),
        ("nowhere", "wiki", 4, None, "nowhere"),
        ("nowhere", "wiki", 4, None, "nowhere"),
    ]


TWO_PROJECTS = {
    "a/Index.md": "The first. [[Plan]]\n",
    "a/Plan.md": "Back to [[Index]].\n",
    "project/Index.md": "The second. ![[Plan]]\n",
    "project/Plan.md": "Back to [the index](Index.md).\n",
    "top.md": "[[Index]], which is the one with the shortest path.\n",
}


def test_a_link_leads_to_the_note_in_its_own_folder() -> None:
    snapshot = snapshot_of(TWO_PROJECTS)
    for folder, linking in (("a", ["a/Plan.md", "top.md"]), ("project", ["project/Plan.md"])):
        index, plan = f"memory://{folder}/Index.md", f"memory://{folder}/Plan.md"
        (row,) = finished(links.links(snapshot, requests.Links(uri=plan))).links
        assert (row.resolved, row.concept) == (index, f"{folder}-index")
        (row,) = finished(links.links(snapshot, requests.Links(uri=index))).links
        assert (row.resolved, row.concept) == (plan, f"{folder}-plan")
        expected = [f"memory://{path}" for path in linking]
        for request in (
            requests.Backlinks(uri=index),
            requests.Backlinks(concept_name=f"{folder}/Index"),
        ):
            reply = finished(links.backlinks(snapshot, request))
            assert [found.uri for found in reply.backlinks] == expected
    assert finished(links.unresolved(snapshot, requests.Unresolved())).total == 0
    assert finished(links.orphans(snapshot, requests.Orphans())).total == 0


MANY_LINKS = snapshot_of({"a.md": "[[tide]] " * 900 + "\n[[tide]]", "b.md": "[[tide]] " * 900})


def test_backlinks_read_each_line_on_the_page_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = counted(monkeypatch, links, "shown_line")
    request = requests.Backlinks(concept_name="tide", limit=900)
    first = finished(links.backlinks(MANY_LINKS, request))
    assert (len(first.backlinks), first.total, len(read)) == (900, 1801, 1)
    following = requests.Backlinks(concept_name="tide", limit=900, cursor=first.cursor)
    reply = finished(links.backlinks(MANY_LINKS, following))
    assert [row.line for row in reply.backlinks] == [2, *[1] * 899]
    assert (reply.start, len(read)) == (900, 3)


def test_the_links_and_backlinks_of_a_note_are_made_in_steps() -> None:
    to_tide = links.backlinks(MANY_LINKS, requests.Backlinks(concept_name="tide", limit=900))
    assert sum(1 for _ in to_tide) > 900
    assert sum(1 for _ in links.links(MANY_LINKS, requests.Links(uri="a", limit=900))) >= 900


def test_backlinks_show_the_line() -> None:
    reply = finished(links.backlinks(snapshot_of(VAULT), requests.Backlinks(uri="Topic")))
    assert [(b.uri, b.line, b.text) for b in reply.backlinks] == [
        ("memory://Index.md", 2, "[[Topic]] and ![[pic.png]]")
    ]


def test_backlinks_of_a_concept_count_every_mention() -> None:
    request = requests.Backlinks(concept_name="Nowhere")
    assert finished(links.backlinks(snapshot_of(VAULT), request)).total == 2


def test_backlinks_show_unlinked_mentions_apart() -> None:
    vault = {
        "Red fox.md": "---\naliases: [Reynard]\n---\nThe red fox itself.\n",
        "a.md": "---\ntags: x\n---\nNothing.\n\nA Red\nfox, or Reynard.\n",
        "b.md": "reynard\n",
        "linked.md": "The [[Red fox]] is a red fox.\n",
        "linked too.md": "[[Red fox]]\n",
    }
    snapshot = snapshot_of(vault)
    reply = finished(links.backlinks(snapshot, requests.Backlinks(uri="Red fox", limit=1)))
    assert [(row.uri, row.line) for row in reply.backlinks] == [("memory://linked%20too.md", 1)]
    assert [(row.uri, row.line, row.text) for row in reply.mentions] == [
        ("memory://a.md", 6, "A Red")
    ]
    assert reply.mention_count == 2
    later = requests.Backlinks(uri="Red fox", limit=1, cursor=reply.cursor)
    second = finished(links.backlinks(snapshot, later))
    assert [row.uri for row in second.backlinks] == ["memory://linked.md"]
    assert (second.mentions, second.mention_count) == ((), 2)
    by_concept = finished(links.backlinks(snapshot, requests.Backlinks(concept_name="Reynard")))
    assert [row.uri for row in by_concept.mentions] == ["memory://a.md", "memory://b.md"]


def some_notes() -> st.SearchStrategy[dict[str, str]]:
    """Notes a.md to f.md, whose lines link to each other, with embeds, aliases and front matter."""
    names = st.sampled_from("ABCDEF")
    link = st.builds(
        "{}[[{}{}]]".format, st.sampled_from(["", "!"]), names, st.sampled_from(["", "#h", "|x"])
    )
    body = st.lists(st.lists(link, max_size=3).map(" ".join), max_size=4).map("\n".join)
    return st.dictionaries(names.map("{}.md".format), body, min_size=1)


@given(some_notes(), st.sampled_from("ABCDEF"), st.booleans(), st.integers(1, 4))
@examples(100)
def test_pages_of_backlinks_are_all_links_of_all_notes(
    notes: dict[str, str], name: str, of_concept: bool, limit: int
) -> None:
    if not of_concept and f"{name}.md" not in notes:
        return
    snapshot = snapshot_of(notes)
    expected = [
        (to_uri(path), link.line)
        for path in sorted(notes)
        for link in snapshot.note(path).links
        if (
            link.kind in snapshot.mention_kinds and snapshot.concept_of(link, path) == name.lower()
            if of_concept
            else snapshot.resolve(link, path) == f"{name}.md" and path != f"{name}.md"
        )
    ]
    uri, concept_name = (None, name) if of_concept else (f"{name}.md", None)
    rows, cursor, totals = [], None, set()
    while True:
        request = requests.Backlinks(uri=uri, concept_name=concept_name, limit=limit, cursor=cursor)
        reply = finished(links.backlinks(snapshot, request))
        rows += [(row.uri, row.line) for row in reply.backlinks]
        totals.add(reply.total)
        cursor = reply.cursor
        if cursor is None:
            break
    assert (rows, totals) == (expected, {len(expected)})


def test_backlinks_need_either_a_uri_or_a_concept() -> None:
    with pytest.raises(InvalidParams):
        finished(links.backlinks(snapshot_of(VAULT), requests.Backlinks()))


def test_unresolved_targets_come_most_linked_first() -> None:
    reply = finished(links.unresolved(snapshot_of(VAULT), requests.Unresolved()))
    assert [(row.target, row.count) for row in reply.unresolved] == [("nowhere", 2), ("pic.png", 1)]


def test_an_unresolved_target_may_mean_a_note_by_its_title_alias_or_former_path() -> None:
    engine = engine_of(
        {
            "a.md": "[[The Tide]] [[ebb flow]] [[sea/Old name]] [[old name]] [[Nothing]]",
            "tide.md": "---\ntitle: The tide\naliases: [Ebb Flow]\n---\n",
            "sea/Old name.md": "the text that is renamed",
        }
    )
    renamed = read_note("sea/New name.md", "the text that is renamed")
    engine.apply(Batch(put=(renamed,), dropped=("sea/Old name.md",)))
    reply = finished(links.unresolved(engine.snapshot, requests.Unresolved()))
    assert {row.target: row.may_mean for row in reply.unresolved} == {
        "The Tide": ("memory://tide.md",),
        "ebb flow": ("memory://tide.md",),
        "sea/Old name": ("memory://sea/New%20name.md",),
        "old name": ("memory://sea/New%20name.md",),
        "Nothing": (),
    }


def test_notes_meant_are_looked_up_in_slices() -> None:
    texts = [str(number) for number in range(10 * SLICE_ROWS)]
    assert sum(1 for _ in notes_meant(snapshot_of(VAULT), texts)) >= 10


def test_a_note_that_is_named_after_an_attachment_comes_with_notes() -> None:
    notes = {"a.md": "[[paper.pdf.md]] ![[map.png]] [[map.png.md]] ![[a.png]]"}
    reply = finished(links.unresolved(snapshot_of(notes), requests.Unresolved()))
    assert [row.target for row in reply.unresolved] == ["map.png", "paper.pdf.md", "a.png"]


def test_spellings_that_one_file_would_resolve_are_one_target() -> None:
    notes = {
        "a.md": "[[Tide]] [[tide]] [x](Tide.md) [[Tide]] ![[Moon.PNG]] [[sea/Tide]] [[ti-de]]",
        "b.md": "[[TIDE.md]] ![[moon.png]] ![[moon.png]]",
    }
    reply = finished(links.unresolved(snapshot_of(notes), requests.Unresolved()))
    assert [(row.target, row.count) for row in reply.unresolved] == [
        ("Tide", 5),
        ("sea/Tide", 1),
        ("ti-de", 1),
        ("moon.png", 3),
    ]
    assert reply.unresolved[0].files == ("memory://a.md", "memory://b.md")
    assert reply.total == 4


def test_attachments_come_after_what_may_be_a_note() -> None:
    linked = "![[pic.png]] ![[pic.png]] ![[b.svg]] [[Zebra]] [[Apple]] [[Zebra]] [[v1.2]]"
    snapshot = snapshot_of({"a.md": linked})

    def asked(limit: int, cursor: str | None = None) -> replies.Unresolved:
        return finished(links.unresolved(snapshot, requests.Unresolved(limit=limit, cursor=cursor)))

    whole = [row.target for row in asked(9).unresolved]
    assert whole == ["Zebra", "Apple", "v1.2", "pic.png", "b.svg"]
    first = asked(3)
    assert [row.target for row in asked(9, first.cursor).unresolved] == whole[3:]


def test_orphans_neither_link_nor_are_linked() -> None:
    reply = finished(links.orphans(snapshot_of(VAULT), requests.Orphans()))
    assert reply.orphans == ("memory://Alone.md",)


def test_orphans_are_looked_for_among_the_notes_that_link_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at = set[str]()
    monkeypatch.setattr(links, "_is_orphan", lambda _, path: looked_at.add(path))
    notes = {"a.md": "[[b]]", "b.md": "[[gone]]", "c.md": "![[x.png]]", "d.md": "[[d]]"}
    finished(links.orphans(snapshot_of(notes), requests.Orphans()))
    assert looked_at == {"c.md", "d.md"}


@given(some_notes())
@example({"A.md": "[[A]] ![[A#h]] [[#h]]", "B.md": "[[C]]"})
@examples(100)
def test_links_of_a_note_to_itself_make_it_no_less_an_orphan(notes: dict[str, str]) -> None:
    snapshot = snapshot_of(notes)
    linked = set()
    for path in notes:
        for link in snapshot.note(path).links:
            if snapshot.resolve(link, path) != path:
                linked |= {path, f"{link.target}.md"}
    reply = finished(links.orphans(snapshot, requests.Orphans()))
    assert reply.orphans == tuple(to_uri(path) for path in sorted(notes) if path not in linked)


def test_a_link_by_an_alias_is_a_link_to_the_note_that_alone_has_it() -> None:
    notes = {
        "Beta.md": "---\naliases: [Alpha, Both]\n---\n",
        "Other.md": "---\naliases: [Both]\n---\n",
        "a.md": "[[Alpha]]\n![[alpha#Heading|x]]",
        "b.md": "[[Both]]",
        "self.md": "---\naliases: [First]\n---\n[[First]]",
    }

    def linked(path: str) -> list[tuple[str, int]]:
        request = requests.Backlinks(uri=to_uri(path))
        rows = finished(links.backlinks(snapshot_of(notes), request)).backlinks
        return [(row.uri, row.line) for row in rows]

    assert linked("Beta.md") == [("memory://a.md", 1), ("memory://a.md", 2)]
    assert linked("Other.md") == []
    orphans = finished(links.orphans(snapshot_of(notes), requests.Orphans())).orphans
    assert orphans == ("memory://Other.md", "memory://self.md")


def test_an_alias_among_the_properties_of_logseq_is_one() -> None:
    snapshot = snapshot_of({"pages/Tide.md": "alias:: sea level\n- x", "a.md": "- [[Sea level]]"})
    rows = finished(links.backlinks(snapshot, requests.Backlinks(uri="Tide"))).backlinks
    assert [row.text for row in rows] == ["- [[Sea level]]"]


def test_the_first_twenty_notes_that_link_to_an_unresolved_target_are_named() -> None:
    snapshot = snapshot_of({f"{n:02}.md": "[[nowhere]]" for n in range(21)})
    (row,) = finished(links.unresolved(snapshot, requests.Unresolved())).unresolved
    assert row.files == tuple(f"memory://{n:02}.md" for n in range(20))
