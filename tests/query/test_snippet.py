"""The part of a passage that is shown: where most words of the query are close together."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.search.property_snippet import property_snippet
from clew.query.search.snippet import snippet
from clew.text.markdown.joined_blocks import joined_blocks
from clew.text.markdown.shown import shown_text
from clew.text.passages import chunk_text
from tests.searches import ask, setting, vault
from tests.tables import for_each_row
from tests.timed import check_within, least_s
from tests.vaults import snapshot_of

CHARACTERS_MAX = 320
FILLER = "Nothing is said here. " * 40
PLAIN = setting(has_model=False)


@for_each_row(
    ("near", "forms"),
    [
        ("the gauge of the tide", (("tide", "tides"), ("gauge",))),
        ("THE GAUGE OF THE TIDE", (("tide",), ("gauge",))),
        ("潮位計は潮汐を測る", (("潮位",), ("潮汐",))),
        ("ระดับน้ำทะเลสูงขึ้น", (("ระดับ",), ("ทะเล",))),
        ("уровень прилива", (("прилива",), ("уровень",))),
        ("مد وجزر البحر", (("البحر",), ("مد",))),
        ("ebb 🌊 flood", (("🌊",), ("flood",))),
        ("Straße am Maß", (("maß", "mass"), ("strasse", "straße"))),
    ],
)
@for_each_row("after", ["", FILLER])
def test_a_snippet_shows_words_where_they_are_close_together(
    near: str, forms: tuple[tuple[str, ...], ...], after: str
) -> None:
    apart = f"{forms[0][0]} alone. {FILLER}{forms[1][0]} alone. {FILLER}"
    assert near in snippet(f"{apart}{near}. {after}", forms)


def test_words_far_apart_are_not_shown_together() -> None:
    text = f"A tide. {FILLER}A gauge. {FILLER}An ebb near a tide. {FILLER}"
    shown = snippet(text, (("tide",), ("gauge",), ("ebb",)))
    assert "An ebb near a tide." in shown
    assert len(shown) <= CHARACTERS_MAX


def test_a_text_without_the_words_is_shown_from_its_start() -> None:
    assert snippet(f"It begins. {FILLER}", (("tide",),)).startswith("It begins.")
    assert snippet("", (("tide",),)) == ""
    assert snippet("It begins.", ()) == "It begins."


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("the Cafe\u0301 of the harbour", "café"),
        ("a_tide_gauge", "gauge"),
        ("the sub-tidal zone", "tidal"),
        ("l’amour", "amour"),
    ],
)
def test_words_are_found_in_any_case_and_form(text: str, form: str) -> None:
    assert form in snippet(f"{FILLER}{text}. {FILLER}", ((form,),)).casefold()


def test_words_inside_others_are_shown_as_a_last_choice() -> None:
    text = f"{FILLER}call readTideGauge() there. {FILLER}"
    assert "readTideGauge" in snippet(text, (("tide",),))
    assert "A tide." in snippet(f"{text}A tide.", (("tide",),))


SAID = st.sampled_from(["tide", "gauge", "İ", "ß", "\u0301", ".", " ", "\n", "x" * 50, "潮", "ﬁ"])


@given(st.lists(SAID, max_size=120).map("".join), st.lists(SAID, min_size=1, max_size=5))
def test_a_snippet_is_of_the_text_and_of_bounded_length(text: str, forms: list[str]) -> None:
    shown = snippet(text, [(form,) for form in forms])
    assert len(shown) <= CHARACTERS_MAX
    assert "\n" not in shown
    composed = unicodedata.normalize("NFC", joined_blocks(text))
    assert shown.strip("…") in composed


@for_each_row(
    ("written", "shown"),
    [
        ("[[Harbour|the tide]] is", "the tide is"),
        ("[[tide]] is", "tide is"),
        ("[[tide#High|it]] and tide", "it and tide"),
        (r"| [[Harbour\|tide]] |", "tide"),
        ("[tide](harbour.md) is", "tide is"),
        ("[tide](<my harbour.md>) is", "tide is"),
        ('[tide](harbour.md "Harbour") is', "tide is"),
        ("[tide](https://x.test/a_(b)) is", "tide is"),
        ("[![tide](x.png)](harbour.md) is", "tide is"),
        ("the tide ^block-1", "the tide"),
        ("[[Harbour|the `tide` gauge]] is", "the `tide` gauge is"),
        ("[the `tide` gauge](harbour.md) is", "the `tide` gauge is"),
        ("`[[Harbour|tide]]` is", "`[[Harbour|tide]]` is"),
    ],
)
def test_links_are_shown_as_people_see_them(written: str, shown: str) -> None:
    (result,) = ask(snapshot_of({"n.md": written}), "tide", given=PLAIN).results
    assert result.snippet == shown


@for_each_row("sign", ["`%%`", "`<!--`", "100%% sure", "```\n<!--\n```"])
def test_signs_of_comments_that_are_none_hide_no_later_passage(sign: str) -> None:
    words = "Nothing but stones and sand lies here. " * 40
    text = f"# Alpha\n\nNot {sign} in names. {words}\n\n## Tide\n\nThe tide comes in."
    (result,) = ask(snapshot_of({"n.md": text}), "tide", given=PLAIN).results
    assert result.snippet == "The tide comes in."


TABLE = Path(__file__).parents[1] / "data/snippets.md"
ENTRIES = [entry.split("\n", 1) for entry in TABLE.read_text("utf-8").split("\n%%%% ")[1:]]


@for_each_row(("what", "entry"), ENTRIES)
def test_snippets_of_the_table(what: str, entry: str) -> None:
    written, shown = entry.rstrip("\n").split("\n=>\n")
    (result,) = ask(snapshot_of({"n.md": written}), "tide", given=PLAIN).results
    assert result.snippet == shown, what


@pytest.mark.parametrize(("mark", "end"), [("%%", "%%"), ("<!--", "-->")])
def test_a_passage_that_begins_inside_a_comment_shows_what_follows(mark: str, end: str) -> None:
    hidden = "\n\n".join(["Hidden word here. " * 40] * 5)
    text = f"# A\n\n{mark} {hidden}\n\ntide hidden {end} The tide is shown."
    rows = ask(snapshot_of({"n.md": text}), "tide", given=PLAIN).results
    assert [row.snippet for row in rows] == ["The tide is shown."]


MARKUP = st.sampled_from(
    [
        "tide",
        " ",
        "\n",
        "%%",
        "<!--",
        "-->",
        "<b>",
        "`",
        "```",
        "~~~py",
        "[",
        "](",
        ")",
        "x://y",
        "<",
    ]
)


@given(st.lists(MARKUP, max_size=30).map("".join), st.lists(MARKUP, max_size=30).map("".join))
def test_what_is_shown_is_never_longer_than_what_was_written(before: str, text: str) -> None:
    whole = before + text
    assert len(shown_text(whole, len(before), len(whole))) <= len(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["<!-- ", "%%", "` ``", "<a ", "[](", "](x", "a://", "> [!x]", "(( "]
)
def test_a_passage_is_rendered_in_linear_time(piece: str) -> None:
    """A passage has 400 tokens at most; a note, which is searched for open comments, is long."""
    text = piece * (200_000 // len(piece))
    end = len(text)
    check_within(0.05, lambda: shown_text(text, end - 2_000, end))


def test_a_note_chosen_for_its_meaning_is_not_shown_by_a_tag() -> None:
    snapshot = vault({"n.md": "---\ntags: [tide]\nplace: ebb\n---\nSea level and moon.\n"})
    assert ask(snapshot, "tide moons sea").results[0].snippet == "Sea level and moon."
    assert ask(snapshot, "tide").results[0].snippet == "Sea level and moon."
    assert ask(snapshot, "ebb").results[0].snippet == "place: ebb"


def test_an_embed_and_a_picture_are_shown_by_their_names() -> None:
    (result,) = ask(snapshot_of({"n.md": "![[tide]] ![gauge](x.png)"}), "tide", given=PLAIN).results
    assert result.snippet == "tide gauge"


def test_a_snippet_comes_from_the_lines_of_its_result() -> None:
    parts = [f"## Part {number}\n\n{FILLER}\n\nword{number} here.\n" for number in range(6)]
    text = "---\ntitle: T\n---\n# Top\n\n" + "\n".join(parts)
    snapshot = snapshot_of({"n.md": text})
    note = snapshot.note("n.md")
    for number in range(6):
        (result,) = ask(snapshot, f"word{number}", given=PLAIN).results
        first, last = result.lines
        lines = "\n".join(text.split("\n")[first - 1 : last])
        assert f"word{number} here." in lines
        assert f"word{number} here." in result.snippet
        assert result.heading == ("Top" if number == 0 else f"Top > Part {number}")
        (chunk,) = (c for c in note.chunks if (c.first_line, c.last_line) == result.lines)
        assert chunk_text(note, chunk) in lines
        assert result.tokens == chunk.tokens


@for_each_row("piece", ["tide ", "a", "tide", " ", ". ", "tide gauge. "])
def test_time_is_linear_in_the_text(piece: str) -> None:
    forms = [("tide", "tides"), ("gauge",), ("nowhere",)]
    short, long = piece * 2_000, piece * 16_000
    short_s = least_s(lambda: snippet(short, forms))
    assert least_s(lambda: snippet(long, forms)) < 24 * short_s + 0.002


def test_the_number_of_forms_is_bounded() -> None:
    words = [f"w{number}x" for number in range(5_000)]
    text = FILLER + words[-1]
    assert snippet(text, [tuple(words)]).startswith("Nothing")


@for_each_row(
    ("text", "shown"),
    [
        ("# Clock drift\n\nNo clock is right.", "No clock is right."),
        ("# Clock drift\n## In the cold\n\n  \nNo clock is right.", "No clock is right."),
        ("# Clock drift", "Clock drift"),
        ("# Clock drift\n## In the cold\n", "In the cold"),
        ("#clock is a tag.\nSo is #drift.", "#clock is a tag. So is #drift."),
        ("No clock is right.\n# Clock drift\nMore.", "No clock is right. Clock drift · More."),
    ],
)
def test_a_snippet_begins_below_its_headings(text: str, shown: str) -> None:
    assert snippet(text, [("clock",)]) == shown


def test_of_each_spelling_the_first_twenty_occurrences_are_looked_at() -> None:
    for count, is_seen in ((19, True), (20, False)):
        text = f"the tide. {FILLER}" * count + "the tide gauge"
        assert ("gauge" in snippet(text, [("tide",), ("gauge",)])) is is_seen


def test_the_first_hundred_properties_of_a_note_are_looked_at() -> None:
    for count, shown in ((99, "maker: Kelvin"), (100, None)):
        keys = "".join(f"key{number}: x\n" for number in range(count))
        text = f"---\n{keys}maker: Kelvin\nlast: x\n---\n"
        assert property_snippet(text, [("kelvin",)], with_tags=False) == shown


def test_a_number_is_not_found_at_the_start_of_a_longer_one() -> None:
    """While a word is: ``gauge`` is in ``gauges``."""
    text = '---\nplace:\n  - "135.7556075"\nrating: 7\n---\n'
    assert property_snippet(text, [("7",)], with_tags=False) == "rating: 7"
    assert "day 7" in snippet(f"from 7556. {FILLER} It was day 7. {FILLER}", [("7",)])
    assert "2gauges" in snippet(f"{FILLER} the 2gauges. {FILLER}", [("2gauge",)])


def test_of_runs_with_as_many_terms_the_one_with_most_occurrences_is_shown() -> None:
    assert "tide on tide" in snippet(f"the tide. {FILLER} tide on tide. {FILLER}", [("tide",)])


def test_a_note_with_a_phrase_in_its_name_is_shown_by_a_passage() -> None:
    (result,) = ask(vault({"Tide gauge.md": "It was read at noon.\n"}), '"tide gauge"').results
    assert result.snippet == "It was read at noon."
