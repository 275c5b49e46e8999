"""What of a window goes first where it is over the budget, and what has room of its own."""

from clew.values.requests import ITEMS_MAX
from tests.query.assemble.test_window import VAULT
from tests.tables import for_each_row
from tests.windows import items


def test_over_the_budget_working_memory_goes_first_and_state_last() -> None:
    words = "word " * 90
    fields = {
        name: [{"text": f"{name} {words}"}]
        for name in ("state", "constraints", "history", "suggestions", "workingMemory")
    }
    gone: list[str] = []
    for budget in range(700, 90, -20):
        found = items(VAULT, "zebra", tokenBudget=max(100, budget), **fields)
        gone += [name for name in fields if not found[snake(name)] and name not in gone]
    assert gone == ["workingMemory", "suggestions", "history", "constraints", "state"]


@for_each_row("budget", [400, 700, 1_000, 2_000, 4_000])
def test_a_long_history_leaves_working_memory_the_room_that_was_kept_for_it(budget: int) -> None:
    turns = [{"text": f"turn {at} " + "of words " * 30} for at in range(ITEMS_MAX)]
    values = [{"text": f"value {at}"} for at in range(3)]
    found = items(
        VAULT, "How do payments retry?", tokenBudget=budget, history=turns, workingMemory=values
    )
    assert len(found["working_memory"]) == 3
    assert [item.text[:6] for item in found["history"][:1]] == ["turn 0"]
    assert found["knowledge"]


def snake(name: str) -> str:
    return "working_memory" if name == "workingMemory" else name
