"""Whatever the notes and the request: a pack keeps to its budget, and its figures are true."""

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from clew.engine.snapshot import Snapshot
from clew.query.citations.verify import verify
from clew.query.slices import finished
from clew.text.masking.secrets import is_masking
from clew.text.tokens import count_tokens
from clew.values.errors import InvalidParams
from clew.values.requests import Verify
from clew.values.search_replies import ContextReply
from clew.values.vault import Batch
from tests.examples import examples
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note, snapshot_of

WORDS = [
    "tide",
    "gauge",
    "clock",
    "drift",
    "harbour",
    "[[Tide]]",
    "[[Clock drift]]",
    "surge",
    "2024",
]
LINES = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.sampled_from(
        ["# Heading", "## Tide", "```", "````", "---", "- tide", "> clock", "", "<!--"]
    ),
    st.sampled_from(["AKIAIOSFODNN7EXAMPLE tide", "<|endoftext|> tide", "tide " * 900, "`" * 300]),
    st.sampled_from(["1. tide", "2. clock", "   drift", "3) surge:", "The steps:", "- [[Tide]]"]),
    st.sampled_from(
        ["| tide | clock |", "|---|---|", "| 1 | gauge |", "id:: tide", "collapsed:: true"]
    ),
    st.just("## Does the tide turn?"),
    st.text(max_size=30),
)
notes = st.dictionaries(
    st.sampled_from(
        ["Tide.md", "Clock drift.md", "a/Gauge.md", "b/Gauge.md", "Ümlaut ✓.md", "z.md"]
    ),
    st.lists(LINES, max_size=40).map("\n".join),
    min_size=1,
)
requests = st.fixed_dictionaries(
    {
        "token_budget": st.one_of(st.integers(100, 700), st.integers(100, 20_000)),
        "template": st.sampled_from(["default", "compact", "detailed"]),
        "include_evidence": st.just(value=True),
        "embed_metadata": st.booleans(),
        "include_graph_rag": st.booleans(),
        "include_code_graph": st.booleans(),
        "include_memories": st.booleans(),
        "exclude": st.sampled_from([(), ("memory://Tide.md",), ("z.md#L1-L3", "nothing")]),
    }
)
queries = st.one_of(
    st.lists(st.sampled_from([*WORDS, "why", "-surge", "file:z"]), min_size=1, max_size=6).map(
        " ".join
    ),
    st.just("tide " * 5_000),
)


@examples(150)
@given(notes, queries, requests)
def test_a_pack_fits_its_budget_and_its_figures_are_true(
    vault: dict[str, str], query: str, fields: dict[str, Any]
) -> None:
    snapshot = snapshot_of(vault)
    try:
        reply = pack(snapshot, query, **fields)
    except InvalidParams:
        return  # a query of no word
    check_pack(reply, fields["token_budget"])
    check_references(reply, snapshot)
    assert "AKIAIOSFODNN7EXAMPLE" not in reply.context
    assert reply == pack(snapshot, query, **fields)
    # A fence is longer than what it holds, so a line of back-ticks may not fit.
    if not any("`" * 50 in text for text in vault.values()):
        check_fullness(reply)


def check_pack(reply: ContextReply, budget: int) -> None:
    metadata = reply.metadata
    assert count_tokens(reply.context) == metadata.total_tokens <= budget == metadata.token_budget
    check_evidence(reply)


def check_references(reply: ContextReply, snapshot: Snapshot) -> None:
    """Check that what the pack cites stands in the notes, on the lines that it names."""
    shown = re.findall(r"memory://[^\s`]+#L\d+-L\d+~[0-9a-f]{8}", reply.context)
    assert reply.evidence is not UNSET
    refs = [*shown, *(row.id for row in reply.evidence if row.source == "rag")]
    citations = finished(verify(snapshot, Verify(text="\n".join(refs)))).citations
    assert [each.ref for each in citations if each.state != "stands"] == []


def test_a_sentence_that_ends_its_line_is_cited_by_that_line() -> None:
    note = "# Moon\n\n## Does the tide turn?\n\n" + "Twice a day, as the moon does.\n" * 40
    for budget in range(100, 200, 7):
        snapshot = snapshot_of({"Moon.md": note})
        reply = pack(snapshot, "tide", token_budget=budget, include_evidence=True)
        check_references(reply, snapshot)


def check_fullness(reply: ContextReply) -> None:
    if reply.metadata.token_budget >= 512 and has_room_for_runs(reply):
        assert reply.metadata.total_tokens >= 0.85 * reply.metadata.token_budget


def has_room_for_runs(reply: ContextReply) -> bool:
    """Return whether a dropped passage could be shown in part."""
    assert reply.evidence is not UNSET
    return any(
        row.exclusion_reason == "token_budget" and row.source == "rag" for row in reply.evidence
    )


def check_evidence(reply: ContextReply) -> None:
    rows, metadata = reply.evidence, reply.metadata
    assert rows is not UNSET
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        parts = row.reranker_breakdown
        added = parts.semantic + parts.source_balance + parts.novelty - parts.redundancy_penalty
        assert row.reranker_score == pytest.approx(added, abs=1e-5)
        assert row.included == (row.exclusion_reason is None)
    dropped = [row for row in rows if row.exclusion_reason == "token_budget"]
    assert len(dropped) == metadata.dropped_count
    assert f"*{len(dropped)} more candidates did not fit.*" in reply.context or not dropped
    graph = [row for row in rows if row.included and row.source == "graphrag"]
    assert len(graph) == metadata.graphrag_sections
    shown = [row for row in rows if row.included and row.source == "rag"]
    assert (metadata.rag_sections > 0) == bool(shown)
    assert metadata.sections_included == metadata.rag_sections + metadata.graphrag_sections
    if reply.answered == "no":
        assert {row.exclusion_reason for row in rows} <= {"below_threshold"}


HARBOURS = " ".join(f"harbour {number}" for number in range(10_000))
LONG = {"Long.md": HARBOURS, "Same.md": "the tide comes in twice a day at the harbour"}


@for_each_row("template", ["default", "compact", "detailed"])
@for_each_row("budget", [100, 101, 128, 200, 512])
def test_a_line_larger_than_the_budget_is_cut_with_a_mark(template: str, budget: int) -> None:
    reply = pack(
        long_vault(), "harbour", template=template, token_budget=budget, include_evidence=True
    )
    assert reply.metadata.total_tokens <= budget
    assert reply.evidence is not UNSET
    assert 0 < sum(row.tokens for row in reply.evidence if row.included) <= budget
    assert "harbour" in reply.context
    assert "[…]" in reply.context
    assert reply.metadata.truncated


@for_each_row("template", ["default", "compact", "detailed"])
def test_an_indented_line_takes_no_more_than_the_budget(template: str) -> None:
    name = "A long name that takes most of a small budget, and is unlike others 12345678" + "ჟ" * 20
    vault = snapshot_of({f"{name}.md": "# harbour\n\n- a\n  - harbour " + "🜂" * 50 + "\n"})
    for budget in range(100, 200, 3):
        reply = pack(vault, "harbour", template=template, token_budget=budget)
        assert reply.metadata.total_tokens <= budget


@cache
def long_vault() -> Snapshot:
    return snapshot_of({"Long.md": HARBOURS})


def test_notes_that_say_the_same_are_shown_once() -> None:
    text = "the tide comes in twice a day at the harbour, and goes out twice as well"
    same = snapshot_of({f"{number}.md": text for number in range(300)})
    reply = pack(same, "tide harbour", include_evidence=True)
    assert reply.context.count("twice a day") == 1
    assert reply.evidence is not UNSET
    assert {row.exclusion_reason for row in reply.evidence} == {None, "duplicate"}


def test_a_query_of_200_000_characters_leaves_room() -> None:
    reply = pack(snapshot_of(LONG), "tide " * 40_000, token_budget=100)
    assert reply.metadata.total_tokens <= 100
    assert "twice a day" in reply.context


THREE = {
    "auth.md": "JWT tokens are validated in AuthService; refresh tokens rotate every hour.",
    "payment.md": "PaymentService retries a failed charge three times, with growing delays.",
    "cache.md": "CacheManager invalidates an entry when the row behind it changes.",
}


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("where are JWT tokens validated?", "auth"),
        ("how often does PaymentService retry a charge?", "payment"),
        ("when does CacheManager invalidate entries?", "cache"),
    ],
)
def test_a_question_finds_its_note(question: str, note: str) -> None:
    text = pack(snapshot_of(THREE), question, token_budget=200).context
    assert f"`memory://{note}.md#L1-L1~" in text


def test_lines_that_the_caller_holds_are_left_out_until_they_change() -> None:
    first = pack(snapshot_of(THREE), "JWT tokens").context
    (held,) = re.findall(r"`(memory://auth[^`]*)`", first)
    assert "AuthService" not in pack(snapshot_of(THREE), "JWT tokens", exclude=(held,)).context
    changed = snapshot_of({**THREE, "auth.md": THREE["auth.md"].replace("hour", "day")})
    assert "every day" in pack(changed, "JWT tokens", exclude=(held,)).context
    assert "AuthService" not in pack(changed, "JWT tokens", exclude=("auth",)).context


def test_an_insight_names_the_relations_of_a_concept_and_a_path() -> None:
    notes = {
        "a.md": "[[Tide]] and [[Moon]]: why the tide",
        "b.md": "[[Moon]] and [[Orbit]] of the moon",
        "c.md": "something else",
    }
    fields = {"template": "compact", "include_memories": False}
    text = pack(snapshot_of(notes), "from tide to orbit", **fields).context
    assert "- Tide: Moon (1)" in text
    assert "- Tide → Moon → Orbit" in text


def test_a_pack_without_the_kind_that_answers_says_no() -> None:
    snapshot = snapshot_of({"a.md": "the tide of [[Moon]]"})
    replies = [pack(snapshot, "tide", include_memories=each) for each in (True, False)]
    assert [reply.answered for reply in replies] == ["yes", "no"]
    assert ["Nothing in the notes" in reply.context for reply in replies] == [False, True]


def test_an_insight_leaves_out_relations_that_a_passage_shows() -> None:
    notes = {"a.md": "the [[Tide]] and the [[Moon]]", "b.md": "nothing of [[Tide]] [[Orbit]]"}
    text = pack(snapshot_of(notes), "moon", template="compact").context
    assert "Tide (1)" not in text
    fields = {"template": "compact", "include_memories": False}
    assert "Tide (1)" in pack(snapshot_of(notes), "moon", **fields).context


def test_a_list_of_equal_dates_does_not_depend_on_the_order_of_edits() -> None:
    notes = {f"{name}.md": f"{name} #x text" for name in "abc"}
    later = engine_of({})
    for path in reversed(notes):
        later.apply(Batch(put=(read_note(path, notes[path]),)))
    assert pack(later.snapshot, "tag:x").context == pack(snapshot_of(notes), "tag:x").context


def test_a_name_to_exclude_that_became_ambiguous_excludes_nothing() -> None:
    snapshot = snapshot_of({"x/Foo.md": "tide one", "y/Foo.md": "tide two"})
    assert pack(snapshot, "tide", exclude=("Foo",)).metadata.rag_sections == 2


def test_each_reason_to_leave_something_out_is_in_the_evidence() -> None:
    tides = "the tide comes in twice a day at the harbour, and goes out twice as well"
    notes = {
        "a.md": tides,
        "b.md": tides,
        "c.md": "a tide gauge at the harbour",
        "d.md": "tide harbour " + "word " * 300,
        **{f"stone {number}.md": f"stone {number}" for number in range(30)},
    }
    fields: dict[str, Any] = {"include_evidence": True, "exclude": ("c",), "token_budget": 100}
    reply = pack(snapshot_of(notes), "tide harbour gauge twice stone", **fields)
    assert reply.evidence is not UNSET
    reasons = {row.title: row.exclusion_reason for row in reply.evidence}
    assert reasons["c"] == "filtered"
    assert "duplicate" in (reasons["a"], reasons["b"])
    assert reasons["d"] == "token_budget"
    reply = pack(snapshot_of(notes), "stone unicorn dragon phoenix griffin", include_evidence=True)
    assert reply.answered == "no"
    assert reply.evidence
    assert {row.exclusion_reason for row in reply.evidence} == {"below_threshold"}


def test_evidence_names_words_of_the_query() -> None:
    snapshot = snapshot_of({"a.md": "aclock and clockwork", "b.md": "clockmaker"})
    reply = pack(snapshot, "clock", include_evidence=True)
    assert reply.evidence
    assert {row.query_terms for row in reply.evidence if row.source == "rag"} == {("clock",)}


def test_related_files_come_from_front_matter_and_links_to_code() -> None:
    text = "---\nrelated_files:\n  - src/a.py\n---\nthe tide in [[lib/b.py]] and [[Moon]]"
    fields: dict[str, Any] = {"template": "detailed", "include_evidence": True}
    reply = pack(snapshot_of({"Tide.md": text}), "tide", **fields)
    assert "*Related files: src/a.py, lib/b.py*" in reply.context
    assert reply.evidence
    (memory,) = [row.memory for row in reply.evidence if row.source == "rag"]
    assert memory is not UNSET
    assert memory.related_files == ("src/a.py", "lib/b.py")


def test_secrets_are_shown_if_they_are_not_to_be_masked() -> None:
    notes = {"Key AKIAIOSFODNN7EXAMPLE.md": "the tide AKIAIOSFODNN7EXAMPLE"}
    assert pack(snapshot_of(notes), "tide").metadata.masked == 1
    token = is_masking.set(False)
    try:
        reply = pack(snapshot_of(notes), "tide")
    finally:
        is_masking.reset(token)
    assert reply.metadata.masked == 0
    assert "### Key AKIAIOSFODNN7EXAMPLE (note)" in reply.context
    assert "the tide AKIAIOSFODNN7EXAMPLE" in reply.context
