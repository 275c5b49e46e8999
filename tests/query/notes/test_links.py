"""Links, backlinks, unresolved targets and orphans."""

import pytest

from clew.query.notes import links
from clew.query.slices import finished
from clew.values import requests
from clew.values.errors import InvalidParams
from tests.query.notes.vault import VAULT
from tests.vaults import snapshot_of


def test_links_have_their_resolved_note_and_concept() -> None:
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


def test_backlinks_need_either_a_uri_or_a_concept() -> None:
    with pytest.raises(InvalidParams):
        links.backlinks(snapshot_of(VAULT), requests.Backlinks())


def test_unresolved_targets_come_most_linked_first() -> None:
    reply = finished(links.unresolved(snapshot_of(VAULT), requests.Unresolved()))
    assert [(row.target, row.count) for row in reply.unresolved] == [("nowhere", 2), ("pic.png", 1)]


def test_orphans_neither_link_nor_are_linked() -> None:
    reply = finished(links.orphans(snapshot_of(VAULT), requests.Orphans()))
    assert reply.orphans == ("memory://Alone.md",)
