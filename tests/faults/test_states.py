"""After any damage to the state on disk, the next start indexes the present vault."""

import os
import random
import shutil
from pathlib import Path

import pytest

from clew.engine.dump import dump
from clew.engine.persist.generation_files import FORMAT
from clew.engine.persist.index_file import serialize
from clew.engine.persist.store import Store
from clew.engine.reading.code_roots import CodeRoots, code_roots, everything_read
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import drained
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.saving import Saving
from clew.values.vault import Batch
from tests.damage import DAMAGES
from tests.faults import LONG
from tests.faults.vaults import vault_of
from tests.vaults import LATER, catch_up

STATES = 10_000 if LONG else 150
NOTES = 25
FILES = 5  # of code
BLOCK = "\n```python\ndef block_{0}(): load_{0}()\n```\n"


def saving_in(state: Path) -> Saving:
    return Saving(Store(str(state), "these settings"))


def read_code(indexer: Indexer, roots: CodeRoots) -> list[Batch]:
    """Read what changed in the folders of code; return the batches, which are applied."""
    batches = list(everything_read(roots, indexer.engine.indexes, LATER))
    for batch in batches:
        indexer.engine.apply(batch)
    return batches


def come_back(state: Path, settings: IndexerSettings) -> tuple[Indexer, bool]:
    """Return the index after a start and a walk, and whether the saved state was used."""
    saved = saving_in(state).load()
    indexer, roots = Indexer(settings), code_roots(settings)
    if saved is not None:
        if saved.file is not None:
            indexer.load(saved.file)
        indexer.restore(saved.log)
    catch_up(indexer)
    roots.restore(dict(indexer.engine.indexes.code.stamps))
    read_code(indexer, roots)
    return indexer, saved is not None


def change(vault: Path, app: Path, chance: random.Random) -> None:
    """Save some notes and a file of code, remove one of each, add a note."""
    for _ in range(3):
        number = chance.randrange(NOTES)
        block = BLOCK.format(chance.randrange(FILES)) if chance.random() < 0.5 else ""
        (vault / f"{number}.md").write_text(
            f"[[a]] [[{chance.randrange(NOTES)}]] {chance.random()}{block}"
        )
    (vault / f"{chance.randrange(NOTES)}.md").unlink(missing_ok=True)
    (vault / f"new {chance.randrange(9)}.md").write_text(
        "---\naliases: [b, c d]\n---\n[[3|x]] ![[p]]"
    )
    one, other = chance.sample(range(FILES), 2)
    (app / f"{one}.py").write_text(f"def load_{one}(): ...\ndef go(): load_{other}()\n")
    (app / f"{other}.py").unlink(missing_ok=True)


def make_state(state: Path, vault: Path, app: Path, settings: IndexerSettings) -> None:
    """Make two generations with their logs, as a daemon leaves them that was killed in a save."""
    chance = random.Random(1)
    indexer, roots = Indexer(settings), code_roots(settings)
    catch_up(indexer)
    read_code(indexer, roots)
    saving = saving_in(state)
    saving.load()
    for generation in range(2):
        saving.save(serialize(indexer.engine.indexes))
        for _ in range(4):
            change(vault, app, chance)
            absorbed = drained(indexer.absorb(indexer.look(LATER), LATER))
            for batch in (absorbed.batch, *read_code(indexer, roots)):
                saving.log(batch)
        if generation == 0:
            shutil.copytree(state / f"v{FORMAT}", state / "kept")
    shutil.copytree(state / "kept", state / f"v{FORMAT}", dirs_exist_ok=True)
    shutil.rmtree(state / "kept")


@pytest.mark.timeout(1_500)
def test_a_damaged_state_only_costs_time(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "vault", {f"{n}.md": f"[[{n + 1}]] [[a]]" for n in range(NOTES)})
    app = vault_of(tmp_path / "app", {f"{n}.py": f"def load_{n}(): ..." for n in range(FILES)})
    settings = IndexerSettings(str(vault), code_roots=(str(app),))
    state, good = tmp_path / "index", tmp_path / "good"
    make_state(state, vault, app, settings)
    state.rename(good)
    change(vault, app, random.Random(2))
    anew = read_anew(settings)
    truth = dump(anew)
    assert {path.startswith("app/") for path in anew.code.files} == {True, False}
    used = 0
    for seed in range(STATES):
        chance = random.Random(seed)
        shutil.copytree(good, state)
        for damage in chance.choices(DAMAGES, k=chance.randint(1, 3)):
            damage(state / f"v{FORMAT}", chance)
        indexer, was_used = come_back(state, settings)
        assert dump(indexer.snapshot) == truth, seed
        used += was_used
        shutil.rmtree(state)
    assert 0 < used < STATES


def test_a_state_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "vault", {"a.md": "[[b]]"})
    settings = IndexerSettings(str(vault))
    newer = vault_of(tmp_path / "index" / f"v{FORMAT + 1}", {"gen-00000009/manifest.json": "?"})

    def described() -> dict[Path, tuple[int, int, int]]:
        stats = {path: path.stat() for path in newer.rglob("*")}  # reading changes the last access
        return {path: (each.st_ino, each.st_size, each.st_mtime_ns) for path, each in stats.items()}

    before = described()
    indexer, was_used = come_back(tmp_path / "index", settings)
    saving = saving_in(tmp_path / "index")
    saving.load()
    saving.save(serialize(indexer.engine.indexes))
    assert not was_used
    assert saving.failure is None
    assert described() == before
    assert os.listdir(tmp_path / "index" / f"v{FORMAT}")
