"""Every command on real vaults at several widths, with display names and nothing but data."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conftest import DATA
from tests.daemons import Daemon, daemon
from tests.every_command import (
    WIDTHS,
    check_widths,
    click_commands,
    said,
    table_commands,
    terminal,
)

VAULTS = ("madison-zettelkasten", "kepano-obsidian", "obsidian-help-en")
NAMED = (["concepts"], ["communities"], ["concept"], ["similar"], ["graph"], ["path"])


@pytest.fixture(scope="module", params=VAULTS)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("widths")
    shutil.copytree(DATA / "vaults" / request.param, home / "vault")
    with daemon(home, home / "vault") as started:
        started.until_partitioned()
        yield started


def most_mentioned(running: Daemon) -> list[str]:
    return [row["name"] for row in running.ask("concepts", limit=2)["concepts"]]


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_is_wider_than_the_terminal(
    running: Daemon,
    columns: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    first, second = most_mentioned(running)
    note = running.ask("recent", limit=1)["notes"][0]["uri"]
    words = [
        *table_commands(first, second, note),
        *click_commands(tmp_path, running.vault),
    ]
    with terminal(running, columns, monkeypatch):
        for each in words:
            check_widths(said(running, each, capfdbinary), each, columns)


def names_in(value: Any) -> dict[str, str]:
    """Return the display names of all concepts in a reply, by name."""
    if isinstance(value, list):
        return {name: shown for each in value for name, shown in names_in(each).items()}
    if not isinstance(value, dict):
        return {}
    found = {name: shown for each in value.values() for name, shown in names_in(each).items()}
    pairs = [("name", "displayName"), ("central", "displayCentral"), ("bridges", "displayBridges")]
    for field, shown in [*pairs, ("concepts", "displayNames"), ("path", "displayPath")]:
        if shown not in value or field not in value:
            continue
        if isinstance(value[shown], str):
            found[value[field]] = value[shown]
        else:
            found |= dict(zip(value[field], value[shown], strict=True))
    return found


def test_no_normalized_name_is_shown_where_there_is_a_display_name(
    running: Daemon, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    first, second = most_mentioned(running)
    arguments = {"concept": [first], "similar": [first], "path": [first, second]}
    params: dict[str, dict[str, Any]] = {
        **{method: {"conceptName": first} for method in ("concept", "similar")},
        "path": {"from": first, "to": second},
    }
    for (method,) in NAMED:
        names = names_in(running.ask(method, **params.get(method, {})))
        # An empty "graph" would be JSON: the table is for people.
        data, _ = said(running, [method, *arguments.get(method, [])], capfdbinary)
        text = "\n".join(data)
        for shown in sorted(
            {*names.values(), *re.findall(r"\S+\.md", text)}, key=len, reverse=True
        ):
            text = text.replace(shown, "")
        words = set(re.findall(r"[^\s,>:()]+", text))
        joined = {name for name, shown in names.items() if "-" in name and name != shown}
        assert joined.isdisjoint(words), (method, joined & words)
