"""Projects of code kept as data: their files, and what is expected of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clew.index.code.code_index import CodeIndex
from clew.index.code.edges import calls_of, implements
from clew.values.code.code_file import EntityKind

FOLDER = Path(__file__).parent / "data" / "code"
EXPECTED = ("entities", "edges", "unresolved", "implements", "passed")


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project by path, and the lines that are expected of them by section."""

    files: Mapping[str, str]
    expected: Mapping[str, list[str]]


def read_project(name: str) -> Project:
    """Return the project in ``data/code/NAME.txt``: sections after lines of ``=== ``."""
    _, *parts = ("\n" + (FOLDER / name).read_text("utf-8")).split("\n=== ")
    sections = {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}
    expected = {key: sections.pop(key, "").split("\n") for key in EXPECTED}
    return Project(sections, {key: sorted(filter(None, rows)) for key, rows in expected.items()})


def shown_entities(index: CodeIndex) -> list[str]:
    """Return all entities but the modules of files, with their lines, sorted."""
    return sorted(
        f"{entity.symbol_id} {entity.first_line}"
        + (f"-{entity.last_line}" if entity.last_line > entity.first_line else "")
        for file in index.files.values()
        for entity in file.entities[1:]
    )


def shown_unresolved(index: CodeIndex) -> list[str]:
    """Return the names of the unresolved calls of each file, sorted."""
    rows = []
    for path, file in sorted(index.files.items()):
        names = {
            name
            for number in range(len(file.entities))
            for name in calls_of(index, (path, number)).unresolved
        }
        if names:
            rows.append(" ".join([path, *sorted(names)]))
    return rows


def shown_bases(index: CodeIndex) -> list[str]:
    """Return what each class or interface of the project extends or implements, sorted."""
    return sorted(
        f"{entity.symbol_id} {index.entity(base).symbol_id}"
        for path, file in index.files.items()
        for number, entity in enumerate(file.entities)
        if entity.kind is not EntityKind.MODULE
        for base in implements(index, (path, number))
    )
