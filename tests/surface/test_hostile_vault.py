"""A vault full of hostile notes and names: the daemon stays up and lists each one."""

import os
import socket
from pathlib import Path

import pytest

from tests.daemons import daemon

NOTES: dict[str, bytes] = {
    "links": " ".join(f"[[c{n}]]" for n in range(5_000)).encode(),
    "open": b"[[" * 1_000_000,
    "quotes": b"> " * 100_000 + b"a",
    "brackets": b"[" * 100_000 + b"]" * 100_000,
    "huge": b"[[x]] and some words\n" * 2_500_000,
    "nul": b"a\0b [[c\0d]]",
    "yaml": b"---\na: " + b"[" * 30_000 + b"]" * 30_000 + b"\n---\n[[after]]",
    "laughs": b"---\na: &a [x]\nb: [*a,*a]\n---\n[[after]]",
    "tags": b"---\na: !!python/object/apply:os.system [x]\n---\n[[after]]",
    "latin": b"caf\xe9 [[caf\xe9]]",
    "token": b"<|endoftext|> [MASK] \x1b]0;owned\x07 [[fine]]",
}
NAMES = (
    b"bad\xff.md",
    b"\xed\xa0\x80.md",
    b"new\nline.md",
    b"\x1b[31mred.md",
    b"Note.md",
    b"NOTE.md",
    "Café.md".encode(),
    "Cafe\u0301.md".encode(),
    b"a" * 252 + b".md",
    b"[[x]].md",
    b"%2e%2e%2f.md",
    b"x\\y.md",
)


@pytest.mark.slow
def test_a_vault_with_a_path_of_4000_bytes_is_served(tmp_path: Path) -> None:
    vault = tmp_path
    while len(os.fsencode(vault)) < 4_000 - 256:
        vault /= "d" * 250
    vault /= "e" * (4_000 - len(os.fsencode(vault)) - 1)
    (vault / "sub").mkdir(parents=True)
    (vault / "Note.md").write_text("[[Other]]")
    (vault / "sub" / "A note of any name.md").write_text("[[Note]] [[Other]]")
    with daemon(tmp_path, vault) as running:
        assert running.ask("concept", conceptName="Other")["noteCount"] == 2
        (vault / "sub" / "Later.md").write_text("[[Other]]")
        found = running.ask("concept", conceptName="Other", waitFresh=True)
        assert found["noteCount"] == 3


SEARCHES = (
    "c17 c4999",
    "open [[",
    "> quotes",
    "brackets x and some words",
    "a\0b",
    "after laughs",
    "caf\ufffd",
    "café Cafe\u0301",
    "<|endoftext|> [MASK] owned",
    "bad\ufffd odd",
    "red \x1b[31mred",
    "a" * 64,
    "%2e%2e%2f x\\y",
    "latest odd name yesterday",
)


def make(vault: Path) -> int:
    """Write the vault; return the number of its notes."""
    vault.mkdir()
    for name, data in NOTES.items():
        (vault / f"{name}.md").write_bytes(data)
    for odd in NAMES:
        (vault / os.fsdecode(odd)).write_text("# odd\n[[odd name]]\n")
    (vault / "good.md").write_text("[[Alpha]] [[Beta]]\n")
    os.mkfifo(vault / "fifo.md")
    (vault / "usr").symlink_to("/usr")
    (vault / "up.md").symlink_to("/etc/passwd")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(vault / "s.md"))
    return len(NOTES) + len(NAMES) + 1


@pytest.mark.slow
def test_hostile_notes_and_names_are_listed_and_do_not_affect_others(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    count = make(vault)
    with daemon(tmp_path / "h", vault) as running:
        status = running.ask("status")
        assert status["notes"] == count
        assert status["rssBytes"]["server"] < 700_000_000
        related = running.ask("concept", conceptName="alpha")["directRelations"]
        assert [row["name"] for row in related] == ["beta"]
        checked = running.ask("doctor", deep=True)
        assert next(c for c in checked["checks"] if c["name"] == "rebuild")["ok"]
        codes = {group["code"] for group in checked["groups"]}
        assert codes >= {
            *("binary", "encoding", "frontmatterInvalid", "nameUndecodable", "notRegular"),
            *("symlink", "tooComplex", "tooLarge"),
        }
        assert running.ask("backlinks", conceptName="after")["total"] == 3
        assert running.ask("why", uri="memory://huge.md")["state"] == "nameOnly"
        assert running.ask("why", uri="memory://bad%FF.md")["state"] == "indexed"
        assert running.ask("backlinks", conceptName="odd name")["total"] == len(NAMES)
        for mode in ("hybrid", "keyword", "semantic", "graph"):
            for query in SEARCHES:
                found = running.ask("search", query=query, mode=mode, limit=100, explain=True)
                assert all(len(row["snippet"]) < 400 for row in found["results"])
        for name in (*NOTES, "odd name", "good"):
            found = running.ask("search", query=name, limit=100, mode="keyword")
            assert found["results"], name
            assert found["searchMetrics"]["tier"] == "bm25"
        assert running.stop() == 0
