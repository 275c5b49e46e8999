"""Code of notes and of folders, served by a daemon."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.values.errors import ConfigError
from clew.vault.code.usable_roots import usable_roots
from tests.daemons import Daemon, daemon
from tests.faults.vaults import vault_of

pytestmark = pytest.mark.slow

STORE = "class Store:\n    def load_all(self): ...\n"
USE = "from store import Store\n\ndef run_all():\n    Store().load_all()\n"
NOTES = {
    "Decision.md": "# Decision\n`Store.load_all` reads everything at once, since disks are fast.\n",
    "Example.md": "# Example\n```python\nfrom store import Store\nStore().load_all()\n```\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[tuple[Daemon, Path]]:
    app = tmp_path / "app"
    app.mkdir()
    (app / "store.py").write_text(STORE)
    (app / "use.py").write_text(USE)
    config = tmp_path / "config.toml"
    config.write_text(f'[code]\nroots = ["{app}"]\n')
    vault = vault_of(tmp_path / "vault", NOTES)
    with daemon(tmp_path / "home", vault, "--config", str(config)) as started:
        yield started, app


def entity(running: Daemon, name: str, **fields: Any) -> dict[str, Any]:
    (found,) = running.ask("code", name=name, **fields)["entities"]
    assert isinstance(found, dict)
    return found


def test_code_of_folders_is_served_and_followed(project: tuple[Daemon, Path]) -> None:
    running, app = project
    found = entity(running, "load_all", waitFresh=True)
    assert (found["file"], found["lines"]) == ("app/store.py", [2, 2])
    assert [(edge["file"], edge["via"]) for edge in found["callers"]] == [
        ("app/use.py", "import"),
        ("memory://Example.md", "import"),
    ]
    assert [note["uri"] for note in found["notes"]] == [
        "memory://Decision.md",
        "memory://Example.md",
    ]
    (app / "use.py").write_text(USE + "\ndef run_again():\n    Store().load_all()\n")

    def callers(reply: dict[str, Any]) -> bool:
        return [edge["name"] for edge in reply["entities"][0]["callers"]][1:2] == ["run_again"]

    running.until("code", callers, 20.0, name="load_all")
    (app / "use.py").rename(app / "user.py")
    (app / "store.py").write_text(STORE.replace("load_all", "load_some"))
    reply = running.ask("code", name="load_all", waitFresh=True)
    assert reply["entities"] == []
    assert "load_some" in reply["suggestions"]
    assert entity(running, "run_all")["file"] == "app/user.py"


def test_a_daemon_is_ready_when_all_code_is_read(tmp_path: Path) -> None:
    app, count = tmp_path / "app", 1_000
    app.mkdir()
    for number in range(count):
        (app / f"part{number}.py").write_text(STORE.replace("load_all", f"load_{number}"))
    config = tmp_path / "config.toml"
    config.write_text(f'[code]\nroots = ["{app}"]\n')
    vault = vault_of(tmp_path / "vault", NOTES)
    with daemon(tmp_path / "home", vault, "--config", str(config)) as running:
        running.until("status", lambda said: said["ready"], 60.0)
        assert running.ask("status")["stages"]["code"]["ready"]
        assert entity(running, f"load_{count - 1}")["file"] == f"app/part{count - 1}.py"


def test_a_question_is_answered_from_folders_too(project: tuple[Daemon, Path]) -> None:
    running, _ = project
    pack = running.ask("context", query="what calls load_all and why", waitFresh=True)
    code = pack["context"].partition("## Code Relationships")[2]
    assert "Defined in: `app/store.py#L2-L2`" in code
    assert "`run_all` (app/use.py#L4, import)" in code
    assert "memory://Decision.md#L2" in code
    assert "since disks are fast" in pack["context"]


def test_a_folder_that_goes_away_is_a_problem_and_its_code_stays(
    project: tuple[Daemon, Path],
) -> None:
    running, app = project
    entity(running, "load_all", waitFresh=True)
    app.rename(app.with_name("away"))  # at once: files that go one by one are deleted
    running.ask("sync")
    kinds = [group["code"] for group in running.ask("doctor")["groups"]]
    assert "codeRootUnavailable" in kinds
    assert entity(running, "load_all")["file"] == "app/store.py"


def test_folders_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    vault, state = str(tmp_path / "v"), str(tmp_path / "state")
    (tmp_path / "src" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("src")
    with pytest.raises(ConfigError, match="whole disk"):
        usable_roots(["/"], vault, state)
    with pytest.raises(ConfigError, match="inside the state"):
        usable_roots([f"{state}/index"], vault, state)
    src = str(tmp_path / "src")
    assert usable_roots([src, f"{src}/sub", f"{tmp_path}/link"], vault, state) == (src,)
    assert usable_roots(["src"], vault, state) == (f"{vault}/src",)
