"""Every key of the configuration has an effect, and the example shows them all."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from clew.engine.reading.indexer import Indexer
from clew.surface.config import ENCODINGS, Config, load
from clew.surface.indexer.publishing import fingerprint
from clew.surface.server.answers.packs.context_cache import CachedPack, CacheKey, new_cache
from clew.text.dates.moment import parse_moment
from clew.text.tokens import ENCODING
from clew.values.errors import ConfigError
from tests.query.context.packs import pack
from tests.vaults import DAY_S, NOW_S, catch_up, snapshot_of

NO_NOTES = np.zeros(0, np.int64)
EXAMPLE = Path(__file__).parent.parent.parent / "config.example.toml"


def keys(table: dict[str, Any]) -> set[str]:
    return {f"{name}.{key}" for name, inner in table.items() for key in inner}


def configured(folder: Path, text: str, notes: dict[str, str]) -> Indexer:
    """Return an indexer of ``notes`` under the configuration ``text``."""
    config = folder / "config.toml"
    config.write_text(text)
    vault = folder / "vault"
    for path, note in notes.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(note)
    indexer = Indexer(load(str(config), must_exist=True).indexer_settings(str(vault)))
    catch_up(indexer)
    return indexer


def test_the_example_is_the_default() -> None:
    config = load(str(EXAMPLE), must_exist=True)
    assert config == Config()


def test_the_example_names_every_key() -> None:
    text = EXAMPLE.read_text().replace("# path", "path").replace("# s", "s")
    example = tomllib.loads(text)
    known = {
        f"{table.name}.{key}"
        for table in msgspec.structs.fields(Config)
        for key in table.default_factory().__struct_encode_fields__
    }
    assert keys(example) == known
    assert len(known) <= 35


def test_ignore_leaves_notes_out(tmp_path: Path) -> None:
    notes = {"a.md": "[[b]]", "drafts/b.md": "[[c]]"}
    indexer = configured(tmp_path, '[vault]\nignore = ["drafts/"]\n', notes)
    assert set(indexer.snapshot.entries) == {"a.md"}
    assert indexer.ignore_rule("drafts/b.md") == "ignore: drafts/"


def test_max_note_bytes_bounds_what_is_read(tmp_path: Path) -> None:
    indexer = configured(tmp_path, "[vault]\nmax_note_bytes = 1024\n", {"a.md": "[[x]]" * 300})
    assert indexer.snapshot.note("a.md").name_only


def test_dates_names_further_keys_of_front_matter(tmp_path: Path) -> None:
    config = '[dates]\ncreated = ["Published-On"]\nmodified = ["revised"]\n'
    note = "---\ncreated: 2020-01-01\npublished on: 2021-01-01\nRevised: 2022-01-01\n---\n"
    snapshot = configured(tmp_path, config, {"a.md": note}).snapshot
    assert snapshot.dates("a.md").created_s == parse_moment("2021-01-01")
    assert snapshot.dates("a.md").changed_s == parse_moment("2022-01-01")


def test_from_chooses_the_sources_of_concepts(tmp_path: Path) -> None:
    indexer = configured(tmp_path, '[concepts]\nfrom = ["embeds"]\n', {"a.md": "[[x]] ![[y]]"})
    assert indexer.snapshot.graph.concepts() == ["y"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[decay]\nfunction = "none"\n', 1.0),
        ('[decay]\nfunction = "exponential"\nhalf_life_days = 16\n', 0.5),
        ('[decay.tiers]\n"*.md" = 40\n', 0.5),
    ],
)
def test_decay_follows_its_keys(tmp_path: Path, text: str, expected: float) -> None:
    note = f"---\nmodified: {int(NOW_S)}\n---\n[[x]]"
    indexer = configured(tmp_path, text, {"a.md": note.replace(str(int(NOW_S)), "2026-01-01")})
    snapshot = indexer.snapshot
    note_id = snapshot.graph.note_id("a.md")
    assert note_id is not None
    now_s = snapshot.dates("a.md").changed_s + 44 * DAY_S
    assert float(snapshot.decay(now_s)[note_id]) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [("debounce_ms", 0), ("sweep_seconds", 0), ("sweep_seconds", '"never"')],
)
def test_the_watch_keys_have_ranges(tmp_path: Path, key: str, value: object) -> None:
    config = tmp_path / "c.toml"
    config.write_text(f"[watch]\n{key} = {value}\n")
    with pytest.raises(Exception, match=key):
        load(str(config), must_exist=True)


@pytest.mark.parametrize("pattern", ["\\\\", "!", "[z-a]"])
def test_a_malformed_pattern_of_private_notes_is_refused(tmp_path: Path, pattern: str) -> None:
    config = tmp_path / "c.toml"
    config.write_text(f'[context]\nprivate = ["diary/", "{pattern}"]\n')
    with pytest.raises(ConfigError, match="not a gitignore pattern"):
        load(str(config), must_exist=True)


def test_private_notes_follow_their_patterns_and_keys(tmp_path: Path) -> None:
    notes = {"diary/a.md": "a", "b.md": "---\nprivate: true\n---\nb", "c.md": "c"}
    indexer = configured(tmp_path, '[context]\nprivate = ["diary/"]\n', notes)
    assert set(indexer.snapshot.lists.private) == {"diary/a.md", "b.md"}


def test_an_encoding_that_is_not_shipped_is_refused(tmp_path: Path) -> None:
    assert ENCODINGS == (ENCODING,)
    config = tmp_path / "config.toml"
    config.write_text('[context]\nencoding = "cl100k_base"\n')
    with pytest.raises(
        ConfigError, match="no ranks for the encoding 'cl100k_base'; it may be o200k"
    ):
        load(str(config), must_exist=True)


def test_cache_entries_bounds_the_packs_that_are_kept() -> None:
    text = pack(snapshot_of({"a.md": "tide"}), "tide")
    kept = new_cache(3)
    for number in range(9):
        kept.put(
            CacheKey(b"%d" % number, 0.0, 0, (), 0), CachedPack(text, NO_NOTES, b"", frozenset())
        )
    assert len(kept) == 3


READS_ALL = """
[vault] ignore = ["a"]
[vault] max_note_bytes = 2000
[vault] dates = "files"
[dates] created = ["when"]
[dates] modified = ["when"]
[concepts] from = ["links"]
[concepts] broad_from = 3
[search] language = "de"
[context] private = ["a"]
[decay] function = "none"
[decay] half_life_days = 3
[decay] tiers = {"a" = 1}
"""
READS_CHANGED = """
[concepts] min_shared = 4
[search] recency = 0.01
[context] allow_private = true
[context] cache_entries = 1
[watch] debounce_ms = 60
"""


@pytest.mark.parametrize(("keys", "reads_all"), [(READS_ALL, True), (READS_CHANGED, False)])
def test_the_keys_after_whose_change_all_notes_are_read_again(
    tmp_path: Path, keys: str, reads_all: bool
) -> None:
    """docs/daemon.md names them; [code] roots needs folders, and is left out here."""
    config = tmp_path / "config.toml"
    page = (EXAMPLE.parent / "docs" / "daemon.md").read_text()
    named = page[page.index("It reads all of them again") :].partition("\n\n")[0]
    kept = fingerprint(Config().indexer_settings("vault"), "1")
    for line in keys.strip().split("\n"):
        table, key, value = line.split(maxsplit=2)
        config.write_text(f"{table}\n{key} {value}\n")
        settings = load(str(config), must_exist=True).indexer_settings("vault")
        assert (fingerprint(settings, "1") != kept) is reads_all, line
        is_named = f"`{key}`" in named or (table in ("[dates]", "[decay]") and table in named)
        assert is_named is reads_all, line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[watch]\nsweep_seconds = 'x'", "`watch.sweep_seconds` is 'x', and may be 'auto' or a"),
        ("[vault]\ndates = 'x'", "`vault.dates` is 'x', and may be 'auto' or 'files'"),
        ("[communities]\nweights = 'x'", "may be 'shared' or 'raw'"),
        ("[concepts]\nfrom = ['x']", "`concepts.from` is 'x', and may be 'links' or "),
    ],
)  # fmt: skip
def test_an_error_says_which_words_a_key_may_have(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(str(tmp_path / "c.toml"), must_exist=True)
    assert message in str(caught.value)


WRONG_KINDS = """
[server] max_clients = "a" | `server.max_clients` must be a whole number, and is text in quotes
[context] private = "diary/" | `context.private` must be a list in [brackets], and is text in quotes
[context] mask_secrets = "no" | `context.mask_secrets` must be true or false, and is text in quotes
[vault] path = 3 | `vault.path` must be text in quotes, and is a whole number
[concepts] broad_from = -1 | `concepts.broad_from` must be a whole number of 0 or more
[search] recency = 2 | `search.recency` must be a number of 1 or less
[search] weights.keyword = -1 | `search.weights[...]` must be a number of 0 or more
[decay] half_life_days = 0 | `decay.half_life_days` must be a number above 0
[embedding] model = "" | `embedding.model` must not be empty
"""


def test_an_error_says_in_words_what_a_value_must_be(tmp_path: Path) -> None:
    config, said = tmp_path / "c.toml", {}
    rows = [line.split(" | ") for line in WRONG_KINDS.strip().split("\n")]
    for text, _ in rows:
        config.write_text(text.replace(" ", "\n", 1))
        with pytest.raises(ConfigError) as caught:
            load(str(config), must_exist=True)
        said[text] = str(caught.value).removeprefix(f"{config}: ")
    assert said == dict(rows)
