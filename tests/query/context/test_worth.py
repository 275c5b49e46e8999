"""How much of its passage's relevance a piece has, and that parts of diagrams have less."""

import pytest

from clew.query.context.formulas.worth import worth
from clew.query.context.pieces import with_worths
from clew.text.regions.fenced_code import is_diagram
from tests.query.context.note_pieces import pieces_by_text
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of


@for_each_row(
    ("share", "index", "is_short", "expected"),
    [
        (1.0, 0, True, 1.0),
        (1.0, 0, False, 1.0),
        (0.0, 0, False, 0.3),
        (0.0, 0, True, 8 / 15),  # (.3 + .5) / 1.5
        (0.5, 1, True, 0.6),  # (.65 + .25) / 1.5
        (0.5, 9, False, 0.65),
    ],
)
def test_golden_worths(share: float, index: int, is_short: bool, expected: float) -> None:
    assert worth(share, index, is_short=is_short) == pytest.approx(expected, rel=1e-12)


@for_each_row(
    ("fence", "expected"),
    [
        ("```mermaid", True),
        ("~~~~ Mermaid", True),
        ("```{.plantuml}", True),
        ("```dot", True),
        ("```", False),
        ("```python", False),
        ("```dotenv", False),
        ("", False),
    ],
)
def test_which_fences_open_diagrams(fence: str, expected: bool) -> None:
    assert is_diagram(fence) == expected


def test_a_part_of_a_diagram_is_worth_half_of_code_with_the_same_words() -> None:
    def worth_of(language: str) -> float:
        text = f"It is at sea.\n\n```{language}\nTide-->Gauge\n```\n"
        _, by_start = pieces_by_text(text, [(("tide",), 1.0)])
        return with_worths([*by_start.values()], 1.0, is_short=False)[1].worth

    assert worth_of("mermaid") == pytest.approx(0.5 * worth_of("text"))


def test_what_is_said_stands_before_lines_of_a_diagram() -> None:
    drawn = "\n".join(
        f"    Gauge->>Harbour: tide {number} of the harbour gauge" for number in range(20)
    )
    said = "\n\n".join(f"The tide gauge of the harbour is on pier {number}." for number in range(8))
    notes = {
        "Flow.md": f"# Flow\n\n```mermaid\nsequenceDiagram\n{drawn}\n```\n",
        "Pier.md": f"# Pier\n\n{said}\n",
    }
    text = pack(snapshot_of(notes), "tide harbour gauge", token_budget=260).context
    assert "pier 7" in text
