"""The page makes no request, runs no script from the data, and shows names unchanged."""

import pytest

from tests.browser.conftest import Library
from tests.webpages import HOSTILE, drawing, hostile, large, node, small


def test_the_page_makes_no_request(library: Library) -> None:
    opened = library.open(large(120, 300)).settled()
    opened.look_up("concept 3")
    opened.page.click("#panel li button >> nth=0")
    opened.page.click("#communities button >> nth=1")
    opened.page.click("#theme")
    opened.page.keyboard.press("+")
    opened.page.keyboard.press("Escape")
    opened.page.wait_for_timeout(300)
    assert opened.requests == [opened.page.url]
    assert opened.refused() == []
    assert opened.errors == []


@pytest.mark.parametrize(
    ("script", "directive"),
    [
        ("fetch('https://example.org/x').catch(() => 0)", "connect-src https://example.org/x"),
        ("new Image().src = 'https://example.org/x.png'", "img-src https://example.org/x.png"),
    ],
)
def test_the_policy_would_refuse_a_request(library: Library, script: str, directive: str) -> None:
    opened = library.open(small()).settled()
    opened.run(f"() => {{ {script}; }}")
    opened.page.wait_for_timeout(100)
    assert opened.refused() == [directive]


def test_the_policy_would_refuse_a_script(library: Library) -> None:
    opened = library.open(small()).settled()
    opened.run(
        """() => {
          const made = document.createElement("script");
          try { made.textContent = "window.hacked = 1"; } catch { return; }
          document.body.append(made);
        }"""
    )
    assert opened.run("() => window.hacked") is None


def test_hostile_names_are_shown_as_they_are(library: Library) -> None:
    opened = library.open(hostile()).settled()
    assert opened.text("#title") == HOSTILE[1]
    assert set(opened.texts("#communities bdi")) == {HOSTILE[1], HOSTILE[3]}
    for at in (0, 1):
        opened.page.click(f"#communities button >> nth={at}")
        opened.page.click("#panel li button >> nth=0")
    assert opened.run("() => window.hacked") is None
    assert opened.errors == []
    assert opened.refused() == []


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_is_found_and_opened_as_it_is(library: Library, name: str) -> None:
    opened = library.open(hostile()).settled()
    opened.page.fill("#query", name.split("\n", maxsplit=1)[0])
    found = opened.texts("[role=option] bdi")
    assert name in found
    opened.page.click(f"[role=option] >> nth={found.index(name)}")
    assert opened.text("#panel h2") == name
    opened.two_frames()
    assert opened.run("() => window.hacked") is None
    assert opened.errors == []
    assert opened.refused() == []


def test_a_path_of_any_name_is_encoded_in_the_link(library: Library) -> None:
    opened = library.open(hostile()).settled()
    opened.look_up("say")
    href = opened.page.get_attribute("#panel a", "href")
    assert href == ("obsidian://open?vault=notes&file=say%20%22tide%22%20%7C%20%5D%5D%20%5B%5B.md")


def test_a_lone_surrogate_in_a_name_does_no_harm(library: Library) -> None:
    odd = drawing(
        nodes=(node("a\udcff", "a\udcff", None, 1),), note_paths={"a\udcff": "a\udcff.md"}
    )
    opened = library.open(odd).settled()
    opened.look_up("a")
    assert opened.shown("#panel h2")
    assert opened.errors == []
