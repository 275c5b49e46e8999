"""What ranking costs: long queries, and how often postings are read."""

from typing import Any

import pytest

from clew.engine.passages import Passages
from clew.index.keyword import KeywordIndex
from clew.query.rank.rank_symbols import rank
from clew.query.slices import finished
from clew.values.requests import Rank
from tests.rankings import VAULT, ranked
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import snapshot_of

MANY = snapshot_of({f"daily {n}/tide {n} of x.md": f"# tide-{n}\n\n[[a-{n}]]" for n in range(500)})
PIECES = ["tide ", "👍", "潮", "ก", "a ", "À ", "x" * 63 + " ", "wort-", "camelCase", "tied "]
VARIED = " ".join(f"tide{number} {number}" for number in range(20_000))
QUERIES = [*(("tide " + piece * 200_000)[:200_000] for piece in PIECES), VARIED]


@pytest.mark.slow
@for_each_row("strategy", ["combined", "dependency"])
@for_each_row("mode", ["fts", "legacy"])
@for_each_row("query", QUERIES)
def test_a_query_of_200_kb_takes_no_longer_than_a_tenth_of_a_second(
    query: str, mode: Any, strategy: Any
) -> None:
    ranked(MANY, "tide")
    request = Rank(query=query, search_mode=mode, strategy=strategy)
    check_within(0.1, lambda: finished(rank(MANY, request, len)))


def test_postings_are_read_once_per_term(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    snapshot = snapshot_of(VAULT)

    def count(kind: type, name: str, *counted_for: object) -> None:
        call = getattr(kind, name)

        def counted(index: Any, *given: Any) -> Any:
            if index in counted_for:
                looked.append(name)
            return call(index, *given)

        monkeypatch.setattr(kind, name, counted)

    count(KeywordIndex, "postings_of", snapshot.passages.keyword)
    count(Passages, "words_in_use", snapshot.passages)
    ranked(snapshot, "clock drift weather")
    assert sorted(looked) == ["postings_of"] * 3 + ["words_in_use"] * 2
