"""Names that nothing has, or that several notes have, in every method that takes a name."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args, get_type_hints

import pytest

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.draw import drawing
from clew.query.graph.concept import concept
from clew.query.graph.paths import path
from clew.query.notes import links, read
from clew.query.search.narrowing.filters import notes_in
from clew.query.search.similar import similar
from clew.query.slices import finished
from clew.values import requests
from clew.values.errors import Ambiguous, UnknownNote
from tests.tables import for_each_row
from tests.vaults import CLOCK, NOW_S, snapshot_of

SNAPSHOT = snapshot_of(
    {
        "one/Twin.md": "",
        "two/Twin.md": "",
        "Clock drift.md": "[[one/Twin]] [[two/Twin]] [[Pulse]]",
        "a.md": "[[Clock drift]] [[Pulse]]",
    }
)
TWINS = ("memory://one/Twin.md", "memory://two/Twin.md")
FORMATS = get_args(get_type_hints(requests.GraphRequest)["format"])


def draw(snapshot: Snapshot, name: str, form: Any) -> Any:
    request = requests.GraphRequest(concept_name=name, format=form)
    return drawing.draw(finished(drawing.subgraph(snapshot, request, NOW_S)), form, "vault")


def ask_path(start: str, goal: str) -> Any:
    return finished(path(SNAPSHOT, requests.PathRequest(from_=start, to=goal), NOW_S))


def ask_concept(name: str) -> Any:
    request = requests.ConceptRequest(concept_name=name)
    return finished(concept(SNAPSHOT, request, NOW_S, SiblingConfig()))


def ask_similar(name: str) -> Any:
    return finished(similar(SNAPSHOT, requests.Similar(concept_name=name), None, ()))


def ask_backlinks(name: str) -> Any:
    return finished(links.backlinks(SNAPSHOT, requests.Backlinks(concept_name=name)))


OF_CONCEPTS: dict[str, Callable[[str], Any]] = {
    "path from": lambda name: ask_path(name, "Pulse"),
    "path to": lambda name: ask_path("Pulse", name),
    "similar": ask_similar,
    "backlinks": ask_backlinks,
    **{f"graph {form}": partial(draw, SNAPSHOT, form=form) for form in FORMATS},
}
OF_NOTES: dict[str, Callable[[str], Any]] = {
    "links": lambda name: links.links(SNAPSHOT, requests.Links(uri=name)),
    "backlinks": lambda name: finished(links.backlinks(SNAPSHOT, requests.Backlinks(uri=name))),
    "read": lambda name: read.read(SNAPSHOT, requests.Read(uri=name)),
    "title": lambda name: read.read(SNAPSHOT, requests.Read(title=name)),
}


@for_each_row("ask", OF_CONCEPTS.values())
def test_an_unknown_concept_is_no_error_and_has_suggestions(ask: Callable[[str], Any]) -> None:
    reply = ask("clok drift")
    assert (reply.unknown, reply.suggestions) == (("clok drift",), ("clock-drift",))
    assert ask("[[clok drift#x|y]]").suggestions == ("clock-drift",)
    known = ask("clock drift")
    assert (known.unknown, known.suggestions) == ((), ())


def test_both_ends_of_a_path_have_suggestions() -> None:
    reply = ask_path("clok drift", "pulses")
    assert reply.unknown == ("clok drift", "pulses")
    assert reply.suggestions == ("clock-drift", "pulse")


@for_each_row(
    "ask",
    [*OF_CONCEPTS.values(), *OF_NOTES.values(), ask_concept],
)
def test_a_name_of_two_notes_is_refused_with_both(ask: Callable[[str], Any]) -> None:
    with pytest.raises(Ambiguous) as caught:
        ask("[[twin]]")
    assert caught.value.candidates == TWINS


def test_a_filter_by_an_ambiguous_concept_is_refused() -> None:
    with pytest.raises(Ambiguous):
        notes_in(SNAPSHOT, requests.Filters(entity=("Twin",)), CLOCK)


@pytest.mark.parametrize("ask", OF_NOTES.values(), ids=OF_NOTES)
def test_an_unknown_note_is_an_error(ask: Callable[[str], Any]) -> None:
    with pytest.raises(UnknownNote):
        ask("clok drift")


def test_a_path_has_display_names() -> None:
    (found, *_) = ask_path("one/Twin", "Pulse").paths
    assert (found.concepts, found.display_names) == (
        ("one-twin", "pulse"),
        ("one/Twin", "Pulse"),
    )


def test_what_is_further_away_has_display_names() -> None:
    snapshot = snapshot_of({"1.md": "[[Q]] [[A]]", "2.md": "[[A]] [[Big B]]"})
    request = requests.ConceptRequest(concept_name="q")
    (row,) = finished(concept(snapshot, request, NOW_S, SiblingConfig())).expanded_paths
    assert (row.display_name, row.display_path) == ("Big B", ("Q", "A", "Big B"))
