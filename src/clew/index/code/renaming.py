"""The new names that imports, exports and assignments of a file give to entities.

The default export of a file gets a name of its own, such as ``default#http`` in ``http.ts``, since
all default exports are called ``default``. Depends on the file alone.
"""

import posixpath

from clew.index.code.families import SCRIPT, family_of
from clew.index.code.module_paths import module_key
from clew.values.code.code_file import DEFAULT, CodeFile, Import


def name_to_follow(file: CodeFile, name: str) -> str:
    """Return the name by which other files import the entity ``name`` of ``file``."""
    return _exported(file, name)


def renamed(file: CodeFile) -> set[tuple[str, str]]:
    """Return pairs of the old and the new name of all that ``file`` renames."""
    pairs = {(_imported(file, item), _exported(file, item.alias)) for item in file.imports}
    for binding in file.bindings:
        if binding.value and not binding.value.endswith(")"):
            pairs.add((last_name(binding.value), _exported(file, binding.name)))
    return {(old, new) for old, new in pairs if old != new}


def last_name(path: str) -> str:
    """Return the last name of a path of names."""
    return path.rpartition(".")[2].rpartition("::")[2]


def _imported(file: CodeFile, item: Import) -> str:
    is_default = item.name in (DEFAULT, "")  # a whole file of CommonJS may be its default export
    if not is_default or family_of(file) is not SCRIPT:
        return item.name
    module = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), item.module))
    return _default_of(module)


def _exported(file: CodeFile, name: str) -> str:
    if name != DEFAULT or family_of(file) is not SCRIPT:
        return name
    return _default_of(file.path)


def _default_of(path: str) -> str:
    return f"{DEFAULT}#{module_key(path)}"
