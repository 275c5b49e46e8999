"""The entries of a pack: in the order of the notes, and those of one note together."""

import re
from itertools import pairwise

import pytest

from tests.query.context.packs import pack
from tests.vaults import snapshot_of

FILLER = "\n".join(f"nothing of the sort, number {number}\n" for number in range(60))
LONG = f"""---
tags: [sea]
---
# Long

The tide gauge stands on the quay of the harbour.

## Middle

{FILLER}

## Other

{FILLER}

## End

The tide has a gauge, and the gauge has a clock.
"""
SHORT = "---\ntags: [sea]\n---\nA gauge measures the tide at the harbour.\n"


@pytest.mark.parametrize("template", ["default", "detailed", "compact"])
def test_entries_of_one_note_stand_together_with_its_tags_once(template: str) -> None:
    snapshot = snapshot_of({"Long.md": LONG, "a/Short.md": SHORT, "b.md": SHORT.upper()})
    text = pack(snapshot, "tide gauge harbour", template=template, token_budget=700).context
    notes = re.findall(r"memory://([^#]*)#", text)
    assert notes.count("Long.md") == (1 if template == "compact" else 2)
    assert len(list(dict.fromkeys(notes))) == 1 + sum(
        one != other for one, other in pairwise(notes)
    )
    assert text.count("*Tags: sea") == (0 if template == "compact" else len(set(notes)))


def test_what_introduces_two_parts_of_a_list_is_told_once() -> None:
    """A part that is far below would have that line above it once more."""
    items = [f"- Reason {n}: {'the wind was never written down, ' * 9}" for n in range(14)]
    items[0] += "so the gauge stopped."
    items[-1] += "so the gauge was late."
    text = "# Reasons\n\nThe gauge has failed for these reasons:\n\n" + "\n".join(items)
    snapshot = snapshot_of({"Reasons.md": text})
    found = pack(snapshot, "gauge stopped late", token_budget=500).context
    assert "so the gauge stopped." in found
    assert "so the gauge was late." in found
    assert "- Reason 6" not in found
    assert found.count("these reasons:") == 1
    assert found.count("memory://") == 1


def test_what_introduces_two_parts_is_told_once_though_text_stands_between() -> None:
    """The middle of a long item has no line above it, so it is no neighbour of the first part."""
    fill, more = ("the wind was never written down here. " * count for count in (35, 30))
    items = [
        f"so the gauge stopped once. {fill}",
        f"{more}The clock drifted away for the gauge. {more}",
        fill,
        f"so the harbour was late. {fill}",
    ]
    text = "# Reasons\n\nThe gauge has failed for these reasons:\n\n- " + "\n- ".join(items)
    query = "gauge stopped clock drifted harbour late"
    found = pack(snapshot_of({"Reasons.md": text}), query, token_budget=400).context
    assert all(said in found for said in ("stopped once", "drifted away", "harbour was late"))
    assert found.count("these reasons:") == found.count("memory://") == 1
