"""Names that nothing has, or that several notes have, in every method that takes a name."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args, get_type_hints

import pytest

from clew.engine.settings import ConceptSource, EngineSettings, SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query import suggest
from clew.query.draw import drawing
from clew.query.graph.concept import concept
from clew.query.graph.paths import path
from clew.query.notes import links, read
from clew.query.search.narrowing.filters import notes_in
from clew.query.search.similar import similar
from clew.query.slices import finished
from clew.query.suggest import close_concepts, close_folders_to, with_similar_names
from clew.text.uri import to_uri
from clew.values import requests
from clew.values.errors import Ambiguous, UnknownNote
from clew.values.vault import Batch
from tests.tables import for_each_row
from tests.vaults import CLOCK, NOW_S, engine_of, read_note, snapshot_of

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
    "links": lambda name: finished(links.links(SNAPSHOT, requests.Links(uri=name))),
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


NAMED = snapshot_of(
    {
        "deep/folder/of/Introduction.md": "---\naliases: [Obsidian Sync]\n---\n",
        "deep/folder/of/Embed files.md": "",
        "deep/folder/of/x.md": "---\ntitle: The yearly table\n---\n[[Introduction]]",
        "y.md": "[[Introduction]] [[Unrelated thing]]",
    }
)


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("obsidian synk", "deep/folder/of/Introduction.md"),
        ("embed filez", "deep/folder/of/Embed files.md"),
        ("[[Embed filez#x]]", "deep/folder/of/Embed files.md"),
        ("embed", "deep/folder/of/Embed files.md"),
        ("yearly tabel", "deep/folder/of/x.md"),
        ("deep/folder/of/embed.md", "deep/folder/of/Embed files.md"),
    ],
)
def test_a_note_with_any_name_like_an_unknown_one_is_suggested(typed: str, path: str) -> None:
    error = finished(with_similar_names(NAMED, UnknownNote(typed)))
    assert isinstance(error, UnknownNote)
    assert error.suggestions[0] == to_uri(path)
    assert error.hint.startswith("close to it: ")


MOVED = snapshot_of(
    {
        "Core Notes/ML.md": "",
        "Core Notes/S3.md": "",
        "Core Notes/sub/LSTM.md": "",
        "old/a b/LSTM.md": "",
        "templates/LICENSE.md": "",
        "x/AC-DC live.md": "---\ntitle: AC/DC live\n---\n",
    }
)


@for_each_row(
    ("typed", "close"),
    [
        ("memory://Core%20Notes/LSTM.md", ("Core Notes/sub/LSTM.md", "old/a b/LSTM.md")),
        ("Core Notes/LSTM.md", ("Core Notes/sub/LSTM.md", "old/a b/LSTM.md")),
        ("Core Notes/lstm#L1-L2", ("Core Notes/sub/LSTM.md", "old/a b/LSTM.md")),
        ("memory://old/a%20b/c/lstm.md", ("old/a b/LSTM.md", "Core Notes/sub/LSTM.md")),
        ("memory://elsewhere/ML.md", ("Core Notes/ML.md",)),
        ("Core Notes/LTSM", ("Core Notes/sub/LSTM.md", "old/a b/LSTM.md")),
        ("Core Notes/zebra", ()),
        ("Nonsense", ()),
        ("AC/DC life", ("x/AC-DC live.md",)),
    ],
)
def test_a_note_of_the_same_file_name_elsewhere_comes_first(
    typed: str, close: tuple[str, ...]
) -> None:
    error = finished(with_similar_names(MOVED, UnknownNote(typed)))
    assert isinstance(error, UnknownNote)
    assert error.suggestions == tuple(map(to_uri, close))


SHORT = snapshot_of(
    {
        "a.md": "[[ML]] [[Deep Learning]] [[Caching]] [[Object Relational Mapping (ORM)]]",
        "b.md": "[[Random Access Memory]] [[Department of Defense]] [[DD]] [[License]] [[or]]",
        "Continuous.md": "---\naliases: [CI]\n---\n",
        "c.md": "[[Continuous]]",
    }
)


@for_each_row(
    ("name", "close"),
    [
        ("machine learning", ("ml", "deep-learning")),  # "caching" shares more than a third
        ("ORM", ("object-relational-mapping-(orm)",)),
        ("ram", ("random-access-memory",)),
        ("dod", ("department-of-defense",)),
        ("Digital Dolphin", ("dd",)),
        ("continuous integration", ("continuous",)),
        ("cold iron", ("continuous",)),  # by its alias
        ("Nonsense", ()),
    ],
)
def test_an_acronym_is_close_and_a_few_shared_letters_are_not(
    name: str, close: tuple[str, ...]
) -> None:
    assert finished(close_concepts(SHORT, [name])) == close


def test_a_concept_with_an_alias_like_an_unknown_name_is_suggested() -> None:
    assert finished(close_concepts(NAMED, ["obsidian synk"])) == ("introduction",)
    assert finished(close_concepts(NAMED, ["introducton"])) == ("introduction",)
    assert finished(close_concepts(NAMED, ["zzz"])) == ()


def test_an_alias_that_names_no_concept_is_not_suggested() -> None:
    settings = EngineSettings(sources=frozenset([ConceptSource.LINKS]))
    notes = {"a.md": "---\naliases: [Obsidian Sync]\n---\n[[Pulse]] [[a]]"}
    without = engine_of(notes, settings=settings).snapshot
    assert finished(close_concepts(without, ["obsidian synk"])) == ()


def test_a_name_that_is_merged_into_another_is_suggested_as_that() -> None:
    rules = '[merge]\n"Pulse" = ["Obsidian Sync"]\n'
    snapshot = snapshot_of({"a.md": "[[Pulse]] [[Tide]]"}, rules)
    assert finished(close_concepts(snapshot, ["obsidian synk"])) == ("pulse",)


@pytest.mark.parametrize("typed", ["todo", "[[To Do]]", "Chores", "later"])
def test_a_name_that_the_rules_ignore_is_told_from_one_that_no_note_mentions(typed: str) -> None:
    rules = 'ignore = ["todo"]\n[merge]\n"todo" = ["To Do", "later"]\n'
    notes = {"todo.md": "---\naliases: [Chores]\n---\n", "a.md": "[[todo]] [[Pulse]] [[later]]"}
    snapshot = snapshot_of(notes, rules)
    asked = requests.PathRequest(from_=typed, to="nothing")
    assert finished(path(snapshot, asked, NOW_S)).ignored == (typed,)
    for name, is_ignored in ((typed, True), ("nothing", False)):
        request = requests.ConceptRequest(concept_name=name)
        assert finished(concept(snapshot, request, NOW_S, SiblingConfig())).ignored is is_ignored
        names = (name,) if is_ignored else ()
        linked = requests.Backlinks(concept_name=name)
        assert finished(links.backlinks(snapshot, linked)).ignored == names
        alike = requests.Similar(concept_name=name)
        assert finished(similar(snapshot, alike, None, ())).ignored == names
        assert draw(snapshot, name, "json").ignored == names
        assert draw(snapshot, name, "mermaid").ignored == names


@for_each_row(
    ("name", "close"),
    [
        ("gost", ("the-eleven-minute-ghost",)),
        ("minuet", ("the-eleven-minute-ghost", "average-sixty-samples-a-minute")),
        ("gost samlpes", ()),  # each word must be like one of the name
        ("zebra", ()),
    ],
)
def test_a_misspelt_word_of_a_longer_name_has_suggestions(
    name: str, close: tuple[str, ...]
) -> None:
    ghost = "[[The eleven-minute ghost]]"
    notes = {"a.md": f"{ghost} [[Average sixty samples a minute]]", "b.md": ghost}
    assert finished(close_concepts(snapshot_of(notes), (name,))) == close


def test_of_equally_similar_names_those_that_more_notes_mention_come_first() -> None:
    names = ("Tide table A", "Tide table B", "Tide table C")
    notes = {f"{n}.md": f"[[{name}]]" for n, name in enumerate((*names, *names[1:], names[2]))}
    close = finished(close_concepts(snapshot_of(notes), ("Tide table X",)))
    assert close == ("tide-table-c", "tide-table-b", "tide-table-a")


@for_each_row(
    ("path", "close"),
    [
        ("plugin", ("tools/plugins",)),
        ("tools/plugin/", ("tools/plugins", "tools")),
        ("Tool", ("tools",)),
        ("zebra", ()),
    ],
)
def test_folders_with_names_like_an_unknown_one_are_suggested(
    path: str, close: tuple[str, ...]
) -> None:
    assert finished(close_folders_to(snapshot_of({"tools/plugins/a.md": ""}), path)) == close


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


def test_names_of_later_revisions_are_not_suggested() -> None:
    engine = engine_of({"a.md": "[[The eleven-minute ghost]]"})
    before = engine.snapshot
    engine.apply(Batch(put=(read_note("b.md", "[[A ghost in the twelfth minute of the hour]]"),)))
    assert finished(close_concepts(before, ("gost",))) == ("the-eleven-minute-ghost",)
    assert len(finished(close_concepts(engine.snapshot, ("gost",)))) == 2


def test_in_a_very_large_vault_no_words_of_names_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = snapshot_of({"a.md": "[[The eleven-minute ghost]] [[Other]]"})
    monkeypatch.setattr(suggest, "NAMES_SPLIT_MAX", 1)
    assert finished(close_concepts(snapshot, ("gost",))) == ()


@for_each_row(
    ("name", "is_concept"), [("Pulse", True), ("[[pulse#x]]", True), ("Puls", False), ("b", False)]
)
def test_the_hint_for_an_unknown_note_tells_a_concept_of_its_name(
    name: str, is_concept: bool
) -> None:
    error = finished(with_similar_names(SNAPSHOT, UnknownNote(name)))
    assert ("is a concept without a note" in error.hint) == is_concept


@for_each_row("name", ["memory://clock%20drift.md", "memory:///Clock%20drift.md", "tick"])
def test_the_hint_for_an_unknown_note_names_the_note_that_a_concept_is(name: str) -> None:
    snapshot = snapshot_of(
        {"Clock drift.md": "", "a.md": "[[Clock drift]] [[tick]]"},
        rules='[merge]\n"Clock drift" = ["tick"]\n',
    )
    error = finished(with_similar_names(snapshot, UnknownNote(name)))
    assert isinstance(error, UnknownNote)
    assert error.hint == "close to it: Clock drift"
    assert error.suggestions == ("memory://Clock%20drift.md",)


@pytest.mark.parametrize("kept", [1_000, 6])
def test_the_five_most_similar_of_many_names_are_suggested(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggest, "_SCORED_MAX", kept)
    names = [f"clockdrift{'x' * count}" for count in range(9)]
    for given in (names, names[::-1]):
        assert finished(suggest.close_names("clockdrift", given)) == tuple(names[:5])


@for_each_row(
    ("name", "suggested"),
    [
        ("Oeufs", "memory://Œufs.md"),
        ("reunion", "memory://Réunion.md"),
        ("Ubergabe", "memory://Übergabe.md"),
    ],
)
def test_a_name_without_its_accents_is_close(name: str, suggested: str) -> None:
    snapshot = snapshot_of({"Œufs.md": "", "Réunion.md": "", "Übergabe.md": ""})
    error = finished(with_similar_names(snapshot, UnknownNote(name)))
    assert isinstance(error, UnknownNote)
    assert error.suggestions[:1] == (suggested,)


def test_a_word_of_a_name_is_shared_without_its_accents() -> None:
    assert finished(suggest.close_names("eleve", ["Élévé bassin"])) == ("Élévé bassin",)


def test_a_tag_without_its_accents_is_close() -> None:
    snapshot = snapshot_of({"a.md": "#été"})
    assert finished(suggest.close_names_in(snapshot, "tag", "ete")) == ("été",)
