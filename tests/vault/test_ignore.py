"""Ignore rules: names, gitignore patterns and Obsidian's filters."""

import json

import pytest

from clew.vault.ignore import APP_JSON, FILTERS_MAX, ignore_rules, is_hidden
from tests.data import rows
from tests.tables import for_each_row
from tests.timed import check_within


def app_json(*filters: str) -> bytes:
    return json.dumps({"userIgnoreFilters": filters}).encode()


@for_each_row(("place", "rule", "path", "left_out"), rows("ignore.tsv"))
def test_a_rule_ignores_the_path(place: str, rule: str, path: str, left_out: str) -> None:
    rules = ignore_rules([rule], None) if place == "ignore" else ignore_rules([], app_json(rule))
    assert rules.problems == ()
    assert (rules.rule_for(path) is not None) == (left_out == "yes")


def test_a_later_pattern_may_include_a_note_again() -> None:
    rules = ignore_rules(["*.md", "!keep.md"], None)
    assert rules.rule_for("a.md") is not None
    assert rules.rule_for("keep.md") is None


def test_rule_for_names_the_rule() -> None:
    rules = ignore_rules(["a.md", "b.md"], app_json("c", "/^d/"))
    said = [rules.rule_for(path) for path in ("b.md", "c.md", "d.md", "e.md")]
    assert said == ["ignore: b.md", f"{APP_JSON}: c", f"{APP_JSON}: /^d/", None]


@for_each_row(
    "settings",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"userIgnoreFilters": "a"}',
        b'{"userIgnoreFilters": {"a": 1}}',
        b'{"userIgnoreFilters": ["a", 1]}',
        b'{"userIgnoreFilters": ' + b"9" * 5_000 + b"}",
    ],
)
def test_unreadable_settings_ignore_nothing_and_are_a_problem(settings: bytes) -> None:
    rules = ignore_rules([], settings)
    assert [(p.path, p.code) for p in rules.problems] == [(APP_JSON, "appJsonInvalid")]
    assert rules.rule_for("a.md") is None


@for_each_row(
    "settings",
    [None, b"{}", b"[]", b"5", b"null", b'{"userIgnoreFilters": null}', b"\xef\xbb\xbf{}"],
)
def test_settings_without_filters_ignore_nothing(settings: bytes | None) -> None:
    rules = ignore_rules([], settings)
    assert rules.problems == ()
    assert rules.rule_for("a.md") is None


@pytest.mark.parametrize("expression", ["[", "(a", "a**", "(?P<x", "\\"])
def test_an_invalid_expression_is_a_problem_and_others_still_apply(expression: str) -> None:
    rules = ignore_rules([], app_json(f"/{expression}/", "b", ""))
    assert [p.code for p in rules.problems] == ["ignoreFilterInvalid"]
    assert rules.rule_for("a.md") is None
    assert rules.rule_for("b.md") == f"{APP_JSON}: b"


def test_filters_are_bounded() -> None:
    assert len(ignore_rules([], app_json(*["a"] * (FILTERS_MAX + 1))).filters) == FILTERS_MAX


@pytest.mark.parametrize("name", [".obsidian", ".git", ".a.md", "..", "node_modules"])
def test_dot_names_and_node_modules_are_hidden(name: str) -> None:
    assert is_hidden(name)


@for_each_row("name", ["a", "a.md", "_a", "node_modules2", "Node_Modules", "…"])
def test_other_names_are_not_hidden(name: str) -> None:
    assert not is_hidden(name)


@for_each_row(
    "text",
    [
        *("/^(a+)+$/", "/(a|aa)+x/", "/^((a+)b?)*$/", "/(a?){28}a{48}$/"),
        *("/a*a*a*a*a*a*a*a*a*a*b/", "/(?:a?){40}a{60}b/"),
    ],
)
def test_an_expression_takes_linear_time(text: str) -> None:
    rules = ignore_rules([], app_json(text))
    assert rules.problems == ()
    check_within(1.0, lambda: rules.rule_for("a" * 40 + "!.md"))
    assert rules.rule_for("a" * 40 + "!.md") is None


@for_each_row(
    "text",
    [
        "/(?!x)(a+)+$/",
        "/(?=a)(a|aa)+x/",
        "/(?!x)(a?){28}a{28}$/",
        "/(?!x)a*a*a*b/",
        "/(a+)+\\1$/",
        "/(?!x)((a+)b)*$/",
    ],
)
def test_an_expression_that_only_backtracking_matches_is_rejected_if_it_may_take_long(
    text: str,
) -> None:
    rules = ignore_rules([], app_json(text))
    assert [problem.code for problem in rules.problems] == ["ignoreFilterInvalid"]
    assert rules.rule_for("a" * 40 + "!.md") is None


def test_an_expression_may_look_ahead() -> None:
    rules = ignore_rules([], app_json("/^(?!Notes/)(?:old|Old).*md$/"))
    assert rules.problems == ()
    assert rules.rule_for("old.md") is not None
    assert rules.rule_for("Notes/old.md") is None


def test_an_expression_heeds_case() -> None:
    rules = ignore_rules([], app_json("/^Old/"))
    assert (rules.rule_for("Old.md") is None, rules.rule_for("old.md") is None) == (False, True)
