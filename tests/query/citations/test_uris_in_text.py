"""The references in a text end where a reader would end them."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from clew.query.citations.passage_hash import passage_hash
from clew.query.citations.uris_in_text import references_in
from clew.query.slices import finished
from clew.surface.mcp.tools.rows import concept_reference
from clew.text.concept import normalize
from clew.text.uri import to_concept_uri, to_uri, unquoted
from tests.examples import examples
from tests.tables import for_each_row
from tests.timed import check_within


@for_each_row(
    ("text", "found"),
    [
        ("see memory://a.md.", ["memory://a.md"]),
        ("(memory://a.md#L1-L2~1a2b3c4d)", ["memory://a.md#L1-L2~1a2b3c4d"]),
        ("`memory://a.md#L3`", ["memory://a.md#L3"]),
        ("memory://a.md#L3, memory://b.md;", ["memory://a.md#L3", "memory://b.md"]),
        ("memory://a.mdmemory://b.md", ["memory://a.md", "memory://b.md"]),
        ("**memory://a.md#A%20heading**", ["memory://a.md#A%20heading"]),
        ("memory://a.md#^block-1)", ["memory://a.md#^block-1"]),
        ("memory://x(1).md and (memory://x(1).md)", ["memory://x(1).md"]),
        (
            "memory://笔记.md。memory://b.md#L1~1a2b3c4d是",
            ["memory://笔记.md", "memory://b.md#L1~1a2b3c4d"],
        ),
        ("concept://tide, or concept://m2-(tide).", ["concept://tide", "concept://m2-(tide)"]),
        ("memory://a.md#L1ne", ["memory://a.md#L1ne"]),
        ("### T memory://a%20b.md#L1-L2~1a2b3c4d\n", ["memory://a%20b.md#L1-L2~1a2b3c4d"]),
        ("memory:// is a scheme, as http://a.md is", []),
        ("[x](memory://a.md#L1-L2~1A2B3C4D)", ["memory://a.md#L1-L2~1A2B3C4D"]),
        ("~~memory://a.md#L1-L2~1a2b3c4d~~", ["memory://a.md#L1-L2~1a2b3c4d"]),
        ("~~memory://a.md#L3~~ but _memory://a.md#L4_", ["memory://a.md#L3", "memory://a.md#L4"]),
        ("memory://a.md#L1-L2~1a2b3c.", ["memory://a.md#L1-L2~1a2b3c"]),
        ("(memory://a.md#L1-L2~1a2b3c4dO)", ["memory://a.md#L1-L2~1a2b3c4dO"]),
        ("memory://a.md#L1-L2%7E1a2b3c4d, x", ["memory://a.md#L1-L2%7E1a2b3c4d"]),
        ("memory://a.md#L1-L2~ x", ["memory://a.md#L1-L2~"]),
        ("memory://a.md#L1-L23x, x", ["memory://a.md#L1-L23x"]),
        ("memory://a.md#L1–L3, x", ["memory://a.md#L1–L3"]),
        ("memory://a.md#L1—which says", ["memory://a.md#L1"]),
    ],
)
def test_a_reference_ends_where_it_does_for_a_reader(text: str, found: list[str]) -> None:
    assert refs(text) == found


def refs(text: str) -> list[str]:
    return [found.ref for found in finished(references_in(text))]


_AROUND = [("", ""), ("(", ")"), ("`", "`"), ("see ", "."), ("", ", and"), ("«", "»"), ("*", "*")]
_SIGNS = "ab.:,;()!'*_~…。/-#%\"|<>[]{}\\`\u200b…"


@examples(200)
@given(
    st.one_of(st.text(min_size=1, max_size=20), st.text(_SIGNS, min_size=1, max_size=6)),
    st.sampled_from(_AROUND),
)
@example("acme-inc.", ("see ", "."))
@example("a(b", ("(", ")"))
@example("memory://a", ("", ""))
def test_every_concept_uri_is_found_in_a_sentence(text: str, around: tuple[str, str]) -> None:
    name = normalize(text)
    assume(name)
    uri = to_concept_uri(name)
    assert concept_reference(name) == uri
    assert refs(f"{around[0]}{uri}{around[1]}") == [uri]
    assert unquoted(uri.removeprefix("concept://")) == name


@examples(200)
@given(
    st.text(min_size=1, max_size=20),
    st.sampled_from(["", "#L1-L2~1a2b3c4d", "#L7"]),
    st.sampled_from([("", ""), ("(", ")"), ("`", "`"), ("see ", "."), ("", ", and"), ("«", "»")]),
)
def test_every_uri_is_found_in_a_sentence(
    name: str, fragment: str, around: tuple[str, str]
) -> None:
    uri = to_uri(f"{name.replace('/', '')}.md") + fragment
    before, after = around
    assert refs(f"{before}{uri}{after}") == [uri]


@pytest.mark.parametrize("text", ["memory://" * 100_000, "memory://" + ")" * 1_000_000])
def test_a_long_text_takes_linear_time(text: str) -> None:
    check_within(2.0, lambda: finished(references_in(text)))


def test_a_hash_leaves_out_white_space_at_the_ends_of_lines() -> None:
    assert passage_hash(["a ", "b\t"]) == passage_hash(["a", "b"]) != passage_hash([" a", "b"])
    assert passage_hash(["tide"]) == "8a28929a"


def test_a_long_uri_is_cut() -> None:
    (found,) = refs("memory://" + "x" * 9_000)
    assert len(found) == 4_096
