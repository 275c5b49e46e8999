"""A pack counts only what it shows besides the lines of notes, whose counts are stored."""

import pytest
from msgspec import convert

from clew.query.context.gather import gather
from clew.query.context.pack import packed
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values.requests import Context
from tests.searches import setting, vault

LINES = [f"On day {number} the tide reached the gauge of pier {number}" for number in range(30)]


@pytest.mark.parametrize("template", ["default", "compact"])
@pytest.mark.parametrize("budget", [150, 2_000])
def test_lines_of_notes_are_not_counted(template: str, budget: int) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    fields = {"query": "tide gauge", "template": template, "tokenBudget": budget}
    notes = {"Tide.md": "# Tide\n\n" + ".\n".join(LINES)}
    reply, _ = packed(finished(gather(vault(notes), convert(fields, Context), setting())), count)
    assert LINES[3] in reply.context
    assert not [line for line in LINES for text in counted if line in text]
    assert reply.metadata.total_tokens == count_tokens(reply.context)
