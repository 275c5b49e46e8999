"""A real browser without a network, if there is one: Chromium from PATH, driven by Playwright.

If either is missing, these tests are skipped; with ``CLEW_BROWSER=1`` they fail.
"""

import importlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clew.query.draw.webpage import Page, page
from tests.browser.opened import Contexts, Opened, Reader

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",  # root in a container needs it, and the pages are trusted
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def give_up(reason: str) -> None:
    if os.environ.get("CLEW_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def contexts(_browser: "Browser") -> Contexts:
    return Contexts(_browser)


@pytest.fixture(scope="session")
def _browser() -> "Iterator[Browser]":
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        give_up("no Chromium in PATH; install one, such as Debian's package `chromium`")
    try:
        importlib.import_module("axe_playwright_python")
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        give_up("no Playwright or axe; install the extra: pip install '.[browser]'")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


class Library:
    """Opens drawings as pages."""

    def __init__(self, contexts: Contexts, folder: Path) -> None:
        self.contexts = contexts
        self.folder = folder
        self.opened: list[Opened] = []

    def open(self, drawing: Page, reader: Reader | None = None) -> Opened:
        path = self.folder / f"page-{len(self.opened)}.html"
        path.write_text(page(drawing), "utf-8")
        opened = Opened(self.contexts.of(reader or Reader()), path.as_uri())
        self.opened.append(opened)
        return opened


@pytest.fixture
def library(contexts: Contexts, tmp_path: Path) -> Iterator[Library]:
    found = Library(contexts, tmp_path)
    yield found
    for opened in found.opened:
        opened.close()
