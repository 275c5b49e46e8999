"""Reading front matter; no YAML can do harm."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import fields

from clew.text.markdown.frontmatter.read import LINKS_MAX
from clew.text.markdown.frontmatter.values import SHOWN_CHARACTERS_MAX
from clew.text.markdown.frontmatter_split import split
from clew.values.note import Fields, LinkKind, Note
from tests.data import Case, cases
from tests.examples import examples
from tests.parsing import parse_note
from tests.tables import for_each_row
from tests.timed import check_within


@for_each_row("case", cases("frontmatter.md"))
def test_front_matter_gives_the_fields(case: Case) -> None:
    note = parse_note("a.md", "", case.text)
    assert list(_said(note)) == case.expected


def _said(note: Note) -> Iterator[str]:
    for field in fields(Fields):
        value = getattr(note.fields, field.name)
        if value != getattr(Fields(), field.name):
            shown = (
                datetime.fromtimestamp(value, UTC).isoformat() if "_at_" in field.name else value
            )
            yield f"{field.name.removesuffix('_at_s')}: {_joined(shown)}"
    for link in note.links:
        if link.kind is LinkKind.FRONTMATTER:
            yield f"link: {link.line} {link.target}"
    for problem in note.problems:
        key = f" {problem.message.split()[0]}" if problem.code == "fieldInvalid" else ""
        yield f"! {problem.code}{key} {problem.line or '-'}"
    for link in note.links:
        if link.kind is not LinkKind.FRONTMATTER:
            yield f"body: {link.line} {link.target}"


def _joined(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


HOSTILE = {
    "a bomb of merge keys": "a: &a {k: 1}\n" + "b: &b {<<: [*a, *a]}\n" * 7,
    "brackets in their thousands": "a: " + "[" * 30_000 + "]" * 30_000,
    "forty brackets": "a: " + "[" * 40 + "]" * 40,
    "braces in their thousands": "a: " + "{a: " * 10_000 + "}" * 10_000,
    "hyphens in their thousands": "- " * 30_000 + "a",
    "question marks in their thousands": "? " * 30_000 + "a",
    "a bomb of aliases": "a: &a [x]\n" + "".join(f"b{i}: [*a, *a]\n" for i in range(5_000)),
    "fifty thousand keys": "".join(f"k{i}: v\n" for i in range(50_000)),
    "too many values within the length": "a: [" + "b," * 25_000 + "]",
    "one long value": "a: " + "x" * 70_000,
    "a control character": "a: \x07",
    "a lone surrogate": "a: \ud800",
    "an escaped surrogate": 'a: "\\ud800"',
    "an escape beyond Unicode": 'a: "\\UFFFFFFFF"',
    "a key longer than YAML allows": "a" * 2_000 + ": b\n? c",
}


@for_each_row("yaml", HOSTILE.values())
def test_hostile_yaml_is_one_problem_and_the_body_is_read(yaml: str) -> None:
    text = f"---\n{yaml}\n---\n[[x]]"
    note = check_within(2.0, lambda: parse_note("a.md", "", text))
    assert note.fields == Fields()
    assert [p.code for p in note.problems] == ["frontmatterInvalid"]
    assert note.links[-1].target == "x"


HARMLESS = {
    "an integer of 5,000 digits": "a: " + "9" * 5_000,
    "a list a little nested": "a: " + "[" * 30 + "]" * 30,
    "an integer in base 60": "a: " + "59:" * 500 + "59",
    "a value in quotes": "a: 'x\ny'",
}


@pytest.mark.parametrize("yaml", HARMLESS.values(), ids=HARMLESS)
def test_odd_values_of_other_keys_are_no_problem(yaml: str) -> None:
    note = parse_note("a.md", "", f"---\ntitle: t\n{yaml}\n---\n[[x]]")
    assert note.fields == Fields(title="t")
    assert note.problems == ()


def test_a_number_too_long_to_read_is_a_problem_of_its_key() -> None:
    note = parse_note("a.md", "", f"---\nimportance: {'9' * 5_000}\n---\n")
    assert [(p.code, p.line) for p in note.problems] == [("fieldInvalid", 2)]


def test_front_matter_links_over_their_limit_are_a_problem() -> None:
    yaml = "a: '" + "[[b]]" * (LINKS_MAX + 1) + "'"
    note = parse_note("a.md", "", f"---\n{yaml}\n---\n")
    assert len(note.links) == LINKS_MAX
    assert [p.code for p in note.problems] == ["linksCapped"]


@given(st.text(st.one_of(st.sampled_from("-\n ab:"), st.characters())))
@examples(300)
def test_split_loses_nothing_and_counts_the_lines_before_the_body(text: str) -> None:
    halves = split(text)
    whole = text.split("\n")
    assert text.endswith(halves.body)
    assert whole[halves.body_line :] == (halves.body.split("\n") if halves.body else []) or (
        halves.body == ""
    )


@given(st.text(st.one_of(st.sampled_from("abk:-[]{}#&*!|>'\"%@`, \n\t?"), st.characters())))
@examples(1_000)
def test_no_yaml_raises_and_the_body_is_always_read(yaml: str) -> None:
    assume("---" not in yaml)
    note = parse_note("a.md", "", f"---\nkey: value\n{yaml}\n---\n\n[[the body]]")
    assert note.links[-1].target == "the body"


@pytest.mark.parametrize(
    ("created", "modified"),
    [
        ("Date_Created", "LAST-modified"),
        ("createdAt", "dateModified"),
        ("Creation Date", "LastMod"),
    ],
)
def test_keys_of_dates_are_read_whatever_their_case_and_separators(
    created: str, modified: str
) -> None:
    note = parse_note("a.md", "", f"---\n{created}: 2024-01-02\n{modified}: 20240103\n---\n")
    assert note.fields.created_at_s == datetime(2024, 1, 2, tzinfo=UTC).timestamp()
    assert note.fields.modified_at_s == datetime(2024, 1, 3, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("value", ["[[2024-01-02]]", '"[[2024-01-02]]"', '["[[2024-01-02]]"]'])
def test_a_date_may_be_a_link_with_or_without_quotes(value: str) -> None:
    note = parse_note("a.md", "", f"---\ncreated: {value}\n---\n")
    assert note.fields.created_at_s == datetime(2024, 1, 2, tzinfo=UTC).timestamp()
    assert note.problems == ()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("some day", "some day"),
        ("x" * 1_000, f"{'x' * SHOWN_CHARACTERS_MAX}…"),
        ("[2024-01-02, 2024-01-03]", "a list"),
        ("{a: b}", "a group of keys"),
    ],
)
def test_a_value_that_is_no_date_is_shown_in_its_problem(value: str, shown: str) -> None:
    (problem,) = parse_note("a.md", "", f"---\nlast modified: {value}\n---\n").problems
    assert problem.message.startswith("last modified must be a date such as 2025-03-14")
    assert problem.value == shown


def test_longer_front_matter_is_not_read_and_is_a_problem() -> None:
    for length, is_read in ((65_536, True), (65_537, False)):
        note = parse_note(
            "a.md", "hash", f"---\ntags: [x]\n{'# tide'.ljust(length - 10, '-')}\n---\n"
        )
        assert (note.tags == ("x",)) is is_read
        assert [problem.code for problem in note.problems] == ["frontmatterInvalid"] * (not is_read)


def test_a_key_leads_to_at_most_a_hundred_notes() -> None:
    targets = [f"note {number}" for number in range(101)]
    note = parse_note("a.md", "hash", f"---\nsupersedes: {targets}\n---\n")
    assert note.fields.supersedes == tuple(targets[:100])
