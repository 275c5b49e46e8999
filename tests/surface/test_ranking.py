"""Rank in a daemon: names are read on a thread, despite cancelled requests and changes."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest

from clew.engine.derived.symbols import NO_NAME, Symbols
from clew.engine.snapshot import Snapshot
from clew.surface.server.answers import symbol_names
from clew.surface.server.answers.symbol_names import SharedSymbolNames
from clew.text.tokens import count_tokens
from clew.values.vault import Batch
from tests.daemons import Daemon, copy_sample, daemon
from tests.vaults import engine_of, read_note


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("ranking")
    with daemon(home, copy_sample(home / "vault")) as started:
        yield started


def test_a_map_of_the_vault_fits_its_budget(running: Daemon) -> None:
    reply = running.ask("rank", query="clock drift", tokenBudget=150)
    lines = [
        f"- {row['name']} ({row['kind']})" + (f" {row['file']}" if row["file"] else "") + "\n"
        for row in reply["results"]
    ]
    assert count_tokens("".join(lines)) == reply["totalTokens"] <= 150
    assert reply["results"][0]["symbolId"] == "concept://clock-drift"
    assert reply["searchMetrics"]["tookMs"] > 0
    assert reply["_meta"]["truncated"]


def test_a_new_heading_is_found_at_once(running: Daemon) -> None:
    running.ask("rank", query="clock drift")
    (running.vault / "new.md").write_text("# New\n\n## Zephyranthes\n")
    reply = running.ask("rank", query="zephyranthes", waitFresh=True)
    assert ["heading", "Zephyranthes"] in [[r["kind"], r["name"]] for r in reply["results"]]


def test_a_misspelt_word_is_corrected(running: Daemon) -> None:
    reply = running.ask("rank", query="barometr")
    assert reply["fuzzyCorrection"]["to"] == "barometer"


# -- reading names ------------------------------------------------------------------------------


def vault(number: int) -> Snapshot:
    return engine_of({f"{n}.md": f"# {n}\n## h{n}\n[[c{n}]]" for n in range(number)}).snapshot


def has_all(symbols: Symbols, snapshot: Snapshot) -> bool:
    """Return whether each note and each concept of the snapshot has a name among ``symbols``."""
    concepts = np.count_nonzero(symbols.name_by_concept != NO_NAME)
    return len(symbols.title_by_note) == len(snapshot.entries) == concepts


@pytest.mark.parametrize("number", [3, 200])
def test_all_names_are_read_for_any_number_of_requests(number: int) -> None:
    snapshot, learning = vault(number), SharedSymbolNames("english")

    async def ask() -> bool:
        found, symbols = await learning.symbols(lambda: snapshot)
        return found is snapshot and has_all(symbols, snapshot)

    async def run() -> list[bool]:
        return list(await asyncio.gather(ask(), ask(), ask()))

    assert asyncio.run(run()) == [True, True, True]


def test_a_cancelled_request_neither_stops_nor_splits_the_reading_of_names() -> None:
    snapshot, learning = vault(300), SharedSymbolNames("english")

    async def run() -> bool:
        first = asyncio.create_task(learning.symbols(lambda: snapshot))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        assert first.cancelled()
        _, symbols = await learning.symbols(lambda: snapshot)
        return has_all(symbols, snapshot)

    assert asyncio.run(run())


def test_rank_is_answered_while_the_vault_keeps_changing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(symbol_names, "LEARNED_AT_ONCE", 0)
    engine, learning = engine_of({}), SharedSymbolNames("english")
    asked = []

    def changed() -> Snapshot:
        asked.append(1)
        engine.apply(Batch(put=(read_note("a.md", f"# {len(asked)}\n[[x]]"),)))
        return engine.snapshot

    snapshot, symbols = asyncio.run(learning.symbols(changed))
    assert snapshot is engine.snapshot
    assert has_all(symbols, snapshot)
    assert len(asked) == symbol_names.TRIES_MAX + 1
