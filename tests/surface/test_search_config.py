"""Every key of ``[search]`` has an effect, and an invalid key or value is an error."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.search.search_config import SearchConfig
from clew.surface.config import Config, load
from clew.values.errors import ConfigError
from clew.values.requests import Search
from clew.values.vault import Batch
from tests.daemons import daemon
from tests.searches import SEARCH, ask, paths, setting
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

KEYWORD = replace(SEARCH, mode="keyword", fuzzy=False)


def config_of(folder: Path, text: str) -> Config:
    path = folder / "config.toml"
    path.write_text(text)
    return load(str(path), must_exist=True)


def found(snapshot: Snapshot, query: str, config: Config, request: Search = SEARCH) -> list[str]:
    given = setting(config=config.search_config(), has_model=False)
    return paths(ask(snapshot, query, request, given=given))


@pytest.mark.parametrize(
    ("language", "note", "query", "is_found"),
    [
        ("en", "the tides", "tide", True),
        ("none", "the tides", "tide", False),
        ("de", "die Häuser", "Haus", True),
        ("en", "die Häuser", "Haus", False),
        ("es", "los puertos", "puerto", True),
        ("en", "the", "the", None),
        ("de", "the", "the", True),
        ("de", "книги", "книга", True),
    ],
)
def test_language_selects_the_stemmer(
    tmp_path: Path, language: str, note: str, query: str, is_found: bool | None
) -> None:
    config = config_of(tmp_path, f'[search]\nlanguage = "{language}"\n')
    settings = config.indexer_settings("v").engine
    snapshot = engine_of({"n.md": note, "x.md": "x"}, settings=settings).snapshot
    if is_found is None:
        with pytest.raises(Exception, match="stop words"):
            found(snapshot, query, config, KEYWORD)
        return
    # A later tier might find it as a substring; this tier finds it only by its stem.
    reply = ask(snapshot, query, KEYWORD, given=setting(has_model=False))
    assert (reply.search_metrics.tier == "bm25" and bool(reply.results)) is is_found


def test_weights_change_the_score_of_a_leg(tmp_path: Path) -> None:
    snapshot = engine_of(
        {"word.md": "tide tide", "named.md": "[[Tide]]", "far.md": "[[Tide]] [[Ebb]]"}
    ).snapshot
    plain = config_of(tmp_path, "")
    assert set(found(snapshot, "tide", plain)) == {"word.md", "named.md", "far.md"}
    words = config_of(tmp_path, "[search.weights]\ngraph = 0\n")
    assert words.search_config().weights == {**SearchConfig().weights, "graph": 0.0}
    assert found(snapshot, "tide", words)[0] == "word.md"
    links = config_of(tmp_path, "[search]\nweights = {keyword = 0.0, graph = 5}\n")
    assert found(snapshot, "tide", links)[0] == "named.md"


def test_recency_changes_the_effect_of_age(tmp_path: Path) -> None:
    engine = engine_of({"new.md": "a tide of words and words"})
    engine.apply(Batch(put=(read_note("old.md", "tide", NOW_S - 3_000 * DAY_S),)))
    for recency, first in ((0, "old.md"), (1, "new.md")):
        config = config_of(tmp_path, f"[search]\nrecency = {recency}\n")
        assert found(engine.snapshot, "tide", config, KEYWORD)[0] == first


def test_sources_change_the_score_of_a_source(tmp_path: Path) -> None:
    snapshot = engine_of({"a/n.md": "tide", "b/n.md": "tide"}).snapshot
    additive = replace(KEYWORD, ranking="additive")
    for folder, first in (("a", "a/n.md"), ("b", "b/n.md")):
        config = config_of(tmp_path, f"[search.sources]\n{folder} = 0.1\n")
        assert found(snapshot, "tide", config, additive)[0] == first


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[search]\nlanguage = "xx"\n', "no stemmer for the language 'xx'; it may be auto, ca, cs"),
        ('[search]\nlanguage = "English"\n', "no stemmer"),
        ("[search]\nlanguage = 7\n", "search.language"),
        ("[search]\nlimit = 5\n", "limit"),
        ("[search.weights]\nwords = 1\n", "no leg 'words'; the legs are keyword, semantic"),
        ("[search.weights]\nkeyword = -1\n", "search.weights"),
        ("[search.weights]\nkeyword = 101\n", "search.weights"),
        ("[search.weights]\nkeyword = nan\n", "search.weights"),
        ("[search]\nrecency = 1.5\n", "search.recency"),
        ("[search]\nrecency = nan\n", "search.recency"),
        ("[search.sources]\ndaily = 0.2\n", "search.sources"),
        ('[embedding]\nmodel = ""\n', "embedding.model"),
        ("[embedding]\ndimensions = 3\n", "dimensions"),
    ],
)
def test_an_invalid_setting_is_an_error_that_names_the_file(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        config_of(tmp_path, text)
    assert complaint in str(caught.value)
    assert str(tmp_path / "config.toml") in str(caught.value)


@pytest.mark.slow
def test_a_daemon_uses_its_settings(tmp_path: Path) -> None:
    """This holds for language, weights and sources; another language requires a new index."""
    vault = tmp_path / "v"
    (vault / "daily").mkdir(parents=True)
    (vault / "n.md").write_text("die Häuser am Hafen\n")
    (vault / "daily" / "n.md").write_text("das Haus am Hafen\n")
    config = tmp_path / "config.toml"
    for language, count in (("de", 2), ("none", 1)):
        config.write_text(
            f'[search]\nlanguage = "{language}"\nweights = {{semantic = 0, graph = 0}}\n'
            "sources = {daily = 0.1}\n"
        )
        with daemon(tmp_path / "h", vault, "--config", str(config)) as running:
            reply = running.ask("search", query="haus", ranking="additive", mode="keyword")
            assert reply["total"] == count
            assert reply["results"][0]["uri"] == "memory://daily/n.md"
            assert reply["results"][0]["breakdown"]["source"] == 0.1
            assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
