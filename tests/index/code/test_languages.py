"""Each language's entities and edges, on projects kept as data."""

import pytest

from clew.index.code.code_index import CodeIndex
from clew.index.code.edges import calls_of
from tests.codes import all_refs, calls_to_all, index_of, shown_edges, shown_passed
from tests.codes_data import (
    FOLDER,
    read_project,
    shown_bases,
    shown_entities,
    shown_unresolved,
)

PROJECTS = sorted(path.name for path in FOLDER.iterdir())
SHOWN = {
    "entities": shown_entities,
    "edges": shown_edges,
    "unresolved": shown_unresolved,
    "implements": shown_bases,
    "passed": shown_passed,
}


@pytest.fixture(scope="module", params=PROJECTS)
def project(request: pytest.FixtureRequest) -> tuple[CodeIndex, dict[str, list[str]]]:
    read = read_project(request.param)
    return index_of(read.files), dict(read.expected)


@pytest.mark.parametrize("section", SHOWN)
def test_a_project_has_just_the_expected(
    project: tuple[CodeIndex, dict[str, list[str]]], section: str
) -> None:
    index, expected = project
    assert SHOWN[section](index) == expected[section]


def test_the_callers_of_a_project_are_its_calls(
    project: tuple[CodeIndex, dict[str, list[str]]],
) -> None:
    index, _ = project
    edges = {edge for ref in all_refs(index) for edge in calls_of(index, ref).edges}
    assert calls_to_all(index) == edges
