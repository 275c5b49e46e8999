"""A daemon with a model that is damaged, missing, of another size, or replaced."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon, broken_parts, daemon
from tests.examples import IS_LONG
from tests.models import save_model

pytestmark = pytest.mark.slow

WORDS = ["tide", "ebb", "gauge", "clock"]
NOTES = {
    "tide.md": "the tide is high [[Harbour]]",
    "ebb.md": "an ebb came",
    "gauge.md": "one gauge",
    "clock.md": "one clock [[Harbour]]",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model in which "tide" means the same as "gauge", and "ebb" the same as "clock"."""
    return save_model(tmp_path_factory.mktemp("models") / "small", WORDS, 4, groups=2)


@contextmanager
def served(home: Path, model: Path | str) -> Iterator[Daemon]:
    """Serve the notes with ``model`` within a block."""
    vault = home / "v"
    vault.mkdir(parents=True, exist_ok=True)
    for path, text in NOTES.items():
        if not (vault / path).exists():
            (vault / path).write_text(text)
    config = home / "config.toml"
    config.write_text(f'[embedding]\nmodel = "{model}"\n')
    with daemon(home, vault, "--config", str(config)) as running:
        yield running


def by_meaning(running: Daemon, query: str) -> list[str]:
    found = running.ask("search", query=query, mode="semantic")["results"]
    return [row["uri"].removeprefix("memory://") for row in found if "semantic" in row["legs"]]


def cut(folder: Path) -> None:
    weights = folder / "model.safetensors"
    os.truncate(weights, weights.stat().st_size // 2)


def take_away(folder: Path) -> None:
    shutil.rmtree(folder)


def lose_a_file(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def scramble(folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes(bytes(range(256)))


# The tests of ``clew.embed`` open each kind of damaged model without a daemon.
DAMAGES = [take_away, scramble, cut, lose_a_file]


def check_without_vectors(running: Daemon, reason: str) -> None:
    """Assert that words and links are searched, and that replies say why vectors are not."""
    for mode in ("hybrid", "semantic", "graph"):
        reply = running.ask("search", query="harbour tide", mode=mode)
        (told,) = reply["degraded"]
        assert told.startswith("semantic: ")
        assert reason in told
        assert all("semantic" not in row["legs"] for row in reply["results"])
    found = running.ask("search", query="harbour tide")["results"]
    assert {leg for row in found for leg in row["legs"]} == {"keyword", "graph"}
    assert running.ask("search", query="tide", mode="keyword")["degraded"] == []
    status = running.ask("status")
    assert status["ready"]
    assert not status["stages"]["vectors"]["ready"]
    assert status["vectors"] == 0
    assert list(broken_parts(status)) == ["vectors"]
    assert reason in broken_parts(status)["vectors"]
    (check,) = (c for c in running.ask("doctor")["checks"] if c["name"] == "vectors")
    assert not check["ok"]
    assert reason in check["message"]
    said = subprocess.run(
        [sys.executable, "-m", "clew", "doctor", "--socket", str(running.socket)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert reason in said.stdout
    assert "Traceback" not in running.log
    assert running.stop() == 0


@pytest.mark.parametrize("damage", DAMAGES if IS_LONG else DAMAGES[:2])
def test_search_without_a_usable_model_uses_words_and_links(
    saved: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder = Path(shutil.copytree(saved, tmp_path / "model"))
    damage(folder)
    with served(tmp_path / "h", folder) as running:
        check_without_vectors(running, str(folder))


def test_search_without_a_downloaded_model_uses_words_and_links(tmp_path: Path) -> None:
    with served(tmp_path / "h", "nobody/has-this") as running:
        check_without_vectors(running, "nobody/has-this is not in the Hugging Face cache")


def test_a_model_in_a_folder_is_used(saved: Path, tmp_path: Path) -> None:
    with served(tmp_path / "h", saved) as running:
        status = running.ask("status")
        assert status["vectors"] == status["chunks"] == 4
        assert set(by_meaning(running, "tide")) == {"tide.md", "gauge.md"}
        assert set(by_meaning(running, "ebb")) == {"ebb.md", "clock.md"}


def test_a_replaced_model_makes_all_vectors_again(saved: Path, tmp_path: Path) -> None:
    """The new model has more dimensions and no synonyms; queries are sent meanwhile."""
    home, folder = tmp_path / "h", tmp_path / "model"
    shutil.copytree(saved, folder)
    with served(home, folder) as running:
        assert set(by_meaning(running, "tide")) == {"tide.md", "gauge.md"}
    shutil.rmtree(folder)
    save_model(folder, WORDS, 16)
    with served(home, folder) as running:
        running.until("status", lambda said: said["stages"]["vectors"]["ready"])
        assert by_meaning(running, "tide") == ["tide.md"]
        assert running.ask("search", query="tide")["degraded"] == []
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
    with served(home, "builtin") as running:
        assert by_meaning(running, "ocean tide")[0] == "tide.md"
        assert running.ask("status")["vectors"] == 4


def test_search_uses_words_and_links_if_the_model_is_gone_at_a_restart(
    saved: Path, tmp_path: Path
) -> None:
    home, folder = tmp_path / "h", Path(shutil.copytree(saved, tmp_path / "model"))
    with served(home, folder) as running:
        assert by_meaning(running, "tide")
    shutil.rmtree(folder)
    (home / "v" / "new.md").write_text("a new tide")
    with served(home, folder) as running:
        reply = running.ask("search", query="new tide")
        assert reply["results"][0]["uri"] == "memory://new.md"
        assert len(reply["degraded"]) == 1
        assert str(folder) in reply["degraded"][0]
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
    shutil.copytree(saved, folder)
    with served(home, folder) as running:
        assert set(by_meaning(running, "tide")) == {"tide.md", "gauge.md", "new.md"}
        assert running.ask("search", query="tide")["degraded"] == []


NO_NETWORK = """
import socket
class Unix(socket.socket):
    def __init__(self, family=socket.AF_UNIX, *rest, **named):
        if family not in (socket.AF_UNIX, -1) or (family == -1 and named.get("fileno") is None):
            import os
            open(os.environ["REACHED"], "a").write(f"{family}\\n")
            raise OSError("no network here")
        super().__init__(family, *rest, **named)
socket.socket = Unix
def reach(*_, **__):
    import os
    open(os.environ["REACHED"], "a").write("name\\n")
    raise OSError("no network here")
socket.getaddrinfo = socket.create_connection = reach
"""


@pytest.mark.parametrize("model", ["builtin", "nobody/has-this", "folder"])
def test_search_never_uses_the_network(
    saved: Path, tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_NETWORK)
    reached = tmp_path / "reached"
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'site'}{os.pathsep}{before}")
    monkeypatch.setenv("REACHED", str(reached))
    probe = "import socket; socket.create_connection(('127.0.0.1', 9))"
    subprocess.run([sys.executable, "-c", probe], check=False, capture_output=True)
    assert reached.exists(), "an attempt is noticed"
    reached.unlink()
    with served(tmp_path / "h", saved if model == "folder" else model) as running:
        reply: dict[str, Any] = running.ask("search", query="tide")
        assert reply["results"]
        assert bool(reply["degraded"]) is (model == "nobody/has-this")
    assert not reached.exists(), reached.read_text()
