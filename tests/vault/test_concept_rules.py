"""Parsing ``concepts.toml``."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.concept import normalize
from clew.values.vault import ConceptRules
from clew.vault.settings.concept_rules import CONCEPTS_TOML, parse_concept_rules
from tests.data import Case, cases
from tests.examples import examples
from tests.tables import for_each_row
from tests.timed import check_within


@for_each_row("case", cases("rules.md"))
def test_rules_are_parsed_as_in_the_case(case: Case) -> None:
    assert list(_said(parse_concept_rules(case.text.encode()))) == case.expected


def _said(rules: ConceptRules) -> Iterator[str]:
    yield from (f"ignore {name}" for name in sorted(rules.ignored))
    yield from (f"merge {name} -> {rules.merged[name]}" for name in sorted(rules.merged))
    yield from ("!" for _ in rules.problems)


def test_without_a_file_there_are_no_rules() -> None:
    assert parse_concept_rules(None) == ConceptRules()


@pytest.mark.parametrize("data", [b"\xff", b"a = " + b"[" * 100_000, b"a = " + b"9" * 5_000])
def test_unreadable_bytes_are_one_problem(data: bytes) -> None:
    rules = parse_concept_rules(data)
    assert (rules.ignored, dict(rules.merged)) == (frozenset(), {})
    assert [(p.path, p.code) for p in rules.problems] == [(CONCEPTS_TOML, "conceptRulesInvalid")]


names = st.sampled_from("abcdefg")


@given(st.dictionaries(names, st.lists(names, max_size=3), max_size=5))
@examples(300)
def test_no_variant_is_a_concept_and_every_merge_follows_the_table(
    table: dict[str, list[str]],
) -> None:
    lines = [f"{name} = {variants!r}" for name, variants in table.items()]
    merged = parse_concept_rules("\n".join(["[merge]", *lines]).encode()).merged
    assert not set(merged) & set(merged.values())
    for variant, concept in merged.items():
        assert concept == normalize(concept)
        assert any(variant in variants for variants in table.values())


def test_one_long_chain_of_merges_takes_linear_time() -> None:
    chain = "".join(f"a{i} = ['a{i + 1}']\n" for i in range(8_000))
    merged = check_within(
        1.0, lambda: parse_concept_rules(f"[merge]\n{chain}".encode()).merged, times=2
    )
    assert len(merged) == 8_000
    assert set(merged.values()) == {"a0"}
