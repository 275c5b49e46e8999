"""A first index finds the mentions at its end, wherever it was interrupted."""

import pytest

from clew.engine.reading.indexer import Indexer
from clew.values.vault import Batch
from tests.indexed import Vault, read_in_portions
from tests.stored import stored

NOTES = {
    "Grey wolf.md": "no fox here",
    "a.md": "a grey wolf, and [[Red fox]]",
    "b.md": "the red fox and a grey wolf",
    "z/Red fox.md": "---\naliases: [Reynard]\n---\nno wolf here",
    "z/y.md": "reynard",
}
MENTIONS = {"a.md": ["Grey wolf.md"], "b.md": ["Grey wolf.md", "z/Red fox.md"]}
STEPS = 14  # of the whole round, about: a pair for each note, portions and searches


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_portions(monkeypatch, 4)


def mentions_of(vault: Vault) -> dict[str, list[str]]:
    snapshot = vault.indexer.snapshot
    path, ids = snapshot.graph.path, snapshot.graph.note_ids
    found = {each: sorted(map(path, snapshot.mentions.mentioned_by(ids[each]))) for each in ids}
    return {each: mentioned for each, mentioned in found.items() if mentioned}


@pytest.mark.parametrize("stop", range(STEPS))
def test_a_first_index_that_is_killed_has_all_mentions_in_the_end(vault: Vault, stop: int) -> None:
    for path, text in NOTES.items():
        vault.write(path, text)
    file, log = stored(vault.indexer.engine.indexes), list[Batch]()
    for number, step in enumerate(vault.steps_of_round()):
        if number == stop:
            break
        if step.read:
            is_first = vault.indexer.engine.indexes.is_first
            log.append(Batch(step.read, words=step.words, puts_mentions_off=is_first))
        if step.is_portion:
            file, log = stored(vault.indexer.engine.indexes), []
    vault.indexer = Indexer(vault.settings)
    vault.indexer.load(file)
    vault.indexer.restore(log)
    assert mentions_of(vault) == {}
    assert not vault.look().is_nothing
    assert mentions_of(vault) == {**MENTIONS, "z/y.md": ["z/Red fox.md"]}
    vault.assert_as_read_anew()
    assert vault.look().is_nothing


def test_portions_of_a_later_round_do_not_put_mentions_off(vault: Vault) -> None:
    vault.write("Grey wolf.md", "text")
    vault.write("z.md", "a grey wolf")
    vault.look()
    for number in range(4):
        vault.write(f"{number}.md", "a grey wolf")
    steps = vault.steps()
    assert sum(step.is_portion for step in steps) == 2
    assert not any(step.is_search for step in steps)
    notes = ("0.md", "1.md", "2.md", "3.md", "z.md")
    assert mentions_of(vault) == {path: ["Grey wolf.md"] for path in notes}
