"""Select the files to read below a root of code: known languages that git does not ignore.

The ``.gitignore`` of a folder applies to everything below it; a deeper one overrides those above.
Hidden folders and ``node_modules`` are never walked (``vault.ignore``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.text.code.languages import language_of_file
from clew.text.concept import unicode_form
from clew.values.note import Problem
from clew.vault.ignore import BAD_PATTERN, gitignore_spec
from clew.vault.root import VaultRoot

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
GITIGNORE_BYTES_MAX = 256 * 1024


@dataclass(slots=True)
class CodeRules:
    """The rules below one root; ``left_out`` are absolute paths of folders that are not walked."""

    root: VaultRoot
    left_out: Sequence[str] = ()
    _specs: dict[str, "GitIgnoreSpec | None"] = field(default_factory=dict)  # by folder

    keeps_others = False  # no need: links do not lead to files of code

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Always empty: patterns that cannot be used are ignored, as git does."""
        return ()

    def refresh(self) -> None:
        """Forget all patterns, so that the files are read again when needed."""
        self._specs.clear()

    def is_wanted(self, name: str) -> bool:
        """Return whether a file of this name is code in a known language."""
        return language_of_file(name) is not None

    def skips(self, folder: str) -> bool:
        """Return whether a folder is left out with everything below it."""
        return f"{self.root.path}/{folder}" in self.left_out or self._ignores(f"{folder}/")

    def rule_for(self, path: str) -> str | None:
        """Return the rule that ignores the file at ``path``."""
        return GITIGNORE if self._ignores(path) else None

    def _ignores(self, path: str) -> bool:
        is_ignored = False
        parts = path.rstrip("/").split("/")
        for depth in range(len(parts)):
            folder = "/".join(parts[:depth])
            spec = self._spec(folder)
            if spec is not None:
                below = path[len(folder) + 1 :] if folder else path
                include = spec.check_file(unicode_form(below)).include
                is_ignored = is_ignored if include is None else include
        return is_ignored

    def _spec(self, folder: str) -> "GitIgnoreSpec | None":
        if folder not in self._specs:
            path = f"{folder}/{GITIGNORE}" if folder else GITIGNORE
            data = self.root.read_small(path, GITIGNORE_BYTES_MAX)
            self._specs[folder] = _compiled(data) if data else None
        return self._specs[folder]


def _compiled(data: bytes) -> "GitIgnoreSpec":
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    try:
        return gitignore_spec(lines)
    except BAD_PATTERN:
        return gitignore_spec(filter(_is_pattern, lines))


def _is_pattern(line: str) -> bool:
    try:
        gitignore_spec([line])
    except BAD_PATTERN:
        return False
    return True
