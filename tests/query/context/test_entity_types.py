"""The type of a concept in evidence, by that of the note that it is."""

import pytest

from clew.query.context.insights import insights
from clew.query.slices import finished
from tests.vaults import NOW_S, snapshot_of

SNAPSHOT = snapshot_of(
    {
        "Ada.md": "---\ntype: person\n---\nShe wrote of the [[Engine]].\n",
        "Engine.md": "By [[Ada]], with [[Brass]].\n",
        "Log.md": "[[Ada]] and [[Engine]] and [[Brass]]\n",
    }
)


@pytest.mark.parametrize(
    ("name", "expected"), [("Ada", "PERSON"), ("Engine", "CONCEPT"), ("Brass", "CONCEPT")]
)
def test_a_concept_has_the_type_of_its_note(name: str, expected: str) -> None:
    found = finished(insights(SNAPSHOT, name, NOW_S, {"person": "PERSON"}))
    assert [each.entity_type for each in found] == [expected]
    assert {each.entity_type for each in finished(insights(SNAPSHOT, name, NOW_S))} == {"CONCEPT"}
