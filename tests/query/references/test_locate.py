"""Each form of a reference, and the note and the concept that it names."""

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.notes.links import backlinks
from clew.query.references.locate import (
    locate,
    locate_concept,
    locate_concept_shown,
    locate_title,
)
from clew.query.slices import finished
from clew.text.uri import from_uri, to_concept_uri, to_uri
from clew.values.errors import Ambiguous, UnknownNote
from clew.values.requests import Backlinks, Filters
from tests.examples import examples
from tests.searches import ask, paths
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import snapshot_of

NOTES = {
    "lab/Tide gauge.md": "---\naliases: [Mareograph]\ntitle: The gauge at the pier\n---\n"
    "# How it works\n",
    "潮.md": "",
    "C#.md": "",
    "b/Log.md": "",
    "c/d/Log.md": "",
    "one/Twin.md": "",
    "third/Twin.md": "",
    "a/b/Deep.md": "",
    "longfolder/Deep.md": "",
    "Stem.md": "---\ntitle: Another\n---\n",
    "h.md": "---\ntitle: Stem\naliases: [Stem]\n---\n",
    "e1.md": "---\naliases: [Shared name]\n---\n",
    "e2.md": "---\ntitle: Shared name\n---\n",
    "f1.md": "---\naliases: [meter]\n---\n",
    "f2.md": "---\naliases: [meter]\n---\n",
    "g.md": "---\ntitle: Essay\n---\n",
    "F.md": "",
    "F#/sub/Sharp.md": "# Head\n## Part\n",
    "all.md": "[[lab/Tide gauge]] [[潮]] [c](C%23.md) [[b/Log]] [[c/d/Log]] [[one/Twin]]"
    " [[third/Twin]] [[Stem]] [[h]] [[e1]] [[e2]] [[f1]] [[f2]] [[meter]] [[a/b/Deep]]"
    " [[longfolder/Deep]] [[g]] [[Essay]] [[sand]] [[F]] [s](F%23/sub/Sharp.md)",
}
SNAPSHOT = snapshot_of(NOTES)


def rows() -> list[list[str]]:
    text = (Path(__file__).parents[2] / "data" / "references.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if "\t" in line and line[:2] != "# "]


@for_each_row(("reference", "notes", "concept"), rows())
def test_a_reference_names_a_note_and_a_concept(reference: str, notes: str, concept: str) -> None:
    assert note_of(reference) == notes
    assert concept_of(reference) == concept


def note_of(reference: str) -> str:
    try:
        return locate(SNAPSHOT, reference)
    except UnknownNote:
        return "-"
    except Ambiguous as error:
        return " ".join(map(from_uri, error.candidates))


def concept_of(reference: str) -> str:
    try:
        return locate_concept(SNAPSHOT, reference) or "-"
    except Ambiguous:
        return "!"


PARTS = st.sampled_from(
    ["a", "A", "b c", "x#y", "[[x]]", "x|y", "100%", "%41", "é", "a_b", "#", "L1"]
)


@examples(200)
@given(st.sets(st.lists(PARTS, min_size=1, max_size=3).map("/".join), max_size=6))
def test_what_replies_name_can_be_handed_back(stems: set[str]) -> None:
    """The URI of a note and that of a concept name just it, whatever else is in the vault."""
    links = {f"n{number}.md": f"[x]({quote(stem)}.md)" for number, stem in enumerate(stems)}
    snapshot = snapshot_of({f"{stem}.md": "" for stem in stems} | links)
    for path in snapshot.entries:
        assert locate(snapshot, to_uri(path)) == locate(snapshot, path) == path
        assert locate(snapshot, to_uri(path) + "#L1-L2~12345678") == path
    for name in snapshot.graph.concepts():
        assert locate_concept(snapshot, to_concept_uri(name)) == name


FOLDERS = st.sampled_from(["", "a/", "a/b/", "b/", "long folder/", "c/d/e/"])


@examples(100)
@given(st.sets(FOLDERS, min_size=1), st.sampled_from(["x", "b/x", "X", "a/x", "x.md", "/x"]))
def test_a_name_that_is_not_ambiguous_means_what_a_link_does(folders: set[str], name: str) -> None:
    notes = {f"{folder}x.md": "" for folder in folders}
    links = " ".join(f"[[/{folder}x]]" for folder in folders)
    snapshot = snapshot_of(notes | {"links.md": f"{links} [[{name}]]"})
    try:
        path = locate(snapshot, name)
    except (Ambiguous, UnknownNote):
        return
    # A link with a path that no note has leads nowhere; a request falls back on the stem.
    assert snapshot.names.resolve(name) in (path, None)
    assert snapshot.names.resolve(name) == path or name.startswith("/")
    assert locate_concept(snapshot, name) == snapshot.names.concept_of_note(path)


def test_ten_candidates_are_shown_of_any_number() -> None:
    snapshot = snapshot_of({f"{n:02}/x.md": "" for n in range(12)})
    with pytest.raises(Ambiguous) as caught:
        locate(snapshot, "x")
    assert caught.value.candidates == tuple(f"memory://{n:02}/x.md" for n in range(10))
    assert "12" in str(caught.value)


def test_notes_that_are_one_concept_are_not_ambiguous_as_a_concept() -> None:
    notes = {"a/x.md": "", "b/x.md": "", "c.md": "[[a/x]] [[b/x]]"}
    rules = '[merge]\n"x" = ["a-x", "b-x"]\n'
    assert locate_concept(snapshot_of(notes, rules=rules), "x") == "x"


def test_a_title_of_two_notes_is_ambiguous_before_a_stem() -> None:
    snapshot = snapshot_of({"T.md": "---\ntitle: U\n---\n", "a.md": "# T\n", "b.md": "# T\n"})
    with pytest.raises(Ambiguous):
        locate_title(snapshot, "T")
    assert locate(snapshot, "T") == "T.md"


def test_a_title_is_found_in_another_unicode_form() -> None:
    snapshot = snapshot_of({"x.md": "---\ntitle: \u00c9te\u0301\n---\n"})
    assert locate_title(snapshot, "e\u0301t\u00e9").path == "x.md"
    assert locate(snapshot, "\u00c9t\u00c9") == "x.md"


def test_a_uri_is_found_in_another_unicode_form_but_not_in_other_letters() -> None:
    snapshot = snapshot_of({"e\u0301te\u0301/Me\u0301lia.md": "[[b]]", "b.md": "[[Me\u0301lia]]"})
    uri = "memory://\u00e9t\u00e9/M\u00e9lia.md"
    for reference in (uri, f"{uri}#L1", to_uri("\u00e9te\u0301/M\u00e9lia.md")):
        assert locate(snapshot, reference) == "e\u0301te\u0301/Me\u0301lia.md"
        assert locate_concept(snapshot, reference) == "m\u00e9lia"
    for other in (uri.lower(), "memory://M\u00e9lia.md", uri.removesuffix(".md")):
        with pytest.raises(UnknownNote):
            locate(snapshot, other)


def test_the_uri_of_a_missing_note_costs_little_where_many_notes_have_its_file_name() -> None:
    snapshot = snapshot_of({f"{number}/README.md": "" for number in range(600)})

    def look_up() -> None:
        for number in range(300):
            with pytest.raises(UnknownNote):
                locate(snapshot, f"memory://gone{number}/README.md")

    check_within(0.02, look_up, times=3)


def test_of_names_that_differ_in_case_the_one_that_is_spelled_so_is_meant() -> None:
    snapshot = snapshot_of({"Plan.md": "", "plan.md": ""})
    assert [locate(snapshot, name) for name in ("Plan", "plan")] == ["Plan.md", "plan.md"]
    with pytest.raises(Ambiguous):
        locate(snapshot, "PLAN")


NAMES = ("Anna", "Anna Lind", "Foo")


def test_the_name_that_replies_show_leads_to_its_concept_if_it_is_the_only_one() -> None:
    notes = {
        "People/Anna Lind.md": "About her.",
        "a.md": "[[People/Anna Lind|Anna]] [[Foo]]",
        "b.md": "[[x/One|Same]] [[x/Two|Same]] [[Foo]]",
    }
    snapshot = snapshot_of(notes)
    assert finished(locate_concept_shown(snapshot, "Anna")) == "anna-lind"
    assert snapshot.display("anna-lind") == "Anna"
    assert finished(locate_concept_shown(snapshot, "[[anna]]")) == "anna-lind"
    assert finished(locate_concept_shown(snapshot, "Same")) is None
    assert finished(locate_concept_shown(snapshot, "foo")) == "foo"
    by_name = finished(backlinks(snapshot, Backlinks(concept_name="Anna")))
    assert [row.uri for row in by_name.backlinks] == ["memory://a.md"]
    found = {name: paths(ask(snapshot, "foo", filters=Filters(entity=(name,)))) for name in NAMES}
    assert found["Anna"] == found["Anna Lind"] != []
    assert "b.md" in found["Foo"]
    assert "b.md" not in found["Anna"]
