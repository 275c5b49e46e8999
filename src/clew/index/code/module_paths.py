"""Find the file that an import names, by the layout of packages. Knows no file's content."""

import posixpath
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from clew.index.code.families import GO, JAVA, PYTHON, SCRIPT, C, Family
from clew.values.code.code_file import note_of

_SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".mjs", ".cts", ".cjs")
_PYTHON = (".py", ".pyi", "/__init__.py")
_CRATES = ("lib.rs", "main.rs")  # the files that stand for a crate
_TARGETS = frozenset(("bin", "tests", "examples", "benches"))  # each file in these is a crate

# Headers that every compiler has: in angle brackets, these names never mean a file of the project.
_HEADERS = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
    wchar wctype unistd fcntl pthread dirent poll sched semaphore syslog termios memory malloc
    windows process io
"""
_STANDARD_HEADERS = frozenset(f"{name}.h" for name in _HEADERS.split())


def module_key(path: str) -> str:
    """Return the key of a file in ``by_key``: the last name by which its module is imported."""
    folder, _, name = path.rpartition("/")
    stem, _, end = name.partition(".")
    if end == "go":  # a package is a folder
        return f"{folder.rpartition('/')[2]}/"
    if end == "rs":
        return _crate_key(path)
    if end in ("h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "c", "cc", "cpp", "cxx", "c++"):
        return name
    return folder.rpartition("/")[2] if stem in ("__init__", "index") else stem


def _crate_key(path: str) -> str:
    """Return the name of the crate that a file stands for: the folder around its sources."""
    folders = path.split("/")
    if folders[-1] != "lib.rs" or len(folders) < 3 or folders[-2] != "src":
        return ""
    return folders[-3].replace("-", "_") + "::"


@dataclass(frozen=True, slots=True)
class ModulePaths:
    """The files of code by the names of their modules."""

    paths: Collection[str]
    by_key: Mapping[str, AbstractSet[str]]  # ``module_key`` -> paths

    def find(self, importing: str, module: str, family: Family) -> str | None:
        """Return the file that ``module`` names in the file ``importing``.

        A block of a note is in no folder of code, so a relative name leads nowhere there.
        """
        if module.startswith(".") and note_of(importing) is not None:
            return None
        if family is SCRIPT:
            return self._script(importing, module)
        if family is GO:
            return self._package(module)
        if family is JAVA:
            return self._class(importing, module)
        if family is C:
            return self.header(importing, module)
        if family is PYTHON and module.startswith("."):
            return self._relative(importing, module)
        return self._absolute(importing, module) if family is PYTHON else None

    def _relative(self, importing: str, module: str) -> str | None:
        names = module.lstrip(".")
        folder = importing
        for _ in range(len(module) - len(names)):
            folder = folder.rpartition("/")[0]
        return self._first(posixpath.join(folder, names.replace(".", "/")), _PYTHON)

    def _absolute(self, importing: str, module: str) -> str | None:
        """Return the nearest file of this name whose top package is not inside another package."""
        tail = module.replace(".", "/")
        candidates = []
        for path in self.by_key.get(module.rpartition(".")[2], ()):
            ends = [end for end in _PYTHON if path == tail + end or path.endswith(f"/{tail}{end}")]
            if ends and not self._is_package(path[: -len(tail + ends[0])].rstrip("/")):
                candidates.append(path)
        return next(iter(_by_distance(candidates, importing)), None)

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

    # -- Go -----------------------------------------------------------------------------------

    def _package(self, module: str) -> str | None:
        """Return a file of a package of Go: the import ends with the whole path of its folder.

        So the root has to be the folder of its module, or a folder in it, under its own name.
        """
        last = module.rpartition("/")[2]
        files = [
            path
            for path in self.by_key.get(f"{last}/", ())
            if note_of(path) is None
            and f"/{module}".endswith(f"/{posixpath.dirname(path)}")
            and not path.endswith("_test.go")
        ]
        folders = {posixpath.dirname(path) for path in files}
        return min(files) if len(folders) == 1 and "/" in module else None

    # -- Java ---------------------------------------------------------------------------------

    def _class(self, importing: str, module: str) -> str | None:
        """Return the file of a class of Java, by its whole name; the nearest one wins."""
        tail = f"{module.replace('.', '/')}.java"
        files = [
            path
            for path in self.by_key.get(module.rpartition(".")[2], ())
            if path == tail or path.endswith(f"/{tail}")
        ]
        return next(iter(_by_distance(files, importing)), None)

    # -- C ------------------------------------------------------------------------------------

    def header(self, importing: str, module: str) -> str | None:
        """Return the file that an ``#include`` names: beside the file, else the only one."""
        is_system = module.startswith("<")
        name = posixpath.normpath(module.strip('<>"'))
        if not is_system and note_of(importing) is None:
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(importing), name))
            if beside in self.paths:
                return beside
        if is_system and name in _STANDARD_HEADERS:
            return None
        tail = name.removeprefix("../")
        while tail.startswith("../"):
            tail = tail.removeprefix("../")
        files = [
            path
            for path in self.by_key.get(tail.rpartition("/")[2], ())
            if path == tail or path.endswith(f"/{tail}")
        ]
        return files[0] if len(files) == 1 else None

    # -- Rust ---------------------------------------------------------------------------------

    def crate(self, name: str) -> str | None:
        """Return the file of the only crate of this name."""
        files = self.by_key.get(f"{name}::", ())
        return next(iter(files)) if len(files) == 1 else None

    def crate_around(self, path: str) -> str | None:
        """Return the file of the crate that a file is in."""
        folder, _, name = path.rpartition("/")
        if name in _CRATES or folder.rpartition("/")[2] in _TARGETS:
            return path
        while folder:
            for root in _CRATES:
                if f"{folder}/{root}" in self.paths:
                    return f"{folder}/{root}"
            folder = folder.rpartition("/")[0]
        return None

    def child(self, path: str, name: str) -> str | None:
        """Return the file of a module that the one at ``path`` declares."""
        folder = self._folder_of(path)
        files = (f"{folder}/{name}.rs", f"{folder}/{name}/mod.rs")
        return next((file for file in files if file in self.paths and file != path), None)

    def parent(self, path: str) -> str | None:
        """Return the file of the module that declares the one at ``path``."""
        folder, _, name = path.rpartition("/")
        if name in _CRATES:
            return None
        if name == "mod.rs":
            folder = folder.rpartition("/")[0]
        files = (f"{folder}/mod.rs", f"{folder}.rs", f"{folder}/lib.rs", f"{folder}/main.rs")
        return next((file for file in files if file in self.paths), None)

    def _folder_of(self, path: str) -> str:
        """Return the folder of the modules that the one at ``path`` declares."""
        folder, _, name = path.rpartition("/")
        is_root = name in (*_CRATES, "mod.rs") or folder.rpartition("/")[2] in _TARGETS
        return folder if is_root else f"{folder}/{name.removesuffix('.rs')}"


def _by_distance(paths: Iterable[str], path: str) -> list[str]:
    """Return ``paths`` by falling length of the beginning that they share with ``path``."""
    common = posixpath.commonprefix
    return sorted(paths, key=lambda other: (-len(common((other, path))), other))
