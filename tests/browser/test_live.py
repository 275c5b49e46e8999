"""A live page goes to newer versions of itself, and stays as its reader left it."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from clew.query.draw.webpage import Page, page
from clew.surface.cli.map.live import Drawing, PageServer
from tests.browser.opened import Contexts, Opened, Reader
from tests.browser.test_reading import SPOTS
from tests.webpages import drawing, edge, hostile, node, small

VERSION_MS_MAX = 60_000


class Changing:
    """A page that can be replaced, served to a browser."""

    def __init__(self, first: Page) -> None:
        self.revision, self.drawing = 1, first
        self.server = PageServer(
            Drawing(
                state=lambda: (self.revision, 0),
                draw=lambda: page(replace(self.drawing, live=True)),
            )
        )

    def become(self, drawing: Page) -> None:
        self.drawing = drawing
        self.revision += 1


@pytest.fixture
def changing() -> Iterator[Changing]:
    served = Changing(small())
    thread = threading.Thread(target=served.server.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.server.shutdown()
    thread.join()
    served.server.server_close()


@pytest.fixture
def opened(contexts: Contexts, changing: Changing) -> Iterator[Opened]:
    found = Opened(contexts.of(Reader()), changing.server.address).settled()
    yield found
    assert found.errors == []
    assert found.refused() == []
    found.close()


def reach(opened: Opened, version: int) -> None:
    opened.page.wait_for_url(f"**/map/{version}", timeout=VERSION_MS_MAX)
    opened.settled()


def with_one_more(known: Page) -> Page:
    return replace(
        known,
        nodes=(*known.nodes, node("ebb", "Ebb", None, 1)),
        edges=(*known.edges, edge("ebb", "tide-gauge", 1, 0.1)),
    )


def test_a_newer_page_is_shown_as_the_older_was(opened: Opened, changing: Changing) -> None:
    opened.page.keyboard.press("ArrowLeft")
    opened.look_up("clock drift")
    opened.page.click("#theme")
    opened.page.wait_for_timeout(600)  # the view glides
    before = opened.run(SPOTS)
    changing.become(replace(small(), title="Tides"))
    reach(opened, 2)
    assert opened.text("#title") == "Tides"
    assert opened.text("#panel h2") == "Clock drift"
    assert opened.run("() => document.documentElement.dataset.theme") == "dark"
    after = opened.run(SPOTS)
    assert len(after) == len(before) > 0
    for (x, y), (x_now, y_now) in zip(before, after, strict=True):
        assert abs(x - x_now) <= 12
        assert abs(y - y_now) <= 12


def test_a_new_concept_is_there_and_a_lost_one_closes_its_panel(
    opened: Opened, changing: Changing
) -> None:
    opened.look_up("muros")
    changing.become(with_one_more(small()))
    reach(opened, 2)
    assert opened.text("#panel h2") == "Múros"
    opened.look_up("ebb")
    assert opened.text("#panel h2") == "Ebb"
    changing.become(hostile())
    opened.page.fill("#query", "")
    reach(opened, 3)
    assert not opened.shown("#panel")


def test_the_page_waits_while_its_reader_searches(opened: Opened, changing: Changing) -> None:
    opened.page.keyboard.press("/")
    opened.page.keyboard.insert_text("tide")
    changing.become(with_one_more(small()))
    opened.page.wait_for_timeout(4_000)
    assert opened.page.url.endswith("/map/1")
    opened.page.keyboard.press("Enter")
    opened.page.fill("#query", "")
    opened.page.focus("#map")
    reach(opened, 2)


def test_an_empty_vault_becomes_a_map(contexts: Contexts) -> None:
    served = Changing(drawing())
    thread = threading.Thread(target=served.server.serve_forever, args=(0.01,))
    thread.start()
    opened = Opened(contexts.of(Reader()), served.server.address)
    try:
        served.become(small())
        reach(opened, 2)
        assert opened.text("#counts").startswith("3 of 90")
        served.server.shutdown()
        thread.join()
        served.server.server_close()
        opened.page.wait_for_selector("#live:not([hidden])", timeout=VERSION_MS_MAX)
        assert "No longer live" in opened.text("#live")
    finally:
        opened.close()
