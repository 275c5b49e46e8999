"""``expand`` says what a text names, never in more tokens than it may."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.snapshot import Snapshot
from clew.query.context.expanding import expand
from clew.query.notes.preview import first_words, preview
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.text.unicode import is_utf8
from clew.values import replies, requests
from tests.examples import examples
from tests.hostile_names import HOSTILE
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import NOW_S, snapshot_of

NAMES = [name for name in HOSTILE if is_utf8(name)]
NOTES = {
    "Clock drift.md": "# Clock drift\n\nCrystals slow down in the cold. See [[NTP]], [[gauge]].\n",
    "NTP.md": "---\naliases: [network time]\n---\nSets clocks over a network. [[Clock drift]]\n",
    "Rope.md": "---\ntitle: Knots and bends\naliases: [cordage]\n---\nThree strands, laid.\n",
    "a/Twin.md": "One of two. [[NTP]]\n",
    "b/Twin.md": "The other.\n",
    "Empty.md": "",
    "Film.md": "---\ntags: [x]\nyear: 1982\ndirector: '[[Ridley Scott]]'\n---\n",
    "Cold.md": "It slows crystals. See [[NTP]].\n",
    "Key.md": "The token is ghp_0123456789abcdefghijABCDEFGHIJ012345.\n",
    **{
        f"{name.replace('/', '-').strip() or 'x'}.md"[:200]: f"{name} [[NTP]] " * 90
        for name in NAMES
    },
}
PARTS = (
    *("[[Clock drift]]", "[[NTP|time]]", "[[gauge]]", "[[Nothing]]", "[[Twin]]", "NTP", "ntp"),
    *("clock-drift", "network time", "Empty", "drift", "[[", "]]", "\n", "[[Key]]", "😀"),
    *(f"[[{name}]]" for name in NAMES),
)


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(NOTES)


def expanded(snapshot: Snapshot, text: str, budget: int = 300) -> replies.Expand:
    request = requests.Expand(text=text, token_budget=budget)
    return finished(expand(snapshot, request, NOW_S, count_tokens))


@given(
    text=st.lists(st.sampled_from(PARTS) | st.text(max_size=5)).map(" ".join),
    budget=st.integers(50, 400),
)
@examples(150)
def test_no_text_has_more_tokens_than_asked_for(snapshot: Snapshot, text: str, budget: int) -> None:
    reply = expanded(snapshot, text, budget)
    assert reply.tokens == count_tokens(reply.text) <= budget
    assert len(reply.text.splitlines()) == (len(reply.refs) + 1 if reply.refs else 0)
    assert all(ref in reply.text for ref in reply.refs)


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("why [[clock_drift]]?", ["memory://Clock%20drift.md"]),
        ("a Clock-Drift here, and [[NTP]]", ["memory://NTP.md", "memory://Clock%20drift.md"]),
        ("[[NTP|time]] is NTP", ["memory://NTP.md"]),
        ("is it ntp", []),
        ("NTP or not", ["memory://NTP.md"]),
        ("by network time", ["memory://NTP.md"]),
        ("a [[gauge]] fails", ["concept://gauge"]),
        ("a gauge fails; [[Nothing]]; Twin", []),
        ("antiNTP and clock drifts", []),
        ("[[cordage]], [[Knots and bends|a]]", ["memory://Rope.md"]),  # no note links there
        ("[[knots AND bends#x]]", ["memory://Rope.md"]),
        ("", []),
    ],
)  # fmt: skip
def test_links_and_unmistakable_names_are_found(
    snapshot: Snapshot, text: str, refs: list[str]
) -> None:
    assert list(expanded(snapshot, text).refs) == refs


def test_a_line_has_the_first_words_and_what_is_related(snapshot: Snapshot) -> None:
    text = expanded(snapshot, "[[Clock drift]] and [[Empty]]").text
    head, drift, empty = text.splitlines()
    assert head == "In this vault:"
    assert drift.startswith("- Clock drift (memory://Clock%20drift.md): Crystals slow down in")
    assert "; with " in drift
    assert empty == "- Empty (memory://Empty.md)"


def test_secrets_are_masked(snapshot: Snapshot) -> None:
    text = expanded(snapshot, "[[Key]]").text
    assert "ghp_" not in text
    assert "REDACTED" in text


def test_what_does_not_fit_is_counted(snapshot: Snapshot) -> None:
    reply = expanded(snapshot, " ".join(f"[[{path}]]" for path in NOTES), 50)
    assert reply.more > 0


def test_a_note_is_told_by_its_first_words(snapshot: Snapshot) -> None:
    """By its properties if it has no text, and not from its first link on."""
    assert "Film.md): year: 1982; director: Ridley Scott\n" in expanded(snapshot, "[[Film]]").text
    assert "Cold.md): It slows crystals. See [[NTP]]." in expanded(snapshot, "[[Cold]]").text


@pytest.mark.parametrize("above", ["---\ntype: x\n---\n", "***\n", "```\ncode\n```\n", "a\n===\n"])
def test_what_ends_above_a_paragraph_is_no_part_of_its_preview(above: str) -> None:
    text = f"{above}Canvas is for notes. See [[NTP]].\n"
    line = text.count("\n")
    assert preview(text, line, "NTP") == "Canvas is for notes. See [[NTP]]."


@for_each_row("part", ["![[a]] ", "![[", "[[a]]"])
def test_the_first_words_of_a_long_line_are_found_in_linear_time(part: str) -> None:
    check_within(1.0, lambda: first_words(part * 20_000 + "x"))


def test_a_preview_inside_a_private_key_shows_none_of_it() -> None:
    """Though the key begins above the paragraph."""
    text = "-----BEGIN PRIVATE KEY-----\nMIIE\n\ncanary [[NTP]]\n-----END PRIVATE KEY-----\n"
    assert "canary" not in preview(text, 4, "NTP")


@pytest.mark.parametrize("length", range(140, 200, 7))
def test_properties_are_masked_before_they_are_cut(length: int) -> None:
    text = f"---\nabout: {'x' * length} ghp_0123456789abcdefghijABCDEFGHIJ012345\n---\n"
    assert "ghp_" not in first_words(text)


@for_each_row("part", ["[[#h]]", "[[NTP]]", "[[a|b]]", "NTP ", "[["])
def test_a_long_text_is_read_in_linear_time(snapshot: Snapshot, part: str) -> None:
    request = requests.Expand(text=part * (20_000 // len(part)), token_budget=300)
    check_within(1.5, lambda: finished(expand(snapshot, request, NOW_S, count_tokens)))
