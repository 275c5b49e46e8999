"""A long reply of search is made in steps, so that other clients are not held up."""

from clew.query.search.search_notes import search
from clew.values.requests import Search
from tests.searches import setting
from tests.vaults import snapshot_of

NOTES = {f"{number}.md": f"the tide gauge number {number}" for number in range(60)}


def pause_count(limit: int) -> int:
    request = Search(query="tide gauge", mode="keyword", limit=limit)
    return sum(1 for _ in search(snapshot_of(NOTES), request, setting()))


def test_each_row_is_a_step() -> None:
    assert pause_count(60) - pause_count(10) >= 50
