"""A pipeline keeps the packs made of its passages; no window depends on those made before."""

from dataclasses import replace

from msgspec import convert

from clew.query.assemble.assembled import assembled
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.gathered import Gathered, gather_given
from clew.query.assemble.pipelines.builtin import built_in
from clew.query.assemble.window import NOTHING_REMEMBERED
from clew.query.slices import finished
from clew.text.counting import TokenParts
from clew.text.tokens import count_tokens
from clew.values.requests import Assemble
from tests.searches import setting, vault
from tests.windows import text_of

NOTES = {
    "Queue.md": "Payments wait in the [[Queue]], and [[Refunds]] in another one.",
    "Jobs.md": "[[Queue]] and [[Refunds]]: a worker takes the jobs.",
    "Refunds.md": "A refund.",
}


def test_kept_packs_do_not_depend_on_what_other_requests_exclude() -> None:
    snapshot = vault(NOTES)
    request = convert({"task": {"text": "the queue"}, "tokenBudget": 900}, Assemble)
    all_notes = finished(gather_given(snapshot, request, [], NOTHING_REMEMBERED, 0.0))
    without_two = replace(all_notes, excluded=("memory://Jobs.md", "memory://Queue.md"))

    def pipeline() -> Contribution:
        return finished(built_in(snapshot, "the queue", 900, (), setting()))

    def text(gathered: Gathered, contribution: Contribution) -> str:
        return assembled(gathered, [contribution], TokenParts(count_tokens)).text

    kept = pipeline()
    for gathered in (without_two, all_notes, without_two):
        assert text(gathered, kept) == text(gathered, pipeline())


def test_a_window_shows_the_part_of_a_passage_that_was_packed() -> None:
    # The name takes more tokens than estimated, so that the whole passage is tried first.
    notes = {f"{'潮汐' * 20}.md": " ".join(f"tide {number}" for number in range(38))}
    text = text_of(vault(notes), "tide", tokenBudget=200)
    assert count_tokens(text) <= 200
    assert "tide 0 tide 1" in text
    assert "tide 37" not in text
    assert "[…]" in text
