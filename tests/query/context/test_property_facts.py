"""Properties beside a text: shown where they tell something that was asked for."""

import pytest

from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

WRITING = "# Writing\n\nHow to publish a page, and give it a permalink or an author.\n"


@for_each_row(
    ("line", "is_shown"),
    [
        ("publish: true", False),
        ("permalink: help/harbour-tides", False),  # the name of the note
        ("permalink: tides", False),  # words of its name, as an address has them
        ("author: Harbour tides", False),
        ("author: Uxía", True),  # the key may be what is asked for
        ("author: Harbour", True),  # of a note whose title has the author
        ("author: ★★★", True),
        ("author: ''", False),
        ("rules: publish nothing", True),
    ],
)
def test_a_key_alone_is_no_reason_to_show_a_flag_or_a_name(line: str, *, is_shown: bool) -> None:
    vault = {
        "Writing.md": WRITING,
        "help/Harbour tides.md": f"---\n{line}\n---\nThe harbour has tides.\n",
    }
    query = "publish a harbour page with permalink and author"
    assert (line in pack(snapshot_of(vault), query).context) is is_shown


@pytest.mark.parametrize("line", ["finished: true", "seen: no"])
def test_a_flag_is_shown_where_no_text_speaks_of_it(line: str) -> None:
    vault = {"Book.md": f"---\n{line}\n---\nA book on tides.\n", "Moon.md": "Tides.\n"}
    assert line in pack(snapshot_of(vault), "books on tides finished or seen").context


def test_a_word_that_only_a_secret_has_shows_no_property() -> None:
    note = "---\nmood: calm\npassword: hunter2correcthorse\n---\nThe gauge stands in the sea.\n"
    text = pack(snapshot_of({"Tide.md": note}), "gauge hunter2correcthorse").context
    assert "The gauge stands in the sea." in text
    assert "mood" not in text
    assert "password" not in text


@for_each_row(
    ("line", "is_shown"),
    [
        ("description: Gauges in stormy seas stand on piers of stone.", True),
        (
            "description: Gauges in stormy seas lie on the bottom, where it is as calm as a pond.",
            False,
        ),
        ("description: Stormy gauges lie on the bottom.", True),
        ("place: stormy seas", True),  # no sentence
    ],
)
def test_a_property_that_the_text_of_its_note_repeats_is_left_out(
    line: str, *, is_shown: bool
) -> None:
    said = "in stormy seas lie on the bottom, where it is as calm as a pond."
    note = f"---\n{line}\nwithin: storms\n---\n[Gauges](https://example.org) {said}\n"
    vault = {"Pressure.md": note}
    text = pack(snapshot_of(vault), "gauges within stormy seas").context
    assert (line in text) is is_shown
    assert "within: storms" in text
