"""Which notes replace which follows from the notes alone, whatever was changed before.

So the index of public notes knows nothing of private ones.
"""

import random

import pytest

from clew.engine.apply import Engine
from clew.engine.persist.index_file import read_indexes
from clew.engine.private.two_views import TwoViews
from clew.engine.settings import ConceptSource, EngineSettings
from clew.engine.snapshot import Snapshot
from clew.values.vault import Batch, ReadNote
from tests.examples import IS_LONG
from tests.stored import stored
from tests.vaults import read_note

pytestmark = pytest.mark.slow

PATHS = ["a.md", "b.md", "x/a.md", "x/A b.md", "y/a_b.md", "y/b.markdown", "c d.md"]
TARGETS = [
    "a",
    "[[b]]",
    "x/a",
    "A b.md",
    "./a",
    "../b",
    "c d",
    "nick",
    "gone",
    "p.png",
    "templates/a",
]
OTHERS = ["p.png", "templates/a.md", "x/c d.md"]


def text(chance: random.Random) -> str:
    lines = [f"aliases: [{chance.choice(['nick', 'a', 'other'])}]"] * (chance.random() < 0.3)
    for key in ("superseded_by", "supersedes"):
        if chance.random() < 0.5:
            targets = chance.sample(TARGETS, chance.choice([1, 1, 2]))
            lines.append(f"{key}: [{', '.join(repr(each) for each in targets)}]")
    lines += ["private: true"] * (chance.random() < 0.2)
    return "---\n" + "".join(f"{line}\n" for line in lines) + "---\nx\n"


def said(snapshot: Snapshot) -> object:
    """Return all that is known of superseded notes."""
    index = snapshot.successors
    problems = [each for each in snapshot.problems() if each.code.startswith("superseded")]
    return {path: index.successors(path) for path in sorted(index.replaced)}, problems


def rebuilt(settings: EngineSettings, notes: list[ReadNote], others: set[str]) -> object:
    engine = Engine(settings)
    engine.apply(Batch(put=tuple(notes), others_put=tuple(sorted(others))))
    return said(engine.snapshot)


@pytest.mark.parametrize("sources", [frozenset(ConceptSource), frozenset({ConceptSource.LINKS})])
@pytest.mark.parametrize("seed", range(300 if IS_LONG else 12))
def test_after_any_changes_it_equals_a_rebuild(
    seed: int, sources: frozenset[ConceptSource]
) -> None:
    chance, settings = random.Random(seed), EngineSettings(sources=sources)
    views, notes, others = TwoViews(settings), dict[str, ReadNote](), set[str]()
    for _ in range(25):
        kind = chance.random()
        if kind < 0.6:
            put = tuple(read_note(path, text(chance)) for path in chance.sample(PATHS, 2))
            gone = tuple(path for path in chance.sample(PATHS, 1) if path in notes)
            gone = tuple(path for path in gone if path not in {read.note.path for read in put})
            views.apply(Batch(put=put, dropped=gone))
            notes.update({read.note.path: read for read in put})
            for path in gone:
                del notes[path]
        elif kind < 0.8:
            path = chance.choice(PATHS)
            views.apply(Batch(dropped=(path,)))
            notes.pop(path, None)
        elif kind < 0.9:
            other = chance.choice(OTHERS)
            dropped = (other,) if other in others else ()
            views.apply(Batch(others_dropped=dropped, others_put=() if dropped else (other,)))
            others ^= {other}
        else:
            file = stored(views.whole.indexes)
            assert said(views.whole.snapshot) == said_of_file(file, settings)
            later = TwoViews(settings, views.whole.dates.events)
            later.adopt(file)
            later.continue_from(views, is_new=True)
            views = later
        assert said(views.whole.snapshot) == rebuilt(settings, list(notes.values()), others)
        public = [read for read in notes.values() if not read.note.fields.private]
        assert said(views.public.snapshot) == rebuilt(settings, public, others)


def said_of_file(file: memoryview, settings: EngineSettings) -> object:
    engine = Engine(settings)
    engine.adopt(read_indexes(file, settings))
    return said(engine.snapshot)
