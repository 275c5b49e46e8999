"""Lists for other programs: what they print can be opened, split and parsed, whatever the names."""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.lists.here import path_from_here, path_in_vault
from clew.surface.cli.lists.listings import LISTINGS, TAGGED, Listing
from clew.surface.cli.lists.options import LIST_OPTIONS
from clew.surface.cli.lists.printing import requested_format, text_of_rows
from clew.surface.cli.note_names import FROM_HERE
from clew.surface.cli.table import COMMANDS
from clew.text.uri import to_uri
from clew.values import daemon_replies, replies, search_replies
from tests.daemons import Daemon, daemon
from tests.examples import examples
from tests.hostile_names import HOSTILE
from tests.steering import STEERING
from tests.tables import for_each_row

pytestmark = pytest.mark.slow  # starts daemons of its own

NAMES = (
    *(b"plain.md", b"two words.md", b"-rf.md", b"+!touch owned.md", b"quote'\".md", b"caf\xe9.md"),
    *(b"a$(touch owned)`touch owned`;&|.md", b"*.md", b"a:3:b.md", b"x,y.md", "潮.md".encode()),
    *(b"\x1b[31mred.md", b"tab\there.md"),
)
BROKEN = b"line\nbreak.md"
REPLIES: dict[str, type[replies.Reply]] = {
    "backlinks": replies.Backlinks,
    "communities": replies.CommunitiesReply,
    "concept": replies.ConceptReply,
    "concepts": replies.Concepts,
    "doctor": daemon_replies.Doctor,
    "graph": replies.GraphJson,
    "links": replies.Links,
    "orphans": replies.Orphans,
    "rank": search_replies.RankReply,
    "recent": replies.Recent,
    "search": search_replies.SearchReply,
    "similar": search_replies.SimilarReply,
    "tags": replies.Tags,
    "unresolved": replies.Unresolved,
    "verify": replies.Verify,
    "why": replies.Why,
}
# No values for a cell, or only of some rows.
NESTED = {"contentPreview", "legs", "breakdown"}  # no values for a cell


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("lists")
    folder = home / "vault" / "a folder"
    folder.mkdir(parents=True)
    for name in (*NAMES, BROKEN):
        (folder / os.fsdecode(name)).write_text("first\nsee [[hub]] and #sea/tide\n")
    (home / "vault" / "hub.md").write_text("# Hub\n[[plain]] [[two words]]\n[[nowhere]]\n")
    (home / "vault" / "nothing.md").write_text("no link")
    (home / "vault" / "binary.md").write_bytes(b"\0" * 1_000)
    with daemon(home, home / "vault") as started:
        started.until_partitioned()
        yield started


def clew(running: Daemon, folder: Path, *words: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "clew", *words, "--socket", str(running.socket)]
    return subprocess.run(
        command, capture_output=True, check=False, cwd=folder, env=running.environment
    )


@pytest.mark.parametrize("folder", ["vault", "vault/a folder", "."])
def test_printed_paths_open_the_notes_from_the_current_folder(running: Daemon, folder: str) -> None:
    place = running.home / folder
    done = clew(running, place, "backlinks", "hub", "-0")
    assert done.returncode == 0, done.stderr
    *paths, end = done.stdout.split(b"\0")
    assert end == b""
    assert {os.path.basename(path) for path in paths} == {*NAMES, BROKEN}
    assert all(os.path.isfile(os.path.join(os.fsencode(place), path)) for path in paths)
    assert not any(path.startswith((b"-", b"+")) for path in paths)


@pytest.mark.parametrize("folder", ["vault", "vault/a folder", "vault/a folder/b", "."])
def test_a_printed_path_names_the_same_note_in_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    vault = tmp_path / "vault"
    (vault / "a folder" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / folder)
    for name in (*NAMES, BROKEN):
        for path in (os.fsdecode(name), os.fsdecode(b"a folder/" + name)):
            printed = path_from_here(str(vault), to_uri(path))
            is_from_here = printed.startswith(FROM_HERE)
            named = path_in_vault(str(vault), printed) if is_from_here else printed
            assert named == path
    assert path_in_vault(str(vault), "/elsewhere/x.md") == "/elsewhere/x.md"


def test_a_command_takes_a_path_from_the_current_folder(running: Daemon) -> None:
    for name in (b"./caf\xe9.md", b"../hub.md", os.fsencode(running.vault / "hub.md")):
        done = clew(running, running.vault / "a folder", "why", os.fsdecode(name))
        assert (done.returncode, b": indexed" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("concept", "../hub.md"),
        ("path", "../hub.md", "./../hub"),
        ("similar", "../hub.md"),
        ("backlinks", "--concept", "../hub.md"),
        ("search", "see", "--concept", "../hub.md"),
        ("context", "see", "--exclude", "../hub.md"),
        ("tags", "--wait-for", "../hub.md"),
    ],
)
def test_every_name_of_a_note_may_be_a_path_from_the_current_folder(
    running: Daemon, words: tuple[str, ...]
) -> None:
    done = clew(running, running.vault / "a folder", *words, "--json")
    assert done.returncode == 0, done.stderr
    reply = json.loads(done.stdout)
    unknown = [reply.get("unknown"), reply.get("emptyFilter"), reply.get("noteCount") == 0]
    assert not any((*unknown, reply.get("metadata", {}).get("unknownExcluded")))


@pytest.mark.parametrize(
    ("folder", "typed", "shown"),
    [
        ("vault/a folder", ".", {"a%20folder"}),
        ("vault", "./a folder", {"a%20folder"}),
        ("vault/a folder", "..", {"", "a%20folder"}),
        ("vault", "a folder", {"a%20folder"}),
    ],
)
def test_search_looks_in_a_folder_named_from_the_current_one(
    running: Daemon, folder: str, typed: str, shown: set[str]
) -> None:
    words = ["search", "hub", "-n", "100", "--json", "--folder", typed]
    done = clew(running, running.home / folder, *words)
    hits = json.loads(done.stdout)["results"]
    paths = [hit["uri"].removeprefix("memory://") for hit in hits]
    assert {path.rpartition("/")[0] for path in paths} == shown


@pytest.mark.parametrize("typed", [".", "./a folder", "../a folder"])
def test_a_folder_out_of_the_vault_is_refused(running: Daemon, typed: str) -> None:
    done = clew(running, running.home, "search", "hub", "--folder", typed)
    assert (done.returncode, b"leads out of the vault" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("note", "remark"),
    [
        ("nothing.md", b"clew: no links in nothing.md\n"),
        ("binary", b"clew: binary.md is indexed by name only: looks like a binary file\n"),
    ],
)
def test_a_note_without_links_is_told_from_one_whose_text_is_not_read(
    running: Daemon, note: str, remark: bytes
) -> None:
    assert clew(running, running.vault, "links", note).stderr == remark


def test_a_line_break_in_a_name_forges_no_row(running: Daemon) -> None:
    place = running.vault / "a folder"
    for option in ("-l", "--grep"):
        done = clew(running, place, "backlinks", "hub", option)
        assert done.returncode == 1
        assert b"left out: 1 with a line break in the name" in done.stderr
        lines = done.stdout.split(b"\n")[:-1]
        endings = {b"-l": b"", b"--grep": b":2:see [[hub]] and #sea/tide"}
        names = {line.removesuffix(endings[option.encode()]).removeprefix(b"./") for line in lines}
        assert names == set(NAMES)


def test_a_line_with_several_links_is_one_line_of_grep(running: Daemon) -> None:
    twice = running.vault / "twice.md"
    twice.write_text("[[hub]] and [[hub|again]]\n")
    try:
        done = clew(running, running.vault, "backlinks", "hub", "--grep", "--wait-fresh")
        assert done.stdout.count(b"twice.md:1:") == 1
    finally:
        twice.unlink()
        clew(running, running.vault, "status", "--wait-fresh")


def test_every_list_is_csv_that_a_reader_takes_apart(running: Daemon) -> None:
    words = {"backlinks": ["hub"], "links": ["hub"], "similar": ["hub"], "concept": ["hub"]}
    words |= {"search": ["see"], "rank": ["see"], "why": ["hub"], "verify": [__file__]}
    for command in LISTINGS:
        done = clew(running, running.vault, command, *words.get(command, []), "--csv")
        assert done.returncode == 0, done.stderr
        head, *rows = csv.reader(io.StringIO(done.stdout.decode(), newline=""))
        assert set(LISTINGS[command].columns) <= set(head)
        assert all(len(row) == len(head) for row in rows)


def test_rows_on_a_terminal_control_it_no_more_than_tables_do(running: Daemon) -> None:
    ours, theirs = os.openpty()
    words = ["-m", "clew", "recent", "-l", "--socket", str(running.socket)]
    with subprocess.Popen(
        [sys.executable, *words], stdout=theirs, stderr=theirs, env=running.environment
    ) as child:
        child.wait()
    printed = os.read(ours, 65_536).decode().replace("\r\n", "\n")
    os.close(ours)
    os.close(theirs)
    assert "[31mred.md" in printed
    assert not STEERING.search(printed)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["status", "--csv"], "clew status does not list rows; --csv is for backlinks, "),
        (["session", "list", "--csv"], "clew session list does not list rows; --csv is for "),
        (["concepts", "-l"], "clew concepts does not list notes; it takes --names, --csv, -0"),
        (["tags", "-0"], "(with a tag also -l and --grep)"),
        (["recent", "-l", "--csv"], "give only one of --files and --csv"),
        (["recent", "--csv", "--json"], "give only one of --csv and --json"),
        (["recent", "--csv", "-0"], "-0 ends paths and names"),
    ],
)
def test_an_option_that_makes_no_sense_says_so(tmp_path: Path, words: list[str], told: str) -> None:
    command = [sys.executable, "-m", "clew", *words, "--socket", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    stated = " ".join(done.stderr.split())  # it may be folded
    assert (done.returncode, told in stated) == (2, True), stated


def test_a_text_has_no_rows(running: Daemon) -> None:
    done = clew(running, running.vault, "graph", "-f", "dot", "--csv")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"leave out --csv" in done.stderr


def row_type(reply: type[replies.Reply], field: str) -> Any:
    by_name = dict(zip(reply.__struct_encode_fields__, reply.__struct_fields__, strict=True))
    return get_args(get_type_hints(reply)[by_name[field]])[0]


@for_each_row("listing", [*LISTINGS.items(), ("tags", TAGGED)])
def test_the_columns_are_the_fields_of_the_protocol(listing: tuple[str, Listing]) -> None:
    command, rows = listing
    reply = replies.TaggedNotes if rows is TAGGED else REPLIES[command]
    for field in rows.rows:
        kind = row_type(reply, field)
        fields = {"uri"} if kind is str else set(kind.__struct_encode_fields__) - NESTED
        assert set(rows.columns) - {"list"} == fields
        assert {rows.file, rows.name, rows.line, rows.text} - {""} <= fields


def test_only_commands_of_the_table_list_something() -> None:
    assert set(LISTINGS) <= {command.name for command in COMMANDS}


texts = st.text(max_size=8) | st.sampled_from([name for name in HOSTILE if name.isprintable()])


@examples(200)
@given(st.lists(st.tuples(texts, texts, st.lists(texts, max_size=3)), max_size=4))
def test_no_value_is_changed_by_csv(values: list[tuple[str, str, list[str]]]) -> None:
    rows = [
        {"name": name, "displayName": shown, "noteCount": 1, "mentionCount": 2,
         "communityId": None, "aliases": aliases}
        for name, shown, aliases in values
    ]  # fmt: skip
    form = requested_format("concepts", {"csv": True})
    assert form is not None
    text, _ = text_of_rows(form, {"concepts": rows}, "/")
    read = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert [(row["name"], row["displayName"]) for row in read] == [row[:2] for row in values]
    assert [msgspec.json.decode(row["aliases"]) for row in read] == [row[2] for row in values]


@examples(200)
@given(st.lists(texts | st.text("a\n\r\u2028,", max_size=4), max_size=5), st.booleans())
def test_names_split_into_what_they_were(names: list[str], is_null: bool) -> None:
    form = requested_format("tags", {"names": True, "null": is_null})
    assert form is not None
    text, left_out = text_of_rows(form, {"tags": [{"tag": name} for name in names]}, "/")
    split = text.split(form.end)[:-1]
    assert len(split) + left_out == len(set(names))
    assert set(split) <= set(names)


def test_the_options_have_flags_of_their_own() -> None:
    for command in COMMANDS:
        flags = [flag for option in command.options for flag in option.flags]
        assert not set(flags) & {flag for option in LIST_OPTIONS for flag in option.flags}
