"""Take the pictures of the web page for the docs: ``screenshots.py [PAGE.html]``.

Without a page one is made of the sample vault, its concepts grouped by modularity. Needs Chromium
and the extra ``browser``; writes ``docs/map-light.png`` and ``docs/map-dark.png``.
"""

import os
import shutil
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import Literal

import igraph
import leidenalg
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from clew.engine.indexer import read_anew
from clew.engine.settings import IndexerSettings
from clew.query.drawing import graph
from clew.query.webpage import Page, PageCommunity, page
from clew.text.concept import normalize
from clew.values import replies, requests

ROOT = Path(__file__).resolve().parent.parent
VAULT = ROOT / "sample-vault"
OPENED = "tide gauge"  # the concept whose panel the dark picture shows
COLOURS = 160
BYTES_MAX = 300_000


def main() -> None:
    """Take both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            path = Path(sys.argv[1]).resolve()
        else:
            path = Path(folder) / "map.html"
            path.write_text(page(sample_map()), "utf-8")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"),
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            )
            take(browser, path, "light", None)
            take(browser, path, "dark", OPENED)
            browser.close()


def take(
    browser: Browser, path: Path, scheme: Literal["light", "dark"], opened: str | None
) -> None:
    """Write one picture, once the layout has settled."""
    tab = browser.new_page(
        viewport={"width": 1280, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-layout=settled]")
    if opened is not None:
        tab.fill("#query", opened)
        tab.click("[role=option] >> nth=0")
    tab.wait_for_timeout(300)
    out = ROOT / f"docs/map-{scheme}.png"
    picture = Image.open(BytesIO(tab.screenshot()))
    picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(out, optimize=True)
    size = out.stat().st_size
    print(f"{out.name}: {size} bytes")
    if size > BYTES_MAX:
        sys.exit(f"{out.name} has more than {BYTES_MAX} bytes")


def sample_map() -> Page:
    """Return the map of the sample vault, as it was when its newest note was written."""
    snapshot = read_anew(IndexerSettings(str(VAULT)), time.time_ns())
    now_s = max(snapshot.modified_at_s(path) for path in snapshot.graph.paths)
    drawn = graph(snapshot, requests.GraphRequest(max_nodes=400), now_s)
    assert isinstance(drawn, replies.GraphJson)
    groups = communities(drawn)
    nodes = tuple(
        replies.GraphNode(
            name=node.name,
            display_name=node.display_name,
            community_id=groups[node.name],
            note_count=node.note_count,
        )
        for node in drawn.nodes
    )
    return Page(
        title=VAULT.name,
        vault=VAULT.name,
        nodes=nodes,
        edges=drawn.edges,
        communities=labels(nodes),
        files={normalize(os.path.basename(path)[:-3]): path for path in snapshot.graph.paths},
        focus=None,
    )


def communities(drawn: replies.GraphJson) -> dict[str, int]:
    """Return each concept's community, by modularity of the weighted graph."""
    names = [node.name for node in drawn.nodes]
    places = {name: place for place, name in enumerate(names)}
    built = igraph.Graph(len(names), [(places[edge.a], places[edge.b]) for edge in drawn.edges])
    found = leidenalg.find_partition(
        built,
        leidenalg.ModularityVertexPartition,
        weights=[edge.weighted_score for edge in drawn.edges],
        seed=1,
    )
    return dict(zip(names, found.membership, strict=True))


def labels(nodes: tuple[replies.GraphNode, ...]) -> tuple[PageCommunity, ...]:
    """Name every community by the three concepts that most notes mention."""
    members: dict[int, list[str]] = {}
    for node in nodes:
        assert node.community_id is not None
        members.setdefault(node.community_id, []).append(node.display_name)
    return tuple(PageCommunity(at, ", ".join(members[at][:3])) for at in sorted(members))


if __name__ == "__main__":
    main()
