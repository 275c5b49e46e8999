"""Links in tables, for terminals that open them: no name can end the sequence or change a width."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.lines import path_of
from clew.surface.cli.output import Dim, Heading, styled
from clew.surface.cli.shell.links import PATHS_MAX, has_links, linked
from clew.text.uri import to_uri
from tests.daemons import Daemon
from tests.examples import examples
from tests.hostile_names import HOSTILE
from tests.steering import STEERING
from tests.tables import for_each_row

LINK = re.compile("\x1b]8;;([!-~]*)\x1b\\\\")


@for_each_row(
    ("environment", "has"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "6800"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "5000"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "9" * 20}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "dumb", "VTE_VERSION": "6800"}, False),
        ({"TERM": "tmux-256color", "VTE_VERSION": "6800"}, False),
        ({"VTE_VERSION": "6800"}, False),
        ({"TERM": "tmux-256color", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
    ],
)
def test_only_terminals_that_are_known_get_links(environment: dict[str, str], has: bool) -> None:
    assert has_links(environment) is has


names = (st.text(min_size=1, max_size=9) | st.sampled_from(HOSTILE)).filter(
    lambda name: (
        not name.startswith("/")
        and "\0" not in name
        and not re.search("[\ud800-\udc7f\udd00-\udfff]", name)
    )
)


@examples(200)
@given(st.lists(names, min_size=1, max_size=4), st.sampled_from([str, Dim, Heading]))
def test_links_change_nothing_that_is_shown(values: list[str], style: type[str]) -> None:
    paths = [f"{name}.md" for name in values]
    uris = [to_uri(path) for path in paths]
    lines: list[str | tuple[str, ...]] = [(style(path_of(uri)), ":3  text") for uri in uris]
    lines += [f"  {path_of(uri)}:7: some text" for uri in uris]
    plain = styled(lines, colour=True)
    text = styled(linked(lines, {"rows": [{"uri": uri} for uri in uris]}, "/v"), colour=True)
    unstyled = re.sub("\x1b\\[[012]m", "", LINK.sub("", text))
    assert unstyled == re.sub("\x1b\\[[012]m", "", plain)
    assert not STEERING.search(unstyled.replace("\n", ""))
    targets = {
        unquote_to_bytes(found).partition(b"/v/")[2] for found in LINK.findall(text) if found
    }
    assert targets <= {os.fsencode(path) for path in paths}
    assert targets or not any(map(str.strip, values))


def test_a_part_of_a_path_is_no_link() -> None:
    lines = linked(["my a.md and a.md.bak, xa.md", "a.md:3: a.md"], ["memory://a.md"], "/v")
    assert [len(LINK.findall(styled([line], colour=True))) // 2 for line in lines] == [1, 2]


def test_a_long_table_has_no_links() -> None:
    rows = [f"memory://{number}.md" for number in range(PATHS_MAX + 1)]
    assert linked(["1.md"], rows, "/v") == ["1.md"]


@pytest.mark.parametrize("variable", ["TERM", "NO_COLOR"])
def test_a_terminal_gets_links_to_files_that_are_there(running: Daemon, variable: str) -> None:
    ours, theirs = os.openpty()
    environment = {**running.environment, "TERM": "xterm-kitty", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    subprocess.run(
        [sys.executable, "-m", "clew", "recent", "-n", "5", "--socket", str(running.socket)],
        stdout=theirs,
        check=True,
        env={**environment, variable: "xterm-kitty"},
    )
    os.close(theirs)
    text = os.read(ours, 65_536).decode()
    os.close(ours)
    addresses = [found for found in LINK.findall(text) if found]
    assert len(addresses) == (5 if variable == "TERM" else 0)
    prefix = f"file://{os.uname().nodename}"
    for found in addresses:
        assert Path(os.fsdecode(unquote_to_bytes(found.removeprefix(prefix)))).is_file()
