"""Which file an import names. Knows the layout of packages, and no file's content."""

import posixpath
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from clew.values.code.code_file import note_of

_SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".mjs", ".cts", ".cjs")
_PYTHON = (".py", ".pyi", "/__init__.py")


def module_key(path: str) -> str:
    """Return the last name by which a module is imported, under which its file is looked up."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index") else stem


@dataclass(frozen=True, slots=True)
class ModulePaths:
    """The files of code by the names of their modules."""

    paths: Collection[str]
    by_key: Mapping[str, AbstractSet[str]]  # ``module_key`` -> paths

    def find(self, importing: str, module: str, is_python: bool) -> str | None:
        """Return the file that ``module`` names in the file ``importing``.

        A block of a note is in no folder of code, so a relative name leads nowhere there.
        """
        if module.startswith(".") and note_of(importing) is not None:
            return None
        if not is_python:
            return self._script(importing, module)
        if module.startswith("."):
            return self._relative(importing, module)
        return self._absolute(importing, module)

    def _relative(self, importing: str, module: str) -> str | None:
        names = module.lstrip(".")
        folder = importing
        for _ in range(len(module) - len(names)):
            folder = folder.rpartition("/")[0]
        return self._first(posixpath.join(folder, names.replace(".", "/")), _PYTHON)

    def _absolute(self, importing: str, module: str) -> str | None:
        """Look for a package anywhere, yet not inside another one; the nearest one wins."""
        tail = module.replace(".", "/")
        candidates = []
        for path in self.by_key.get(module.rpartition(".")[2], ()):
            ends = [end for end in _PYTHON if path == tail + end or path.endswith(f"/{tail}{end}")]
            if ends and not self._is_package(path[: -len(tail + ends[0])].rstrip("/")):
                candidates.append(path)
        common = posixpath.commonprefix
        return min(
            candidates, key=lambda path: (-len(common((path, importing))), path), default=None
        )

    def _is_package(self, folder: str) -> bool:
        return posixpath.join(folder, "__init__.py") in self.paths

    def _script(self, importing: str, module: str) -> str | None:
        if not module.startswith("."):
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importing), module))
        if path in self.paths:
            return path
        stem = path.removesuffix(".js").removesuffix(".mjs")
        return self._first(stem, _SCRIPTS) or self._first(
            path, tuple(f"/index{end}" for end in _SCRIPTS)
        )

    def _first(self, stem: str, ends: tuple[str, ...]) -> str | None:
        stem = stem.rstrip("/")
        return next((stem + end for end in ends if stem + end in self.paths), None)
