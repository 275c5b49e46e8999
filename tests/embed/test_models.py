"""Opening models from the package, a folder and the hub's cache; errors; no network."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model2vec import StaticModel
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

import clew
from clew.embed import models
from clew.embed.models import fingerprint, open_model, token_vectors
from clew.values.errors import ModelUnavailable
from tests.tables import for_each_row

BUILTIN = Path(clew.__file__).parent / "data" / "builtin"
FILES = ["model.safetensors", "tokenizer.json", "config.json"]
WORDS = ["[UNK]", "tide", "gauge", "clock"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "small"
    tokenizer = Tokenizer(WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    StaticModel(np.eye(4, dtype=np.float32), tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "small"))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the test fail at every use of the network."""

    def reach(*_: object, **__: object) -> None:
        pytest.fail("a network was looked for")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, reach)


def refused(name: str | Path, hub: str | None = None) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        open_model(str(name), hub)
    assert caught.value.hint
    return caught.value


def test_the_builtin_model_opens() -> None:
    found = open_model("builtin").encode(["the tide is high", "ebb and flood", "a tax form"])
    tide, ebb, tax = found.rows * found.scales[:, None]
    assert tide @ ebb > 0.2 + tide @ tax


def test_the_fingerprint_of_the_builtin_model_is_that_of_its_files() -> None:
    found = fingerprint([(BUILTIN / file).read_bytes() for file in FILES])
    assert open_model("builtin").fingerprint == found


def test_the_builtin_model_imports_no_downloader() -> None:
    words = "import sys; from clew.embed.models import open_model; open_model('builtin');"
    words += "print({'model2vec', 'huggingface_hub', 'ssl'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", words], check=True, capture_output=True, text=True)
    assert said.stdout == "set()\n"


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("damage", ["missing", "empty", "longer", "changed"])
def test_a_damaged_package_is_an_error_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, damage: str
) -> None:
    damaged = Path(shutil.copytree(BUILTIN, tmp_path / "builtin")) / file
    content = damaged.read_bytes()
    others = {"empty": b"", "longer": content + b"\n", "changed": content[:-1] + b"~"}
    damaged.unlink()
    if damage in others:
        damaged.write_bytes(others[damage])
    monkeypatch.setattr(models, "_BUILTIN_FOLDER", str(damaged.parent))
    assert "install" in refused("builtin").hint


def test_a_folder_opens_as_model2vec_saved_it(folder: Path) -> None:
    encoder = open_model(str(folder))
    assert encoder.dimensions == 4
    found = encoder.encode(["gauge", "tide clock", "ebb"])
    assert found.rows.tolist() == [[0, 0, 127, 0], [0, 127, 0, 127], [0] * 4]


@pytest.mark.parametrize("file", FILES)
def test_a_change_of_any_file_changes_the_fingerprint(folder: Path, file: str) -> None:
    before = open_model(str(folder)).fingerprint
    if file.endswith(".json"):
        (folder / file).write_text((folder / file).read_text() + "\n")
    else:
        save_file({"embeddings": -np.eye(4, dtype=np.float32)}, folder / file)
    assert open_model(str(folder)).fingerprint != before


def test_moving_bytes_to_the_next_file_changes_the_fingerprint() -> None:
    assert fingerprint([b"ab", b"c"]) != fingerprint([b"a", b"bc"])


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def scramble(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 4)


def nest(path: Path) -> None:
    path.write_text("[" * 100_000)


def replace_with_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_with_number(path: Path) -> None:
    path.write_text("7")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(
    "damage", [cut, empty, scramble, nest, replace_with_folder, replace_with_number, Path.unlink]
)
def test_a_damaged_file_is_named(folder: Path, file: str, damage: Callable[[Path], None]) -> None:
    damage(folder / file)
    assert file in str(refused(folder))


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (np.eye(3, dtype=np.float32), "does not match"),
        (np.eye(5, dtype=np.float32), "does not match"),
        (np.full((4, 2), np.nan, dtype=np.float32), "not finite"),
        (np.full((4, 2), np.inf, dtype=np.float16), "not finite"),
        (np.ones((4, 0), dtype=np.float32), "shape"),
        (np.ones((4, 5_000), dtype=np.int8), "shape"),
        (np.ones(4, dtype=np.float32), "shape"),
        (np.ones((4, 2), dtype=np.int32), "int32"),
    ],
)
def test_invalid_vectors_are_rejected(folder: Path, table: Any, complaint: str) -> None:
    save_file({"embeddings": table}, folder / "model.safetensors")
    assert complaint in str(refused(folder))


@pytest.mark.parametrize("max_length", [0, -1, "many", 2.5])
def test_an_invalid_max_length_is_rejected(folder: Path, max_length: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_length": max_length}))
    assert str(folder) in str(refused(folder))


def test_a_tokenizer_with_more_tokens_than_vectors_is_rejected(folder: Path) -> None:
    written = json.loads((folder / "tokenizer.json").read_text())
    written["model"]["vocab"]["clock"] = 99
    (folder / "tokenizer.json").write_text(json.dumps(written))
    assert "4 tokens of 100" in str(refused(folder))


@for_each_row(
    ("weights", "mapping", "complaint"),
    [
        (np.ones(2), None, "weights of the shape"),
        (np.array([1, 1, np.nan]), None, "not finite"),
        (None, np.array([0, 1, 3]), "not there"),
        (None, np.array([0, 1, -1]), "not there"),
        (None, np.array([0.0, 1.0, 2.0]), "float64"),
        (np.ones(3), np.array([[0], [1], [2]]), "mapping has the shape"),
    ],
)
def test_weights_and_mapping_must_match_the_vectors(
    weights: Any, mapping: Any, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        token_vectors(np.eye(3, dtype=np.float32), weights, mapping)


def test_a_missing_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    assert f"there is no folder {tmp_path / 'gone'}" in str(refused(tmp_path / "gone"))


@for_each_row("name", ["", "small", "./small", "../small", "a/b/c", "~/small", "Builtin"])
def test_the_hint_for_an_invalid_name_lists_valid_ones(name: str) -> None:
    assert "'builtin'" in refused(name).hint


def cached(saved: Path, hub: Path) -> None:
    """Store a model in the hub's cache layout: a branch names a commit, which has a folder."""
    kept = hub / "models--someone--small"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("a" * 40)
    shutil.copytree(saved, kept / "snapshots" / ("a" * 40))


def test_a_model_in_the_hubs_cache_opens(saved: Path, tmp_path: Path) -> None:
    cached(saved, tmp_path)
    found = open_model("someone/small", str(tmp_path))
    assert found.fingerprint == open_model(str(saved)).fingerprint


@pytest.mark.parametrize("name", ["someone/other", "a--b/c", "a/b."])
def test_the_hint_for_a_model_not_fetched_says_how_to_fetch_it(
    saved: Path, tmp_path: Path, name: str
) -> None:
    cached(saved, tmp_path)
    error = refused(name, str(tmp_path))
    assert f"{name} is not in" in str(error)
    assert f"hf download {name}" in error.hint


def test_an_incomplete_model_in_the_cache_is_an_error_that_names_the_file(
    saved: Path, tmp_path: Path
) -> None:
    cached(saved, tmp_path)
    next(tmp_path.rglob("tokenizer.json")).unlink()
    assert "tokenizer.json is missing" in str(refused("someone/small", str(tmp_path)))
