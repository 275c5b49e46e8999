"""A table of cases is one test that runs every row and reports all that fail."""

import pytest

from tests.tables import for_each_row


def test_all_rows_that_fail_are_reported_with_their_cells() -> None:
    seen: list[tuple[int, str, str]] = []

    @for_each_row(("number", "name"), [(1, "a"), pytest.param(2, "b", id="two"), (3, "c")])
    @for_each_row("kind", ["x", "y"])
    def check(number: int, name: str, kind: str) -> None:
        seen.append((number, name, kind))
        assert (number, kind) not in {(1, "x"), (1, "y"), (3, "y")}

    with pytest.raises(ExceptionGroup, match="2 of 3 rows fail") as caught:
        check()
    assert len(seen) == 6
    first, last = caught.value.exceptions
    assert isinstance(first, ExceptionGroup)
    assert [str(each.__notes__) for each in first.exceptions] == [
        "[\"row 0: {'kind': 'x'}\"]",
        "[\"row 1: {'kind': 'y'}\"]",
    ]
    assert last.__notes__ == ["row 2: {'number': 3, 'name': 'c'}"]


@pytest.fixture
def fixture() -> str:
    return "given"


@for_each_row("name", ["given"])
def test_fixtures_are_given_to_each_row(name: str, fixture: str) -> None:
    assert name == fixture


def test_a_table_has_rows_without_marks() -> None:
    with pytest.raises(AssertionError, match="without rows"):
        for_each_row("name", [])
    with pytest.raises(AssertionError, match="no marks"):
        for_each_row("name", [pytest.param(1, marks=pytest.mark.slow)])
