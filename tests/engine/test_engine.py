"""The concepts of a vault: names, aliases, self-mention, rules and sources."""

import pytest
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.settings import ConceptSource, EngineSettings
from clew.values.vault import Batch
from tests.tables import for_each_row
from tests.vaults import DAY_S, NOW_S, engine_of, read_note, snapshot_of

ML = {
    "research/Machine Learning.md": "---\naliases: [ML]\n---\nbody",
    "a.md": "[[ML]] and [[machine learning]] and [[research/Machine Learning]]",
}


def concepts(notes: dict[str, str], rules: str | None = None) -> set[str]:
    return set(snapshot_of(notes, rules).graph.concepts())


def test_path_stem_and_alias_are_one_concept() -> None:
    snapshot = snapshot_of(ML)
    assert snapshot.graph.row("a.md") == {"machine-learning": 3}


def test_a_bare_alias_names_the_concept_but_resolves_to_nothing() -> None:
    snapshot = snapshot_of(ML)
    target = snapshot.targets.by_text["ML"]
    assert (target.concept, target.resolved) == ("machine-learning", None)


def test_a_note_mentions_itself_once_another_note_links_to_it() -> None:
    lonely = {"A.md": "[[B]]"}
    assert snapshot_of(lonely).graph.row("A.md") == {"b": 1}
    linked = {**lonely, "C.md": "[[A]]"}
    assert snapshot_of(linked).graph.row("A.md") == {"b": 1, "a": 1}


def test_a_link_of_a_note_to_itself_does_not_count_as_a_mention() -> None:
    snapshot = snapshot_of({"A.md": "[[A]] [[B]]", "B.md": ""})
    assert snapshot.graph.row("A.md") == {"a": 1, "b": 1}
    assert snapshot.graph.row("B.md") == {"b": 1}


def test_notes_with_the_same_stem_are_distinguished_by_path() -> None:
    snapshot = snapshot_of(
        {"x/Note.md": "", "y/note.md": "", "a.md": "[[x/Note]] [[y/Note]]", "b.md": "[[Note]]"}
    )
    assert snapshot.graph.row("a.md") == {"x-note": 1, "y-note": 1}
    assert snapshot.graph.row("b.md") == {"x-note": 1}


def test_a_stem_beats_an_alias_and_the_clash_is_a_problem() -> None:
    notes = {"One.md": "---\naliases: Two\n---", "Two.md": "", "a.md": "[[two]]"}
    snapshot = snapshot_of(notes)
    assert snapshot.graph.row("a.md") == {"two": 1}
    assert [(p.path, p.code) for p in snapshot.problems()] == [("One.md", "aliasContested")]


@pytest.mark.parametrize(
    "rules",
    ['ignore = ["Sync"]', '[merge]\n"Sync" = ["cloud"]', '[merge]\n"cloud" = ["Sync"]'],
)
def test_a_rule_about_an_alias_is_a_problem_since_links_name_the_note(rules: str) -> None:
    notes = {"Introduction.md": "---\naliases: [Sync]\n---", "a.md": "[[sync]] [[cloud]]"}
    snapshot = snapshot_of(notes, rules)
    assert snapshot.graph.row("a.md")["introduction"] == 1
    (problem,) = snapshot.problems()
    assert (problem.path, problem.code) == (".clew/concepts.toml", "conceptRulesInvalid")
    assert "'introduction'" in problem.message


def test_a_rule_about_a_note_is_no_problem() -> None:
    notes = {"Introduction.md": "---\naliases: [Sync]\n---", "a.md": "[[sync]] [[cloud]]"}
    rules = '[merge]\n"Introduction" = ["cloud"]'
    snapshot = snapshot_of(notes, rules)
    assert snapshot.problems() == []
    assert snapshot.graph.row("a.md") == {"introduction": 2}


def test_an_alias_of_two_notes_merges_nothing() -> None:
    notes = {
        "One.md": "---\naliases: [X]\n---",
        "Two.md": "---\naliases: [X]\n---",
        "a.md": "[[X]]",
    }
    snapshot = snapshot_of(notes)
    assert snapshot.graph.row("a.md") == {"x": 1}
    assert {p.path for p in snapshot.problems()} == {"One.md", "Two.md"}


def test_rules_merge_and_ignore_after_everything_else() -> None:
    rules = 'ignore = ["todo"]\n[merge]\n"machine-learning" = ["deep learning"]\n'
    notes = {**ML, "b.md": "[[Deep Learning]] [[TODO]] [[c]]"}
    snapshot = snapshot_of(notes, rules)
    assert snapshot.graph.row("b.md") == {"machine-learning": 1, "c": 1}


def test_attachments_and_own_headings_name_no_concept() -> None:
    assert concepts({"a.md": "[[x.pdf]] ![[y.png|300]] [[#Heading]] [[Node.js]]"}) == {"node.js"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (ConceptSource.LINKS, {"b", "x"}),
        (ConceptSource.EMBEDS, {"e"}),
        (ConceptSource.MARKDOWN, {"m"}),
        (ConceptSource.FRONTMATTER, {"f"}),
    ],
)
def test_each_source_of_concepts_can_be_used_alone(
    source: ConceptSource, expected: set[str]
) -> None:
    text = '---\nup: "[[F]]"\naliases: [X]\n---\n[[B]] ![[E]] [m](M.md) [[X]]'
    settings = EngineSettings(sources=frozenset({source}))
    engine = engine_of({"a.md": text, "B.md": ""}, settings=settings)
    assert set(engine.snapshot.graph.concepts()) == expected


def test_without_titles_nothing_is_resolved_into_a_concept() -> None:
    settings = EngineSettings(sources=frozenset({ConceptSource.LINKS}))
    engine = engine_of({"x/Note.md": "", "a.md": "[[x/Note]] [[Note]]"}, settings=settings)
    assert engine.snapshot.graph.row("a.md") == {"x-note": 1, "note": 1}


def test_a_link_follows_a_note_that_comes_into_its_folder_and_goes() -> None:
    notes = {"a/n.md": "First.", "long/sub/x.md": "[[n]]", "x.md": "[[n]]"}
    engine = engine_of(notes)

    def found() -> list[str | None]:
        snapshot = engine.snapshot
        paths = ("long/sub/x.md", "x.md")
        return [snapshot.resolve(snapshot.note(path).links[0], path) for path in paths]

    assert found() == ["a/n.md", "a/n.md"]
    for path, meant in (
        ("long/n.md", "a/n.md"),
        ("long/sub/n.md", "long/sub/n.md"),
        ("n.md", "n.md"),
    ):
        engine.apply(Batch(put=(read_note(path, "Another."),)))
        assert found() == [meant, "n.md" if path == "n.md" else "a/n.md"]
    engine.apply(Batch(dropped=("n.md",)))
    assert found() == ["long/sub/n.md", "a/n.md"]
    engine.apply(Batch(dropped=("long/sub/n.md",)))
    assert found() == ["a/n.md", "a/n.md"]
    engine.apply(Batch(others_put=("long/sub/n.md",)))  # which is left out, as by a pattern
    assert found() == ["long/sub/n.md", "a/n.md"]


def test_empty_folders_in_a_link_do_not_shorten_its_name() -> None:
    notes = {"x/a.md": "[[/one//two]]", "x/b.md": "[[.//two]]", "c.md": "[[/two//]]"}
    snapshot = snapshot_of(notes)
    rows = [snapshot.graph.row(path) for path in notes]
    assert rows == [{"one-two": 1}, {"x-two": 1}, {"two": 1}]


def test_a_link_into_its_folder_follows_an_alias_without_titles() -> None:
    settings = EngineSettings(sources=frozenset(ConceptSource) - {ConceptSource.TITLES})
    notes = {"a/b/n.md": "", "long/b/n.md": "", "long/x.md": "[[b/n]]"}
    engine = engine_of(notes, settings=settings)
    assert engine.snapshot.graph.row("long/x.md") == {"b-n": 1}
    engine.apply(Batch(put=(read_note("w.md", "---\naliases: [b/n]\n---\n"),)))
    assert engine.snapshot.graph.row("long/x.md") == {"w": 1}


def test_the_display_form_is_the_most_frequent() -> None:
    snapshot = snapshot_of({"a.md": "[[tide gauge]] [[Tide Gauge]]", "b.md": "[[Tide Gauge]]"})
    assert snapshot.display("tide-gauge") == "Tide Gauge"


@for_each_row("link", ["[[./Ann]]", "[](../people/Ann.md)", "[[/people/Ann]]", "[[people/Ann]]"])
def test_the_display_form_has_no_folders_that_the_name_lacks(link: str) -> None:
    snapshot = snapshot_of({"people/Ann.md": "", "people/a.md": link})
    assert snapshot.display("ann") == "Ann"


@for_each_row(
    ("link", "concept", "display"),
    [
        ("[x](../people/Ann.md)", "people-ann", "people/Ann"),
        ("[[/people/Ann]]", "people-ann", "people/Ann"),
        ("[[dogs/Ann|an actual/annual dog]]", "dogs-ann", "an actual/annual dog"),
        ("[[none/Bea]]", "none-bea", "none/Bea"),
    ],
)
def test_the_display_form_has_folders_that_tell_notes_apart(
    link: str, concept: str, display: str
) -> None:
    notes = {"people/Ann.md": "", "dogs/Ann.md": "", "people/a.md": link.replace("[x]", "[]")}
    assert snapshot_of(notes).display(concept) == display


def test_a_name_of_dots_is_kept() -> None:
    assert snapshot_of({"a.md": "[[.NET]] [[...]]"}).display("...") == "..."


def test_a_link_to_a_note_left_out_still_resolves() -> None:
    engine = engine_of({"a.md": "[[Draft]] [[pic.png]]"}, others=("x/Draft.md", "pic.png"))
    table = engine.snapshot.targets.by_text
    assert (table["Draft"].resolved, table["pic.png"].resolved) == ("x/Draft.md", "pic.png")


def test_a_target_that_no_note_links_to_is_removed() -> None:
    engine = engine_of({"a.md": "[[gone]]"})
    engine.apply(Batch(put=(read_note("a.md", "nothing"),)))
    assert engine.snapshot.targets.by_text == {}
    assert engine.snapshot.graph.concepts() == []


def weight_of(engine: Engine, path: str, now_s: float = NOW_S) -> float:
    note_id = engine.snapshot.graph.note_id(path)
    assert note_id is not None
    return float(engine.snapshot.decay(now_s)[note_id])


def test_age_is_measured_from_the_latest_date_of_a_note() -> None:
    text = "---\ncreated: 2020-01-01\nmodified: 2025-12-25\n---\n[[x]]"
    engine = engine_of({"a.md": text})
    now_s = engine.snapshot.dates("a.md").changed_s + 44 * DAY_S
    assert weight_of(engine, "a.md", now_s) == 0.25


def test_decay_tiers_give_some_folders_less_grace() -> None:
    engine = engine_of(
        {"workflows/a.md": "[[x]]", "b.md": "[[x]]", "deep/sequential/c.md": "[[x]]"}
    )
    now_s = NOW_S + 18 * DAY_S
    assert weight_of(engine, "workflows/a.md", now_s) == 0.5
    assert weight_of(engine, "deep/sequential/c.md", now_s) == pytest.approx(11**-0.5)
    assert weight_of(engine, "b.md", now_s) == 1.0


def test_a_pinned_note_never_decays() -> None:
    engine = engine_of({"a.md": "---\npinned: true\n---\n[[x]]"})
    assert weight_of(engine, "a.md", NOW_S + 5_000 * DAY_S) == 1.0


def test_a_read_makes_a_note_young_again_and_follows_a_rename() -> None:
    engine = engine_of({"a.md": "[[x]] old words"})
    later_s = NOW_S + 100 * DAY_S
    assert weight_of(engine, "a.md", later_s) < 0.2
    engine.apply(Batch(reads_s={"a.md": later_s}))
    assert weight_of(engine, "a.md", later_s) == 1.0
    moved = replace(read_note("b.md", "[[x]] old words"))
    engine.apply(Batch(put=(moved,), dropped=("a.md",)))
    assert engine.snapshot.reads_s == {"b.md": later_s}
    assert weight_of(engine, "b.md", later_s) == 1.0


def test_an_edit_that_keeps_the_links_writes_no_row() -> None:
    notes = {"A.md": "[[B]] and [[C|shown]]", "B.md": "[[A]]"}
    engine = engine_of(notes)
    graph = engine.snapshot.graph
    engine.apply(Batch(put=(read_note("A.md", "Now [[C|shown]], then [[B]]."),)))
    assert engine.snapshot.graph.rows.written_since(graph.rows).tolist() == []  # type: ignore[union-attr]
    engine.apply(Batch(put=(read_note("A.md", "[[B]] and [[D]]"),)))
    assert engine.snapshot.graph.row("A.md") == {"b": 1, "d": 1, "a": 1}
    assert engine.snapshot.targets.by_text.keys() == {"A", "B", "D"}
