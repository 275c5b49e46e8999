"""Entities of code among the symbols of ``rank``."""

import pytest

from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.text.tokens import count_tokens
from clew.values.vault import Batch, ReadCode, Stamp
from tests.rankings import VAULT, ranked, shown
from tests.vaults import engine_of, snapshot_of

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


LEDGERS = """class Ledger:
    def post(self): ...

class Board:
    def post(self): ...

def verify_signature(): ...
def emit(): ...
"""


def test_a_name_of_code_is_found_as_a_path_and_in_another_form_and_not_corrected() -> None:
    engine = engine_of({"Ways out.md": "# Exit\n\nThe exit of a ledger. Post it to the board."})
    file, _ = parse_code("app/ledgers.py", LEDGERS, BY_NAME["python"])
    engine.apply(Batch(code=(ReadCode("app/ledgers.py", Stamp(1, 1, 1, 1), file),)))

    def found(query: str) -> dict[str, float]:
        rows = ranked(engine.snapshot, query).results
        return {row.name: row.relevance_score for row in rows if row.file == "app/ledgers.py"}

    posts = found("Ledger.post")
    assert (posts["Ledger.post"], posts["Board.post"]) == (1.0, 0.9)
    assert found("verifySignature") == {"verify_signature": 1.0}
    assert found("emit") == {"emit": 1.0}
    assert ranked(engine.snapshot, "emit").fuzzy_correction is None
    assert ranked(engine.snapshot, "exot").fuzzy_correction is not None
