"""The names that a file of code gives to what has another one: by imports, exports, assignments.

What a file exports as its default has a name of its own, ``default#http`` in ``http.ts``, since
all default exports are called ``default``. Follows from the file alone.
"""

import posixpath

from clew.index.code.families import SCRIPT, family_of
from clew.index.code.module_paths import module_key
from clew.values.code.code_file import DEFAULT, CodeFile, Import


def name_to_follow(file: CodeFile, name: str) -> str:
    """Return the name from which to follow those that other files give to an entity of ``file``."""
    return _exported(file, name)


def renamed(file: CodeFile) -> set[tuple[str, str]]:
    """Return the old and the new names of what ``file`` gives another name."""
    pairs = {(_imported(file, item), _exported(file, item.alias)) for item in file.imports}
    for binding in file.bindings:
        if binding.value and not binding.value.endswith(")"):
            pairs.add((last_name(binding.value), _exported(file, binding.name)))
    return {(old, new) for old, new in pairs if old != new}


def last_name(path: str) -> str:
    """Return the last of a path of names."""
    return path.rpartition(".")[2].rpartition("::")[2]


def _imported(file: CodeFile, item: Import) -> str:
    is_default = item.name in (DEFAULT, "")  # a file of CommonJS may be what it exports
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
