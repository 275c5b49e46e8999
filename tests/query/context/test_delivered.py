"""A session is not told twice: what it has is a line that points to it, until it changes."""

from collections.abc import Set as AbstractSet

import pytest
from msgspec import UNSET

from clew.engine.snapshot import Snapshot
from clew.query.context.gather import gather
from clew.query.context.pack import packed
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values.requests import Context
from clew.values.search_replies import ContextReply
from tests.searches import setting
from tests.vaults import snapshot_of

NOTES = {
    "a.md": "# A\n\ntides come in twice a day\n\nthe moon draws the tides\n",
    "b.md": "gauges measure tides by a float in a pipe\n",
    "c.md": "nothing of the sea\n",
}


def told(
    snapshot: Snapshot, delivered: AbstractSet[bytes] = frozenset(), budget: int = 4_000
) -> tuple[ContextReply, frozenset[bytes]]:
    request = Context(query="tides", token_budget=budget, include_evidence=True, session_id="s")
    material = finished(gather(snapshot, request, setting(has_model=False), delivered))
    return packed(material, count_tokens)


def test_what_was_delivered_is_pointed_to_until_it_changes() -> None:
    _, first = told(snapshot_of(NOTES))
    reply, second = told(snapshot_of(NOTES), first)
    assert not second
    assert "## Already Delivered\n- " in reply.context
    assert reply.context.count("`memory://") == reply.metadata.delivered_count == 2
    assert "twice a day" not in reply.context
    assert reply.evidence is not UNSET
    assert {row.exclusion_reason for row in reply.evidence if row.source == "rag"} == {"delivered"}
    changed = NOTES | {
        "a.md": NOTES["a.md"].replace("day", "lunar day").replace("# A", "new\n\n# A")
    }
    later, third = told(snapshot_of(changed), first)
    assert "twice a lunar day" in later.context
    assert "the moon draws" not in later.context  # it only moved
    assert "by a float" not in later.context
    assert len(third) == 2


def test_a_copy_of_what_was_delivered_is_no_news() -> None:
    long = "the tide gauge measures the height of the water above a mark on the tides of the quay"
    _, first = told(snapshot_of({"b.md": long}))
    reply, _ = told(snapshot_of({"a.md": long, "b.md": long}), first)
    assert reply.evidence is not UNSET
    reasons = {row.memory.uri: row.exclusion_reason for row in reply.evidence if row.memory}
    assert reasons == {"memory://a.md": "duplicate", "memory://b.md": "delivered"}


@pytest.mark.parametrize("budget", [100, 150, 512])
def test_pointers_fit_the_budget(budget: int) -> None:
    notes = {f"{'long name ' * 9}{n}.md": f"tides of number {n} {n * 'x'}" for n in range(30)}
    snapshot = snapshot_of(notes)
    _, first = told(snapshot, budget=20_000)
    assert len(first) == 30
    reply, _ = told(snapshot, first, budget)
    assert count_tokens(reply.context) == reply.metadata.total_tokens <= budget
    assert reply.metadata.delivered_count == 30


def test_ten_of_the_delivered_passages_are_pointed_to() -> None:
    snapshot = snapshot_of({f"{n:02}.md": f"tides of number {n}" for n in range(12)})
    _, first = told(snapshot)
    reply, _ = told(snapshot, first)
    assert reply.metadata.delivered_count == 12
    assert reply.context.count("`memory://") == 10
