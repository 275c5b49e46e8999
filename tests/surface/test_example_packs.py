"""The packs in docs/examples, made anew by a real daemon on the sample vault.

Set CLEW_UPDATE=1 to update the files.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import Daemon, copy_sample, daemon

FOLDER = Path(__file__).parent.parent.parent / "docs" / "examples"
QUESTIONS = {
    "default": ("how does a seiche lead to clock drift", 1200),
    "compact": ("why do the clocks run slow in the cold", 600),
    "detailed": ("why are the clocks disciplined by GPS", 900),
}
AS_OF = "2026-11-21"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("examples")
    with daemon(home, copy_sample(home / "vault")) as started:
        started.until_partitioned()
        started.until("status", lambda said: said["ready"], 60.0)
        yield started


@pytest.mark.parametrize("template", QUESTIONS)
def test_an_example_is_what_the_daemon_answers(running: Daemon, template: str) -> None:
    query, budget = QUESTIONS[template]
    fields = {"template": template, "tokenBudget": budget, "asOf": AS_OF}
    pack = running.ask("context", query=query, **fields)["context"]
    command = f'clew context "{query}" --budget {budget} --template {template}'
    page = f"# A pack, {template}\n\n`{command}`\n\n``````markdown\n{pack}``````\n"
    path = FOLDER / f"{template}.md"
    if os.environ.get("CLEW_UPDATE"):
        path.write_text(page, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == page
