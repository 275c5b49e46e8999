"""A daemon killed while it reads code loses none of it."""

import time
from pathlib import Path

import pytest

from tests.daemons import START_SECONDS_MAX, prepared
from tests.faults import LONG
from tests.faults.test_kills import VICTIMS, answers, kill
from tests.faults.vaults import seconds_until, vault_of

FILES = 400
MOMENTS_S = [n / 5 for n in range(1, 16)] if LONG else [0.4, 1.2]  # after the start

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_kill_while_code_is_read_loses_none(tmp_path: Path, victim: str) -> None:
    app = tmp_path / "app"
    app.mkdir()
    for number in range(FILES):
        (app / f"part{number}.py").write_text(f"def load_{number}(): ...\n\n\nload_{number}()\n")
    config = tmp_path / "config.toml"
    config.write_text(f'[code]\nroots = ["{app}"]\n')
    vault = vault_of(tmp_path / "vault", {"a.md": "# A\n`load_7` reads a part.\n"})
    with prepared(tmp_path / "home", vault, "--config", str(config)) as running:
        for moment_s in MOMENTS_S:
            if not running.is_running:
                running.spawn()
            time.sleep(moment_s)
            kill(running, victim)
            (app / f"part{FILES - 1}.py").write_text(f"def last_{moment_s * 10:.0f}(): ...\n")
        if not running.is_running:
            running.spawn()
        assert seconds_until(lambda: answers(running), START_SECONDS_MAX) <= START_SECONDS_MAX
        running.until("status", lambda said: said["ready"], 60.0)
        found = running.ask("doctor", deep=True, waitFresh=True)
        assert {check["name"]: check["ok"] for check in found["checks"]}["rebuild"]
        names = ("load_0", f"load_{FILES - 2}", f"last_{MOMENTS_S[-1] * 10:.0f}")
        for name in names:
            assert len(running.ask("code", name=name)["entities"]) == 1
