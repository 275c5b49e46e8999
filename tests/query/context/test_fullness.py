"""A pack with room left leaves out nothing that would fit, whatever its labels take."""

import pytest

from clew.query.context import candidates, passages
from clew.query.context.passages import newest_passages
from clew.query.slices import finished
from tests.query.context.packs import pack
from tests.vaults import snapshot_of

WORDS = ("tide", "gauge", "clock", "drift", "harbour", "surge", "moon", "storm", "pier", "quay")


def test_a_long_heading_takes_no_more_room_than_its_label() -> None:
    long = "the tide comes in " * 300
    vault = {"Long.md": f"{long}\n---\nthe gauge drifts\n", "Short.md": "tide gauge " * 100}
    assert pack(snapshot_of(vault), "tide gauge", token_budget=512).metadata.total_tokens > 400


@pytest.mark.parametrize("template", ["default", "compact", "detailed"])
def test_a_pack_is_full_though_labels_take_more_than_foreseen(
    monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    monkeypatch.setattr(candidates, "_label_tokens", lambda *_: 0)
    vault = {
        f"{first} {second} {number}.md": "\n\n".join(
            f"The {first} of the {WORDS[(number + line) % 10]} and {'a long ' * line}{second}."
            for line in range(number % 7 + 1)
        )
        for number, (first, second) in enumerate((a, b) for a in WORDS for b in WORDS)
    }
    snapshot = snapshot_of(vault)
    for budget in range(512, 1_500, 41):
        query = "tide gauge drift"  # no note says all of it, so none is faint beside another
        metadata = pack(snapshot, query, token_budget=budget, template=template).metadata
        assert metadata.dropped_count > 0
        assert 0.9 * budget <= metadata.total_tokens <= budget


def test_a_list_of_notes_goes_on_with_the_rest_of_them() -> None:
    vault = {
        f"Note {number}.md": "#log\n\n"
        + "\n\n".join(f"Part {part} of {number}. {'It went well. ' * 9}" for part in range(20))
        for number in range(3)
    }
    snapshot = snapshot_of(vault)
    for budget in (512, 700, 900):
        reply = pack(snapshot, "tag:log", token_budget=budget)
        assert 0.85 * budget <= reply.metadata.total_tokens <= budget
        assert all(f"Part 0 of {number}." in reply.context for number in range(3))
    assert pack(snapshot, "tag:log", token_budget=5_000).context.count("Part 19 of") == 3


def test_the_rest_of_a_long_list_of_notes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "PASSAGES_MAX", 3)
    text = "\n\n".join(f"Part {part}. {'It went well. ' * 60}" for part in range(8))
    snapshot = snapshot_of({f"{number}.md": text for number in range(5)})
    notes = sorted(snapshot.graph.note_ids.values())
    found = finished(newest_passages(snapshot, notes, 1_000_000, has_details=False))
    assert [passage.part for passage in found] == [1] * 5
