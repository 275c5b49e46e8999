"""Using the page: search, keyboard, clicks, neighbours, colours."""

from urllib.parse import quote

import pytest

from tests.browser.conftest import Library
from tests.browser.opened import Opened, Reader, Scheme
from tests.webpages import drawing, large, node, small

CONCEPTS = ("Tide gauge", "Clock drift", "Múros")


def test_a_concept_is_found_and_opened_by_keyboard_alone(library: Library) -> None:
    opened = library.open(small()).settled()
    keys = opened.page.keyboard
    keys.press("/")
    keys.type("i")
    assert opened.texts("[role=option] bdi") == ["Tide gauge", "Clock drift"]
    keys.press("ArrowDown")
    assert opened.text("[aria-selected=true] bdi") == "Clock drift"
    keys.press("Enter")
    assert opened.text("#panel h2") == "Clock drift"
    assert opened.run("() => document.activeElement.textContent") == "Clock drift"
    assert "Clock drift: 5 notes, 1 neighbour" in opened.text("#said")
    keys.press("Escape")
    assert not opened.shown("#panel")
    assert opened.run("() => document.activeElement.id") == "query"


def test_the_list_that_is_read_aloud_follows_the_arrows(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("i")
    for wanted in ("Tide gauge", "Clock drift", "Tide gauge"):
        active = opened.page.get_attribute("#query", "aria-activedescendant")
        assert opened.text(f"#{active} bdi") == wanted
        opened.page.keyboard.press("ArrowDown")


@pytest.mark.parametrize("typed", ["muros", "MÚROS", "mu\u0301r", "Mür"])
def test_search_ignores_case_and_accents(library: Library, typed: str) -> None:
    opened = library.open(small()).settled()
    opened.page.fill("#query", typed)
    assert opened.texts("[role=option] bdi") == ["Múros"]


def test_search_says_when_nothing_is_found(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.page.fill("#query", "nowhere")
    assert opened.shown("#none")
    assert opened.page.get_attribute("#query", "aria-expanded") == "false"


def test_escape_empties_the_search_before_it_closes_the_panel(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("clock")
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("tide")
    opened.page.keyboard.press("Escape")
    assert opened.page.input_value("#query") == ""
    assert opened.shown("#panel")
    opened.page.keyboard.press("Escape")
    assert not opened.shown("#panel")


SPOTS = """() => {
  const map = document.getElementById("map");
  const found = [];
  for (let clientY = 10; clientY < innerHeight; clientY += 6) {
    for (let clientX = 320; clientX < innerWidth; clientX += 6) {
      map.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }));
      const far = ([x, y]) => Math.hypot(x - clientX, y - clientY) > 60;
      if (map.classList.contains("over") && found.every(far)) found.push([clientX, clientY]);
    }
  }
  map.dispatchEvent(new PointerEvent("pointerleave"));
  return found;
}"""


def test_a_click_on_a_concept_opens_it(library: Library) -> None:
    opened = library.open(small()).settled()
    headings = set()
    for x, y in opened.run(SPOTS):
        opened.page.mouse.click(x + 3, y + 3)
        headings.add(opened.text("#panel h2"))
        opened.page.keyboard.press("Escape")
    assert headings == set(CONCEPTS)


def one(library: Library) -> tuple[Opened, float, float]:
    """A map of one concept, and its position: the middle of the area beside the card."""
    opened = library.open(drawing(nodes=(node("a", "A", None, 9),))).settled()
    return opened, (opened.box("#side")["right"] + 1280) / 2, 400


def test_a_click_on_an_empty_place_closes_the_panel(library: Library) -> None:
    opened, x, y = one(library)
    opened.page.mouse.click(x, y)
    assert opened.shown("#panel")
    opened.page.mouse.click(x, y + 100)
    assert not opened.shown("#panel")


def test_a_drag_moves_the_map_and_opens_nothing(library: Library) -> None:
    opened, x, y = one(library)
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x + 80, y + 60, steps=4)
    opened.page.mouse.up()
    assert not opened.shown("#panel")
    opened.page.mouse.click(x + 80, y + 60)
    assert opened.shown("#panel")


def test_the_wheel_zooms_around_the_pointer(library: Library) -> None:
    opened, x, y = one(library)
    opened.page.mouse.move(x + 100, y)
    opened.page.mouse.wheel(0, -240)
    opened.two_frames()
    opened.page.mouse.click(x - 100, y)
    assert opened.shown("#panel")


def test_the_panel_lists_related_concepts_and_opens_them(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("tide")
    assert opened.text("#panel .facts p") == "12 notes"
    assert opened.text("#panel .facts bdi") == "sea level, tides, gauges"
    assert opened.texts("#panel .pair bdi") == ["Clock drift", "Múros"]
    opened.page.click("#panel .pair .row >> nth=1")
    assert opened.text("#panel h2") == "Múros"
    assert opened.text("#panel .facts") == "1 noteIn no community"
    assert opened.run("() => document.activeElement.textContent") == "Múros"


def test_the_link_opens_the_note_in_obsidian(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("tide")
    path = quote("concepts/Tide gauge & more #1.md", safe="")
    assert (
        opened.page.get_attribute("#panel a", "href") == f"obsidian://open?vault=notes&file={path}"
    )


def test_a_concept_without_a_note_has_no_link(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("clock")
    assert opened.page.query_selector("#panel a.open") is None


def test_the_requested_concept_is_open_from_the_start(library: Library) -> None:
    shown = small()
    opened = library.open(
        drawing(nodes=shown.nodes, edges=shown.edges, focus="clock-drift")
    ).settled()
    assert opened.text("#panel h2") == "Clock drift"
    assert opened.run("() => document.activeElement === document.body")


def test_the_legend_has_communities_by_size_and_lists_their_concepts(library: Library) -> None:
    opened = library.open(small()).settled()
    assert opened.texts("#communities bdi") == ["sea level, tides, gauges", "In no community"]
    opened.page.click("#communities button >> nth=0")
    assert opened.texts("#panel li bdi") == ["Tide gauge", "Clock drift"]
    assert opened.page.get_attribute("#communities button", "aria-pressed") == "true"
    opened.page.click("#communities button >> nth=0")
    assert not opened.shown("#panel")
    assert opened.page.get_attribute("#communities button", "aria-pressed") == "false"


def test_every_concept_of_a_large_community_can_be_reached(library: Library) -> None:
    nodes = tuple(node(f"c{at}", f"Concept {at}", None, 1) for at in range(150))
    opened = library.open(drawing(nodes=nodes)).settled()
    opened.page.click("#communities button")
    for count in (60, 120, 150):
        assert len(opened.texts("#panel li")) == count
        if count < 150:
            opened.page.click("#panel button.open")
    assert not opened.shown("#panel button.open")


def image(opened: Opened) -> str:
    opened.two_frames()
    return str(opened.run("() => document.getElementById('map').toDataURL()"))


@pytest.mark.parametrize("key", ["+", "-", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
def test_keys_move_the_map_and_zero_shows_all_again(library: Library, key: str) -> None:
    opened = library.open(small()).settled()
    opened.page.focus("#map")
    whole = image(opened)
    opened.page.keyboard.press(key)
    assert image(opened) != whole
    opened.page.keyboard.press("0")
    assert image(opened) == whole


@pytest.mark.parametrize("name", ["closer", "further"])
def test_buttons_zoom_and_show_all_again(library: Library, name: str) -> None:
    opened = library.open(small()).settled()
    whole = image(opened)
    opened.page.click(f"#{name}")
    assert image(opened) != whole
    opened.page.click("#whole")
    assert image(opened) == whole


def test_enter_on_the_map_opens_the_concept_nearest_the_middle(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.look_up("clock")
    opened.page.keyboard.press("Escape")
    opened.page.focus("#map")
    opened.page.keyboard.press("Enter")
    assert opened.shown("#panel h2")


COLOURS = """(spots) => spots.map(([x, y]) => {
  const ctx = document.getElementById("map").getContext("2d");
  return ctx.getImageData(x + 3, y + 3, 1, 1).data.join(" ");
})"""


def test_pointing_at_a_concept_dims_all_but_its_neighbours(library: Library) -> None:
    opened = library.open(small()).settled()
    spots = opened.run(SPOTS)
    plain = image(opened)
    colours = opened.run(COLOURS, spots)
    changed = []
    for x, y in spots:
        opened.page.mouse.move(x + 3, y + 3)
        cursor = opened.run("() => getComputedStyle(document.getElementById('map')).cursor")
        assert cursor == "pointer"
        opened.two_frames()
        now = opened.run(COLOURS, spots)
        changed.append(sum(a != b for a, b in zip(now, colours, strict=True)))
    # Clock drift and Múros are related to the tide gauge, but not to each other.
    assert sorted(changed) == [0, 1, 1]
    opened.page.mouse.move(330, 790)
    assert image(opened) == plain


GROUND = """() => {
  const [r, g, b] = document.getElementById("map").getContext("2d").getImageData(400, 2, 1, 1).data;
  return [getComputedStyle(document.body).backgroundColor, `rgb(${r}, ${g}, ${b})`];
}"""


@pytest.mark.parametrize(("scheme", "other"), [("light", "dark"), ("dark", "light")])
def test_colours_follow_the_system_until_the_reader_chooses(
    library: Library, scheme: Scheme, other: Scheme
) -> None:
    opened = library.open(small(), Reader(scheme=scheme)).settled()
    first = opened.run(GROUND)
    assert first[0] == first[1]
    opened.page.emulate_media(color_scheme=other)
    opened.two_frames()
    assert opened.run(GROUND) != first
    opened.page.click("#theme")
    opened.two_frames()
    assert opened.run(GROUND) == first
    opened.page.emulate_media(color_scheme=scheme)
    opened.page.emulate_media(color_scheme=other)
    opened.two_frames()
    assert opened.run(GROUND) == first


COUNT = """(ms) => new Promise((done) => {
  const seen = new Set();
  const end = performance.now() + ms;
  const look = () => {
    seen.add(document.getElementById("map").toDataURL("image/webp", 0.1));
    if (performance.now() > end) done(seen.size); else requestAnimationFrame(look);
  };
  document.getElementById("further").click();
  look();
})"""


def test_the_map_moves_smoothly_unless_reduced_motion_is_set(library: Library) -> None:
    opened = library.open(small(), Reader(400, 400, motion="no-preference")).settled()
    assert opened.run(COUNT, 600) > 4


def test_the_map_jumps_with_reduced_motion(library: Library) -> None:
    opened = library.open(small(), Reader(400, 400)).settled()
    assert opened.run(COUNT, 600) <= 2


def test_the_layout_settles_before_it_is_shown_with_reduced_motion(library: Library) -> None:
    opened = library.open(large(700, 2000))
    before = opened.run(
        """() => new Promise((done) => {
          const seen = new Set();
          const look = () => {
            seen.add(document.getElementById("map").toDataURL("image/webp", 0.1));
            if (document.documentElement.dataset.layout === "settled") done(seen.size);
            else setTimeout(look, 60);
          };
          look();
        })"""
    )
    assert before <= 3


def test_a_page_without_concepts_says_so(library: Library) -> None:
    opened = library.open(drawing())
    assert opened.shown("#empty h2")
    assert not opened.shown("#map")
    assert not opened.shown("#search")
    opened.page.keyboard.press("/")
    opened.page.keyboard.press("Escape")
    assert opened.errors == []


def test_a_narrow_window_has_room_for_everything(library: Library) -> None:
    opened = library.open(small(), Reader(width=360, height=740)).settled()
    opened.look_up("tide")
    assert opened.run("() => document.documentElement.scrollWidth") <= 360
    search, panel = opened.box("#search"), opened.box("#panel")
    assert search["bottom"] + 200 < panel["top"]
    assert panel["left"] >= 0
    assert panel["right"] <= 360
    assert panel["bottom"] <= 740


# Names are the only pictures that are painted on the canvas.
RECORD = """() => {
  const map = document.getElementById("map");
  const paint = CanvasRenderingContext2D.prototype.drawImage;
  window.names = [];
  CanvasRenderingContext2D.prototype.drawImage = function (sprite, left, top, width, height) {
    const under = (x) => document.elementFromPoint(x, top + height / 2);
    const free = under(left + 1) === map && under(left + width - 1) === map;
    names.push({ left, right: left + width, top, bottom: top + height, free });
    paint.call(this, sprite, left, top, width, height);
  };
}"""


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "phone"])
def test_no_name_is_cut_or_lies_below_a_card(library: Library, size: tuple[int, int]) -> None:
    opened = library.open(large(300, 700), Reader(*size)).settled()
    opened.run(RECORD)
    for wanted in ("", "Concept 1"):
        opened.run("() => { names.length = 0; }")
        if wanted:
            opened.look_up(wanted)
        else:
            opened.page.keyboard.press("0")
        opened.page.wait_for_timeout(300)
        names = opened.run("() => names")
        assert len(names) > 5
        for name in names:
            assert name["free"], name
            assert 0 <= name["left"] < name["right"] <= size[0], name
            assert 0 <= name["top"] < name["bottom"] <= size[1], name
