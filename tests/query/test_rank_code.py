"""Entities of code among the symbols of ``rank``."""

import pytest

from clew.text.tokens import count_tokens
from tests.rankings import VAULT, ranked, shown
from tests.vaults import snapshot_of

CODE = """# Graph code

```python
class SymbolGraph:
    def add_symbol(self, symbol):
        return self.rank_all(symbol)

    def rank_all(self, symbol): ...

def symbol_of(graph): ...
```

```python
SymbolGraph().add_symbol(1)
```
"""
SNAPSHOT = snapshot_of(VAULT | {"Code.md": CODE})


def test_names_that_contain_the_query_have_the_legacy_relevance() -> None:
    reply = ranked(SNAPSHOT, "Symbol", search_mode="legacy")
    relevance = {row.name: row.relevance_score for row in reply.results}
    assert relevance["SymbolGraph"] == 0.7
    assert relevance["SymbolGraph.add_symbol"] == 0.7
    exact = ranked(SNAPSHOT, "SymbolGraph", search_mode="legacy").results[0]
    assert (exact.name, exact.kind, exact.relevance_score) == ("SymbolGraph", "class", 1.0)


def test_entities_have_lines_a_file_and_the_tokens_of_their_text() -> None:
    row = next(row for row in ranked(SNAPSHOT, "SymbolGraph").results if row.kind == "class")
    assert row.symbol_id == "Code.md::SymbolGraph::class"
    assert (row.file, row.lines) == ("memory://Code.md", (4, 8))
    text = "\n".join(CODE.split("\n")[3:8])
    assert count_tokens(text) <= row.tokens <= count_tokens(text) + 3


@pytest.mark.parametrize("budget", [100, 200, 1_000])
def test_the_budget_holds_with_code(budget: int) -> None:
    for form in ("rows", "map"):
        reply = ranked(SNAPSHOT, "symbol graph", token_budget=budget, format=form)
        assert reply.total_tokens <= budget
    assert "SymbolGraph (class) memory://Code.md#L4-L8" in str(reply.text)


def test_notes_come_as_before_where_no_code_is_meant() -> None:
    without = snapshot_of(VAULT | {"Code.md": CODE.replace("```python", "```pythonic")})
    assert shown(ranked(SNAPSHOT, "clock drift")) == shown(ranked(without, "clock drift"))
    assert not [row for row in ranked(without, "SymbolGraph").results if row.kind == "class"]
