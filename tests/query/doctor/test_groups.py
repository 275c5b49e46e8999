"""Problems and suggestions by kind: counts, examples, pages, and advice for each kind."""

import re
import tomllib
from pathlib import Path

import pytest

from clew.engine.snapshot import Snapshot
from clew.query.doctor import suggestions
from clew.query.doctor.groups import EXAMPLES_MAX, groups_and_page
from clew.query.doctor.kinds import KINDS, SUGGESTIONS
from clew.query.paging import Page
from clew.query.slices import finished
from clew.values.daemon_replies import ProblemGroup
from clew.values.errors import InvalidParams
from clew.values.replies import Problem
from clew.values.requests import Doctor
from tests.tables import for_each_row
from tests.vaults import snapshot_of

SOURCE = Path(__file__).parents[3] / "src" / "clew"
MADE = re.compile(r'(?:Problem\([^"]*|capped\[|_problem\(path, )"([a-z]\w+)"', re.DOTALL)
NOTES = {
    **{f"bad {n}.md": f"---\nimportance: no {n}\n---\n" for n in range(5)},
    "one/Plan.md": "",
    "two/Plan.md": "",
    "Zanzibar trip.md": "",
    "links.md": "[[Plan]] [[edge case]] [[edge cases]]",
    "named.md": "The Zanzibar trip was long.\n",
    "named too.md": "After the\nZanzibar trip.\n",
}


SAYS = "The great gauge, the great gauge #2 and the great | gauge stand."


def asked(snapshot: Snapshot, **fields: object) -> tuple[tuple[ProblemGroup, ...], Page[Problem]]:
    request = Doctor(**fields)  # type: ignore[arg-type]
    return finished(groups_and_page(snapshot, snapshot.problems(), request))


def test_each_kind_has_its_count_three_examples_and_the_wrong_values() -> None:
    groups, page = asked(snapshot_of(NOTES))
    assert [(group.code, group.kind, group.count) for group in groups] == [
        ("fieldInvalid", "problem", 5),
        ("unlinkedMention", "suggestion", 2),
        ("likelyDuplicate", "suggestion", 1),
        ("linkAmbiguous", "suggestion", 1),
    ]
    assert all(len(group.examples) == min(group.count, EXAMPLES_MAX) for group in groups)
    values = {group.code: group.examples[-1].value for group in groups}
    assert values == {
        "fieldInvalid": "no 2",
        "unlinkedMention": "Zanzibar trip",
        "likelyDuplicate": '"edge-cases" = ["edge-case"]',
        "linkAmbiguous": "Plan",
    }
    assert (page.total, len(page.rows)) == (5, 5)
    assert groups[0].fix.startswith("change the value in 'bad 0.md', or remove its key")


def test_the_line_that_merges_two_names_is_toml_whatever_they_hold() -> None:
    notes = {"a.md": '[[Say "hi\\" now]]', "b.md": "[[Say hi now]]"}
    _, page = asked(snapshot_of(notes), code="likelyDuplicate")
    merged = [tomllib.loads(row.value or "") for row in page.rows]
    assert merged == [{"say-hi-now": ['say-"hi\\"-now']}]


@for_each_row(
    ("path", "text", "advised"),
    [
        ("Great gauge.md", "", "Great gauge"),
        ("g1.md", "title: Great gauge", "g1|Great gauge"),
        ("g1.md", "title: 'Great gauge #2'", "g1|Great gauge #2"),
        ("g1.md", "title: 'Great | gauge'", "g1"),
        ("far/Quay.md", "title: Great gauge", "far/Quay|Great gauge"),  # Quay.md is another
        ("far/Great gauge.md", "title: Quay", "Great gauge"),
        ("\udce9.md", "title: Great gauge", r"\xe9|Great gauge"),  # no link can lead there
        ("g1.markdown", "title: Great gauge", "g1|Great gauge"),
    ],
)
def test_the_link_that_is_advised_leads_to_the_note(path: str, text: str, advised: str) -> None:
    notes = {path: f"---\n{text}\n---\n", "b/says.md": SAYS, "Quay.md": ""}
    _, page = asked(snapshot_of(notes), code="unlinkedMention")
    assert [row.value for row in page.rows] == [advised]
    linked = snapshot_of({**notes, "b/says.md": f"[[{advised}]]"})
    (link,) = linked.note("b/says.md").links
    assert linked.resolve(link, "b/says.md") == (path if path.isascii() else None)


def test_advice_names_a_file_as_a_shell_reads_it() -> None:
    groups, _ = asked(snapshot_of({"caf\udce9\n.md": "---\nimportance: no\n---\n"}))
    assert groups[0].fix.startswith(r"change the value in $'caf\351\012.md',")


@pytest.mark.parametrize("code", ["fieldInvalid", *SUGGESTIONS])
def test_the_pages_of_a_kind_have_each_row_once(code: str) -> None:
    snapshot = snapshot_of(NOTES)
    whole, page = asked(snapshot, code=code)
    rows: list[Problem] = []
    cursor = None
    while True:
        groups, part = asked(snapshot, code=code, limit=1, cursor=cursor)
        assert groups[0].count == whole[0].count
        rows += part.rows
        if (cursor := part.cursor) is None:
            break
    assert rows == list(page.rows)
    assert page.total == len(rows) > 0
    assert whole[0].examples == tuple(rows[:EXAMPLES_MAX])


def test_a_contested_alias_is_shown_as_it_is_written() -> None:
    notes = {f"{name}.md": "---\naliases: [Local Vault]\n---\n" for name in "ab"}
    groups, page = asked(snapshot_of(notes))
    assert {row.value for row in (*page.rows, *groups[0].examples)} == {"Local Vault"}
    assert "'Local Vault'" in page.rows[0].message
    assert groups[0].fix.endswith(": Local Vault")


def test_an_unlinked_mention_names_the_line_and_the_note() -> None:
    _, page = asked(snapshot_of(NOTES), code="unlinkedMention")
    shown = [(row.uri, row.line) for row in page.rows]
    assert shown == [("memory://named%20too.md", 2), ("memory://named.md", 1)]


@for_each_row(
    ("text", "line", "names"),
    [
        ("a small lemur here\n\nand a big panda there\n", 1, "'Big Panda' as 'small lemur'"),
        ("a big-panda here\n\nand a Small Lemur there\n", 1, "'Big Panda'"),
        ("x\n\nthe small lemur club\n", 3, "'Big Panda' as 'small lemur club'"),
    ],
)
def test_an_unlinked_mention_says_which_name_the_line_has(text: str, line: int, names: str) -> None:
    panda = "---\naliases: [Small Lemur, Small Lemur Club]\n---\nx\n"
    _, page = asked(snapshot_of({"Big Panda.md": panda, "t.md": text}), code="unlinkedMention")
    shown = [(row.line, row.message) for row in page.rows]
    assert shown == [(line, f"names {names} without a link")]


def test_the_text_of_a_link_that_is_clear_is_no_suggestion() -> None:
    notes = {"Plan.md": "", "deep/Plan.md": "", "a.md": "[[Plan]] [[deep/Plan]]"}
    assert asked(snapshot_of(notes), code="linkAmbiguous")[1].total == 0


def test_an_unknown_kind_is_refused_with_all_kinds() -> None:
    with pytest.raises(InvalidParams) as refused:
        asked(snapshot_of({}), code="nonsense")
    assert "fieldInvalid" in str(refused.value.hint)


def test_every_kind_of_problem_that_is_made_has_advice() -> None:
    made = {code for path in SOURCE.rglob("*.py") for code in MADE.findall(path.read_text())} - {
        "path"
    }
    assert {"fieldInvalid", "tooLarge", "tagsCapped", "symlink"} <= made
    assert made <= KINDS.keys()


def test_an_ambiguous_link_names_three_of_the_other_notes() -> None:
    notes = {f"{folder}/Plan.md": "" for folder in "abcdef"}
    _, page = asked(snapshot_of({**notes, "links.md": "[[Plan]]"}), code="linkAmbiguous")
    assert page.rows[0].message.endswith("b/Plan.md, c/Plan.md, d/Plan.md and 2 more")


@pytest.mark.parametrize("code", ["linkAmbiguous", "likelyDuplicate"])
def test_so_many_suggestions_of_a_kind_are_kept(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestions, "ROWS_MAX", 2)
    names = ("edge", "lamp", "tide", "wave")
    linked = "".join(f"[[{name}]] [[{name} case]] [[{name} cases]]" for name in names)
    notes = {f"{folder}/{name}.md": "" for name in names for folder in ("one", "two")}
    assert asked(snapshot_of({**notes, "links.md": linked}), code=code)[1].total == 2


def test_an_ambiguous_link_within_its_folder_is_shown_as_it_is_written() -> None:
    notes = {"a/Plan.md": "", "trip/Plan.md": "", "trip/plan.md": "", "trip/links.md": "[[Plan]]"}
    _, page = asked(snapshot_of(notes), code="linkAmbiguous")
    (row,) = page.rows
    assert (row.uri, row.value) == ("memory://trip/Plan.md", "Plan")
    assert row.message == "[[Plan]] leads here; it may also mean trip/plan.md"


def test_a_link_with_a_tie_below_its_folder_is_ambiguous() -> None:
    notes = {"q/X.md": "", "p/long/X.md": "", "p/wide/X.md": "", "p/n.md": "[[X]]"}
    _, page = asked(snapshot_of(notes), code="linkAmbiguous")
    assert [(row.uri, row.message) for row in page.rows] == [
        ("memory://p/long/X.md", "[[X]] leads here; it may also mean p/wide/X.md")
    ]


def test_a_link_with_the_note_in_its_own_folder_is_clear() -> None:
    notes = {"a/Plan.md": "", "b/Plan.md": "", "a/n.md": "[[Plan]]", "b/n.md": "[[Plan]]"}
    assert asked(snapshot_of(notes), code="linkAmbiguous")[1].total == 0
    _, page = asked(snapshot_of({**notes, "n.md": "[[Plan]]"}), code="linkAmbiguous")
    assert [row.uri for row in page.rows] == ["memory://a/Plan.md"]


def test_a_link_to_a_note_in_the_topmost_folder_means_no_note_near_it() -> None:
    notes = {"Plan.md": "", "plan.md": "", "a/x/Plan.md": "", "a/n.md": "[[PLAN]]"}
    _, page = asked(snapshot_of(notes), code="linkAmbiguous")
    assert [(row.uri, row.message) for row in page.rows] == [
        ("memory://Plan.md", "[[PLAN]] leads here; it may also mean plan.md")
    ]
