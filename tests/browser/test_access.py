"""axe finds no accessibility problem, in either theme, with the panel open and on a phone."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import Library
from tests.browser.opened import Opened, Reader, Scheme
from tests.webpages import drawing, hostile, large, small

if TYPE_CHECKING:
    from clew.query.draw.webpage import Page

WIDE, PHONE = (1280, 800), (360, 740)


def violations(opened: Opened) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    found: dict[str, Any] = Axe().run(opened.page).response
    assert found["passes"], "axe looked at nothing"
    return [
        f"{violation['id']}: {place['html'][:120]} {place['failureSummary']}"
        for violation in found["violations"]
        for place in violation["nodes"]
    ]


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("drawn", [large(300, 700), small(), hostile(), drawing()])
def test_axe_finds_no_problem(
    library: Library, scheme: Scheme, size: tuple[int, int], drawn: "Page"
) -> None:
    reader = Reader(*size, scheme=scheme, lawless=True)
    opened = library.open(drawn, reader)
    assert violations(opened) == []
    if not drawn.nodes:
        return
    opened.settled().look_up(drawn.nodes[0].display_name[:5])
    assert opened.shown("#panel")
    opened.page.wait_for_timeout(200)
    assert violations(opened) == []
    opened.page.fill("#query", "e")
    assert violations(opened) == []


def test_axe_finds_no_problem_with_a_community_open(library: Library) -> None:
    opened = library.open(large(300, 700), Reader(lawless=True)).settled()
    opened.page.click("#communities button")
    assert violations(opened) == []


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_no_problem_with_filters_and_a_connection_open(
    library: Library, size: tuple[int, int]
) -> None:
    opened = library.open(small(), Reader(*size, scheme="dark", lawless=True)).settled()
    opened.page.click("#filters summary")
    assert violations(opened) == []
    opened.look_up("tide")
    opened.page.click("#panel .shared")
    opened.page.wait_for_timeout(200)
    assert violations(opened) == []
