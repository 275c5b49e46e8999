"""The notes behind concepts and connections, filters, slips in the search, and colours."""

from itertools import product

import pytest

from tests.browser.conftest import Library
from tests.browser.opened import Opened
from tests.browser.test_reading import SPOTS
from tests.webpages import HOSTILE, hostile, large, small

NOTES = "#panel ul.notes bdi"


def set_to(opened: Opened, control: str, value: str) -> None:
    opened.run(
        """([id, value]) => {
          const control = document.getElementById(id);
          if (control.type === "checkbox") control.checked = value === "on";
          else control.value = value;
          control.dispatchEvent(new Event("input"));
        }""",
        [control, value],
    )


def test_the_page_says_what_it_leaves_out(library: Library) -> None:
    opened = library.open(small()).settled()
    assert opened.text("#counts") == "3 of 90 concepts, 2 connections, 3 of 18 notes"


def test_a_concept_lists_its_newest_notes_as_links(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("tide")
    assert opened.texts(NOTES) == ["2026-03-02", "2026-01-05"]
    link = opened.page.get_attribute("#panel ul.notes a", "href")
    assert link == "obsidian://open?vault=notes&file=journal%2F2026-03-02.md"
    assert "and 10 others not listed" in opened.text("#panel")


def test_a_connection_is_opened_by_keyboard_and_lists_the_notes_of_both(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("tide")
    opened.page.focus("#panel .shared >> nth=0")
    opened.page.keyboard.press("Enter")
    assert opened.texts("#panel ul:not(.notes) bdi") == ["Clock drift", "Tide gauge"]
    assert opened.texts(NOTES) == ["2026-03-02"]
    assert "Together in 4 notes" in opened.text("#panel")
    opened.page.keyboard.press("Escape")
    assert not opened.shown("#panel")


@pytest.mark.parametrize(
    ("control", "value", "left"),
    [
        ("since", "2026-02-01", (2, 1)),
        ("until", "2025-12-31", (1, 0)),
        ("folder", "journal", (3, 2)),
        ("folder", "concepts", (1, 0)),
        ("tag", "harbour/muros", (2, 1)),
        ("weight", "50", (3, 1)),
        ("weight", "0", (3, 0)),
    ],
)
def test_a_filter_shows_only_what_it_asks_for(
    library: Library, control: str, value: str, left: tuple[int, int]
) -> None:
    opened = library.open(small()).settled()
    set_to(opened, control, value)
    parts = [
        f"{count} of {whole} {name}" if count < whole else f"{whole} {name}"
        for count, whole, name in zip(left, (3, 2), ("concepts", "connections"), strict=True)
    ]
    said = f"Shown: {', '.join(parts)}"
    assert (opened.text("#left"), opened.text("#said")) == (said, said)
    if left == (3, 2):
        return
    opened.run("() => document.getElementById('clear').click()")
    assert opened.text("#left") == "Shown: 3 concepts, 2 connections"


def test_concepts_without_connections_can_be_left_out(library: Library) -> None:
    opened = library.open(small()).settled()
    set_to(opened, "weight", "50")
    set_to(opened, "orphans", "off")
    assert opened.text("#left") == "Shown: 2 of 3 concepts, 1 of 2 connections"


def test_a_concept_that_a_filter_hides_is_still_found(library: Library) -> None:
    opened = library.open(small()).settled()
    set_to(opened, "folder", "concepts")
    opened.look_up("muros")
    assert opened.text("#panel h2") == "Múros"
    assert opened.text("#left") == "Shown: 3 concepts, 2 connections"


@pytest.mark.parametrize("typed", ["clokc", "cock dr", "tyde guage", "murros"])
def test_search_forgives_slips(library: Library, typed: str) -> None:
    opened = library.open(small()).settled()
    opened.page.fill("#query", typed)
    first = {"c": "Clock drift", "t": "Tide gauge", "m": "Múros"}[typed[0]]
    assert opened.texts("[role=option] bdi") == [first]


def test_search_covers_every_concept_of_a_large_map(library: Library) -> None:
    opened = library.open(large(2000, 100))
    for typed in ("concept 1999", "concpet 1999"):
        opened.page.fill("#query", typed)
        assert opened.texts("[role=option] bdi")[0] == "Concept 1999"


def test_the_largest_communities_have_all_hues(library: Library) -> None:
    opened = library.open(large(300, 900)).settled()
    hues = opened.run(
        "() => [...document.querySelectorAll('#communities .swatch')]"
        ".map((swatch) => swatch.style.background)"
    )
    assert len(set(hues[:8])) == 8


def test_hostile_notes_are_text(library: Library) -> None:
    opened = library.open(hostile()).settled()
    opened.look_up("say")
    assert opened.texts(NOTES)
    assert opened.texts("#tag option")[1:] == sorted(HOSTILE, key=lambda s: s.encode("utf-16-be"))
    assert opened.run("() => window.hacked") is None
    assert (opened.errors, opened.refused()) == ([], [])


def test_a_click_on_a_line_opens_the_connection(library: Library) -> None:
    opened = library.open(small()).settled()
    spots = opened.run(SPOTS)
    found = set()
    for at, (x, y) in enumerate(spots):
        for (other_x, other_y), off in product(spots[:at], range(0, 30, 5)):
            opened.page.mouse.click((x + other_x) / 2, (y + other_y) / 2 + off)
            if opened.shown("#panel"):
                found.add(opened.text("#panel .quiet"))
                opened.page.keyboard.press("Escape")
    assert found >= {"Together in 4 notes"}
