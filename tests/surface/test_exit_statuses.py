"""The exit status of every command, as docs/commands.md has it."""

import json
import sys
from pathlib import Path

import pytest

from clew.surface.cli import fast_path
from clew.surface.cli.commands import commands
from clew.surface.cli.run import run
from tests.daemons import Daemon
from tests.every_command import every_name, names_of, terminal

# What runs until it is interrupted, prints with no daemon, or has its own tests of the statuses.
ELSEWHERE = {"completion", "mcp", "mcp install", "rules schema", "serve", "start", "stop", "watch"}
ELSEWHERE |= {"service install", "service status", "service uninstall", "sync", "where"}
DONE = """
assemble --file {folder}/request.json
backlinks --concept nonsense
backlinks Index
code nonsense
communities
concept nonsense
concepts --prefix nonsense
context nonsense of zugzwang
doctor
expand /dev/null
graph nonsense
graph --format json
links Index
logs --vault {vault} --state {folder}
map --output {folder}/map.html --no-open
orphans
path nonsense nothing
rank zugzwang
read Index
recent --since 2100-01-01
rules check
search zugzwang
session append monday user hello
session delete nonsense
session list
session recall zugzwang
session scratch clear nonsense
session scratch get nonsense
session scratch list
session scratch set name value
session show nonsense
similar nonsense
status
tags nonsense
trace
trace 32
unresolved
verify
verify /dev/null
why Nonsense
"""
REFUSED = """
backlinks Nonsense
links Nonsense
links gauge
logs --vault {vault} --state {folder}/nowhere
map --output /nowhere/map.html
open Nonsense
read Nonsense
read Index#nonsense
read --title Nonsense
verify {folder}/gone.md
"""
USAGE = """
assemble --file {folder}/wrong.json
assemble --file {folder}/wrong_field.json
backlinks
backlinks --limit 0
code x --limit 0
communities --cursor later
communities --json --limit 0
concept x --depth -1
concepts -n 0
context x --budget 1
context ""
doctor --code nonsense
doctor --dump -l
expand /dev/null --budget 1
expand {folder}/nowhere.md
graph --format mermaid --csv
graph --format json --csv
graph x --depth -1
links Index --limit 0
logs --lines many
map --max-nodes 0
open
orphans --limit 0
path x
path x y --max-hops 0
rank x --budget 1
rank x --map --names
read
read Index --lines 9-3
recent --since lastweek
recent --as-of soon
rules check --zebra
search
search the of
search -n 0 foo
search x --since soon
search x --min-importance 2
session append monday user
session delete
session list --limit 0
session recall ""
session scratch clear --zebra
session scratch get
session scratch list --zebra
session scratch set name
session show
similar x --limit 0
status --wait-for nothing
status --vault /nowhere
tags --limit 0
trace 0
trace 33
unresolved --cursor later
verify {folder}/nowhere.md
why
"""
NO_DAEMON = """
context x --socket {folder}/request.json
context x --socket {folder}/nowhere
map --socket {folder}/nowhere
rules check --socket {folder}/nowhere
"""
TABLES = [(0, DONE), (1, REFUSED), (2, USAGE), (3, NO_DAEMON)]


@pytest.mark.parametrize(("status", "table"), TABLES)
def test_a_command_ends_with_its_status(
    running: Daemon,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    table: str,
) -> None:
    _write_files(tmp_path)
    statuses = {}
    with terminal(running, 80, monkeypatch):
        monkeypatch.setattr(sys, "stdin", None)
        for line in _lines(table):
            words = line.format(folder=tmp_path, vault=running.vault).split()
            words = ["" if word == '""' else word for word in words]
            statuses[line] = _status(words, running)
    assert {line: got for line, got in statuses.items() if got != status} == {}


def test_every_command_is_tried_done_and_wrong() -> None:
    for table in (DONE, USAGE):
        tried = {names_of(line.split()) for line in _lines(table)}
        assert every_name() - tried - ELSEWHERE <= {"open"}


def _lines(table: str) -> list[str]:
    return table.strip().split("\n")


def _write_files(folder: Path) -> None:
    (folder / "request.json").write_text('{"task": {"text": "What is said of the clocks?"}}')
    (folder / "wrong.json").write_text("[")
    (folder / "wrong_field.json").write_text('{"task": {"text": "x"}, "zebra": 1}')
    (folder / "gone.md").write_text("see memory://gone.md#L1-L2~1a2b3c4d")
    (folder / "daemon.log").write_text("started\n")


def _status(words: list[str], running: Daemon) -> int:
    if "--socket" not in words and not {"--vault", "logs"} & {*words}:
        words = [*words, "--socket", str(running.socket)]
    parsed = fast_path.parse(words)
    return commands(words) if parsed is None else run(*parsed)


def test_the_graph_as_json_is_the_reply(
    running: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["graph", "tide gauge", "--as-of", "2026-11-21"]
    replies = []
    for form in (["--format", "json"], ["-f", "json"], ["--json"]):
        assert _status([*words, *form], running) == 0
        replies.append(json.loads(capsys.readouterr().out))
    assert replies[0]["nodes"]
    assert replies == [replies[0]] * 3
