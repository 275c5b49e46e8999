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
