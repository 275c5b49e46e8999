"""Notes named by a common word: where many texts have the word, none mentions the note."""

import pytest
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.mentions.rarity import WORD_PASSAGES_MAX
from clew.engine.snapshot import Snapshot
from clew.values.vault import Batch
from tests.searches import SEARCH, ask, paths, setting
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note

COMMON = ["Notes", "Home", "May"]
PLAIN = setting(has_model=False)


def mentioning(engine: Engine, path: str) -> set[str]:
    """Return the notes that mention the note at ``path`` without a link."""
    snapshot = engine.snapshot
    ids = snapshot.mentions.mentioning(snapshot.graph.note_ids[path])
    return set(map(snapshot.graph.path, ids))


def said(name: str, count: int) -> dict[str, str]:
    return {f"{n}.md": f"The {n}th day, and {name.lower()} it was.\n" for n in range(count)}


@pytest.mark.parametrize("name", COMMON)
def test_a_word_of_too_many_passages_is_no_mention(name: str) -> None:
    """The note's own name and a link are passages with the word too."""
    path, texts = f"{name}.md", said(name, WORD_PASSAGES_MAX - 1)
    engine = engine_of({path: "This and that.\n", **texts, "linked.md": f"See [[{name}]].\n"})
    assert mentioning(engine, path) == set()
    engine.apply(Batch(dropped=("0.md",)))
    assert mentioning(engine, path) == texts.keys() - {"0.md"}
    engine.apply(Batch(put=(read_note("0.md", texts["0.md"]),)))
    assert mentioning(engine, path) == set()


@pytest.mark.parametrize("name", COMMON)
def test_a_longer_name_is_found_though_its_first_word_is_common(name: str) -> None:
    path, texts = f"{name} queen.md", said(name, 2 * WORD_PASSAGES_MAX)
    texts["play.md"] = f"She was our {name.lower()} queen.\n"
    engine = engine_of({path: "A play.\n", f"{name}.md": "", **texts})
    assert mentioning(engine, path) == {"play.md"}
    assert mentioning(engine, f"{name}.md") == set()


def vault_with(name: str, count: int) -> Snapshot:
    """Return a vault in which ``count`` notes say the word, and one of them something of it."""
    texts = said(name, count)
    texts["relay.md"] = f"The relay of the {name.lower()} boiler clicks at night.\n"
    return engine_of({f"{name}.md": "[[1]] [[2]]\n", "boiler.md": "A boiler.\n", **texts}).snapshot


@for_each_row("name", COMMON)
@for_each_row("count", [3, 2 * WORD_PASSAGES_MAX])
def test_a_question_with_the_word_is_answered_by_its_other_words(name: str, count: int) -> None:
    """Also in a small vault, where the word is rare enough to be a mention."""
    snapshot = vault_with(name, count)
    for mode in ("hybrid", "graph"):
        request = replace(SEARCH, mode=mode)
        query = f"the relay of the {name.lower()} boiler"
        assert paths(ask(snapshot, query, request, given=PLAIN))[0] == "relay.md"


def test_a_month_is_no_note_of_that_name() -> None:
    days = {f"2025-05-0{n}.md": "We may have walked home, and took notes.\n" for n in range(1, 6)}
    snapshot = engine_of({"May.md": "A friend.\n", **days, "2025-06-01.md": "Rain.\n"}).snapshot
    found = paths(ask(snapshot, "what did I do in May 2025", given=PLAIN))
    assert set(found) == days.keys()
