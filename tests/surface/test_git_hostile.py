"""A repository whose own settings name programs runs none of them; plain git would run them."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.surface.indexer.git import commands
from clew.surface.indexer.git.job import GitDates, GitJob
from clew.surface.indexer.git.reading import read_dates
from clew.vault.blob import blob_id
from tests.repositories import Commit, environment, git, needs_git, new_repository

pytestmark = needs_git
SIGNATURE = (
    b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----\n"
)


class Trap:
    """A vault in a work tree, and a program that leaves a file if anything runs it."""

    def __init__(self, folder: Path) -> None:
        commits = [Commit(1_400_000_000, {"a.md": b"one"}), Commit(1_500_000_000, {"a.md": b"two"})]
        self.vault = new_repository(folder / "vault", commits)
        self.sprung = folder / "sprung"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\ntouch "{self.sprung}"\nexit 1\n')
        self.program.chmod(0o755)

    def set(self, name: str, value: str | None = None) -> None:
        git(self.vault, "config", name, value or str(self.program))

    def springs_by(self, *words: str) -> bool:
        """Return whether git springs the trap, run without any care."""
        command = ["git", *words]
        subprocess.run(
            command, cwd=self.vault, env=environment(), capture_output=True, check=False, timeout=60
        )
        has_sprung = self.sprung.exists()
        self.sprung.unlink(missing_ok=True)
        return has_sprung


def fsmonitor(trap: Trap) -> None:
    trap.set("core.fsmonitor")


def clean_filter(trap: Trap) -> None:
    trap.set("filter.x.clean")
    (trap.vault / ".gitattributes").write_text("*.md filter=x\n")
    (trap.vault / "a.md").write_bytes(b"TWO")


def signature(trap: Trap) -> None:
    trap.set("log.showSignature", "true")
    trap.set("gpg.program")
    commit = git(trap.vault, "cat-file", "commit", "HEAD")
    head, _, message = commit.partition(b"\n\n")
    signed = head + b"\n" + SIGNATURE + b"\n" + message
    name = git(trap.vault, "hash-object", "-t", "commit", "-w", "--stdin", data=signed)
    git(trap.vault, "update-ref", "HEAD", name.strip().decode())


def textconv(trap: Trap) -> None:
    trap.set("diff.x.textconv")
    (trap.vault / ".gitattributes").write_text("*.md diff=x\n")


def external_diff(trap: Trap) -> None:
    trap.set("diff.external")


def pager(trap: Trap) -> None:
    trap.set("core.pager")
    trap.set("pager.log", "true")


def hook(trap: Trap) -> None:
    trap.set("core.hooksPath", str(trap.program.parent / "hooks"))
    folder = trap.program.parent / "hooks"
    folder.mkdir()
    (folder / "post-checkout").write_bytes(trap.program.read_bytes())
    (folder / "post-checkout").chmod(0o755)


def missing_tree(trap: Trap) -> None:
    """Let a tree be missing, which a promised remote would have, by a program."""
    trap.set("core.repositoryFormatVersion", "1")
    trap.set("extensions.partialClone", "origin")
    trap.set("remote.origin.promisor", "true")
    trap.set("remote.origin.url", f"ext::{trap.program}")
    trap.set("protocol.allow", "always")
    trap.set("protocol.ext.allow", "always")
    _remove_first_tree(trap)


def missing_tree_by_upload_pack(trap: Trap) -> None:
    missing_tree(trap)
    trap.set("remote.origin.url", str(trap.vault))
    trap.set("protocol.file.allow", "always")
    trap.set("remote.origin.uploadpack")


def missing_tree_by_ssh(trap: Trap) -> None:
    missing_tree(trap)
    trap.set("remote.origin.url", "ssh://localhost/x")
    trap.set("protocol.ssh.allow", "always")
    trap.set("core.sshCommand")


def _remove_first_tree(trap: Trap) -> None:
    git(trap.vault, "-c", "core.fsmonitor=false", "unpack-objects", "-q", data=_packed(trap))
    tree = git(trap.vault, "rev-parse", "HEAD^^{tree}").strip().decode()
    (trap.vault / ".git" / "objects" / tree[:2] / tree[2:]).unlink()


def _packed(trap: Trap) -> bytes:
    """Remove the packs, and return the objects of all of them."""
    names = git(trap.vault, "rev-list", "--objects", "--all")
    packed = git(trap.vault, "pack-objects", "-q", "--stdout", data=names)
    for path in (trap.vault / ".git" / "objects" / "pack").iterdir():
        path.unlink()
    return packed


TRAPS: list[tuple[Callable[[Trap], None], tuple[str, ...]]] = [
    (fsmonitor, ("status",)),
    (clean_filter, ("status",)),
    (signature, ("log",)),
    (textconv, ("log", "-p")),
    (external_diff, ("log", "-p", "--ext-diff")),
    (pager, ("--paginate", "log")),
    (hook, ("checkout", "HEAD~")),
    (missing_tree, ("log", "--raw")),
    (missing_tree_by_upload_pack, ("log", "--raw")),
    (missing_tree_by_ssh, ("log", "--raw")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("lay", "words"), TRAPS, ids=lambda each: getattr(each, "__name__", ""))
def test_no_program_of_the_repository_is_run(
    lay: Callable[[Trap], None], words: tuple[str, ...], tmp_path: Path
) -> None:
    trap = Trap(tmp_path)
    lay(trap)
    found = read_dates(GitJob(str(trap.vault), 10_000, str(tmp_path)), GitDates())
    assert not trap.sprung.exists()
    if "missing" in lay.__name__:
        assert not found.is_read
        assert found.remark
    else:
        assert [(note.path, note.first_s, note.last_s) for note in found.notes] == [
            ("a.md", 1_400_000_000, 1_500_000_000)
        ]
    if "pager" not in lay.__name__:  # which needs a terminal
        assert trap.springs_by(*words)


def test_a_blob_has_the_id_that_git_gives_it(tmp_path: Path) -> None:
    for data in (b"", b"text\n", bytes(range(256)) * 300):
        named = git(tmp_path, "hash-object", "--stdin", data=data).strip().decode()
        assert blob_id(data) == named


@pytest.mark.parametrize("lay", [missing_tree, missing_tree_by_upload_pack, missing_tree_by_ssh])
def test_a_git_that_fetches_what_is_missing_may_use_no_transport(
    lay: Callable[[Trap], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions of git before 2.39.4 do not know the variable that forbids it."""
    monkeypatch.delitem(commands._ENVIRONMENT, "GIT_NO_LAZY_FETCH")  # noqa: SLF001
    trap = Trap(tmp_path)
    lay(trap)
    found = read_dates(GitJob(str(trap.vault), 10_000, str(tmp_path)), GitDates())
    assert found.remark
    assert "not allowed" in found.remark
    assert not trap.sprung.exists()
