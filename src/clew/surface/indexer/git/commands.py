"""Run git on a repository that may be hostile, so that its settings can run no program.

The settings of a repository can name programs: for a file system monitor, hooks, signatures,
filters, conversions, a pager, transports. So only ``log`` and ``ls-tree`` are run, which need no
such program, and every such setting is turned off besides. The settings of the user and the system
are not read. Git itself must find the repository, since otherwise it does not check the owner.

Source: the manual pages git(1), git-config(1), git-log(1) of Git 2.39 to 2.50.
"""

import os
import selectors
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.surface.indexer.limits import end_with_parent

SECONDS_MAX = 1_800.0  # for one command, on the clock; CPU time has its own bound
OUTPUT_BYTES_MAX = 4 * 1024 * 1024 * 1024  # 100,000 commits of one file write 20 MB
MESSAGE_BYTES_MAX = 2_000
_READ_BYTES = 256 * 1024

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.askPass": "false",
    "credential.helper": "",
    "diff.orderFile": "/dev/null",
    "gc.auto": "0",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.follow": "false",
    "log.mailmap": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # overrides each protocol that the repository's settings allow
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_LOG = (
    "log",
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-color",
    "--no-decorate",
    "--no-notes",
    "--no-mailmap",
    "--ignore-submodules=all",
    "-z",
)


class GitFailed(Exception):
    """Git failed or was stopped; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in the work tree at ``top``."""

    top: str
    seconds_max: float = SECONDS_MAX
    bytes_max: int = OUTPUT_BYTES_MAX

    def log(self, *words: str) -> Iterator[bytes]:
        """Yield the output of ``git log`` in pieces.

        Raises:
            GitFailed: there is no git, it failed, or it was stopped at a bound.
        """
        return self._run((*_LOG, *words))

    def ls_tree(self, *words: str) -> Iterator[bytes]:
        """Yield the output of ``git ls-tree`` in pieces.

        Raises:
            GitFailed: there is no git, it failed, or it was stopped at a bound.
        """
        return self._run(("ls-tree", "-z", "--full-tree", *words))

    def _run(self, arguments: Sequence[str]) -> Iterator[bytes]:
        folders = list(filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)))
        # A relative folder of PATH would lie in the vault.
        programs = (os.path.join(folder, "git") for folder in folders)
        program = next(filter(_is_program, programs), None)
        if program is None:
            raise GitFailed("git is not installed")
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        environment = {
            **_ENVIRONMENT,
            "PATH": os.pathsep.join(folders),
            "GIT_CEILING_DIRECTORIES": os.path.dirname(self.top),
        }
        try:
            process = subprocess.Popen(
                [program, "--no-pager", *settings, *arguments],
                cwd=self.top,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=end_with_parent(),  # noqa: PLW1509 - this process has one thread
            )
        except OSError as error:
            raise GitFailed(f"git cannot be started: {error.strerror or error}") from error
        with process:
            try:
                yield from self._read(process)
            finally:
                process.kill()

    def _read(self, process: "subprocess.Popen[bytes]") -> Iterator[bytes]:
        message, byte_count = b"", 0
        for is_message, data in _outputs(process, time.monotonic() + self.seconds_max):
            if is_message:
                message += data[: MESSAGE_BYTES_MAX - len(message)]
                continue
            byte_count += len(data)
            if byte_count > self.bytes_max:
                raise GitFailed(f"git wrote more than {self.bytes_max} bytes")
            yield data
        if process.wait():
            raise GitFailed(_in_words(process.returncode, message))


def _outputs(process: "subprocess.Popen[bytes]", deadline_s: float) -> Iterator[tuple[bool, bytes]]:
    """Yield the output of a process until it ends: whether it is of stderr, and the bytes."""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout or 0, selectors.EVENT_READ)
        selector.register(process.stderr or 0, selectors.EVENT_READ)
        while selector.get_map():
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                raise GitFailed("git took too long")
            for key, _ in selector.select(left_s):
                data = os.read(key.fd, _READ_BYTES)
                if data:
                    yield key.fileobj is process.stderr, data
                else:
                    selector.unregister(key.fileobj)


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _in_words(status: int, message: bytes) -> str:
    lines = message.decode("utf-8", "replace").splitlines()
    reason = next((line for line in lines if line.startswith(("fatal: ", "error: "))), None)
    if reason is None:
        return f"git ended with status {status}"
    return reason.partition(": ")[2]
