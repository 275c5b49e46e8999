"""Take the pictures of the web page for the docs: ``screenshots.py [PAGE.html]``.

If no page is given, one is made from the sample vault. Needs Chromium and the extra
``browser``; writes ``docs/map-light.png`` and ``docs/map-dark.png``.
"""

import shutil
import sys
import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from clew.engine.communities.current import Communities
from clew.engine.communities.partition_job import SavedCommunities, new_job, rows_to_partition
from clew.engine.communities.run_partition import run_job
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.query.draw.drawing import draw, subgraph
from clew.query.slices import finished
from clew.values import replies, requests
from clew.values.communities import MAX_CONCEPTS, EdgeWeights

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
            path.write_text(sample_map(), "utf-8")
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


def sample_map() -> str:
    """Return the map of the sample vault, as it was when its newest note was written."""
    snapshot = read_anew(IndexerSettings(str(VAULT)))
    rows, _ = rows_to_partition(snapshot.graph, EdgeWeights.SHARED, MAX_CONCEPTS)
    partition = run_job(new_job(rows, SavedCommunities())).partition
    by_id = {community.id: community for community in partition.communities}
    ids = {name: row.id for row in partition.communities for name in row.members}
    found = Communities(0, by_id, ids, partition.modularity)
    now_s = max(snapshot.dates(path).changed_s for path in snapshot.entries)
    request = requests.GraphRequest(max_nodes=2_000)
    taken = finished(subgraph(replace(snapshot, communities=found), request, now_s))
    drawing = draw(taken, "html", VAULT.name)
    assert isinstance(drawing, replies.GraphText)
    return drawing.text


if __name__ == "__main__":
    main()
