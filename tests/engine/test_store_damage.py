"""A damaged index on disk is loaded with its saved content, or not at all."""

import hashlib
import json
import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from clew.disk.part_checksums import PartChecksums
from clew.engine.persist.generation_files import FORMAT
from clew.engine.persist.store import Store
from tests.damage import DAMAGES
from tests.disks import snapshot
from tests.examples import IS_LONG
from tests.stores import FINGERPRINT, NOTHING, State, files_of, opened, state_of, two_generations

MUTATED_COUNT = 10_000 if IS_LONG else 300

# A folder has two generations with their logs and one of a newer format. After damage, one of them
# must be loaded with the undamaged part of its own log, or none.


def good(state: State) -> bool:
    whose, records = state
    logged = tuple(f"{whose.lower()}{n}".encode() for n in range(5))
    return state == NOTHING or (whose in ("A", "B") and records == logged[: len(records)])


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_damage_never_shows_as_other_content(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    home = folder / f"v{FORMAT}"
    two_generations(folder)
    newer = snapshot(folder / f"v{FORMAT + 1}")
    home.rename(tmp_path / "good")
    seen = set()
    for seed in range(MUTATED_COUNT):
        chance = random.Random(seed)
        shutil.copytree(tmp_path / "good", home)
        for damage in chance.choices(DAMAGES, k=chance.randint(1, 3)):
            damage(home, chance)
        store, state = opened(folder)
        assert good(state), seed
        seen.add(state)
        with suppress(OSError):
            store.append(b"more")
            assert state_of(folder) == (state[0], (*state[1], b"more")), seed
        store.publish(files_of("Z"))
        store.close()
        assert state_of(folder) == ("Z", ()), seed
        assert snapshot(folder / f"v{FORMAT + 1}") == newer
        shutil.rmtree(home)
    assert len(seen) > 8


def test_a_generation_under_another_number_is_ignored(tmp_path: Path) -> None:
    two_generations(tmp_path / "index")
    newest = state_of(tmp_path / "index")
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").rename(home / "gen-00000003")
    assert state_of(tmp_path / "index") == newest
    (home / "gen-00000002").rename(home / "gen-00000004")
    assert state_of(tmp_path / "index") == NOTHING


def test_every_bit_of_a_generation_is_checked(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    for path in sorted((tmp_path / "index").rglob("gen-*/*")):
        data = path.read_bytes()
        for place in range(0, len(data), 1 if IS_LONG else 7):
            path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
            assert state_of(tmp_path / "index") in (NOTHING, ("A", ()))
            if path.name != "manifest.json":
                assert state_of(tmp_path / "index") == NOTHING
        path.write_bytes(data + b" ")
        assert state_of(tmp_path / "index") in (NOTHING, ("A", ()))
        assert path.name == "manifest.json" or state_of(tmp_path / "index") == NOTHING
        path.write_bytes(data)


# -- manifests ----------------------------------------------------------------------------------


def test_a_manifest_is_checked(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    path = tmp_path / "index" / f"v{FORMAT}" / "gen-00000001" / "manifest.json"
    (path.parent / "notes").rename(path.parent / "nodes")
    path.write_bytes(path.read_bytes().replace(b"notes", b"nodes"))
    assert Store(str(tmp_path / "index"), FINGERPRINT).load() is None


def write_manifest(home: Path, manifest: object) -> None:
    """Write a manifest with a valid checksum."""
    text = json.dumps(manifest)
    with_checksum = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "manifest": text}
    (home / "gen-00000001" / "manifest.json").write_text(json.dumps(with_checksum))


def entry(size_bytes: object, data: bytes) -> dict[str, object]:
    checksum = PartChecksums()
    checksum.update(data)
    return {"size_bytes": size_bytes, "checksum": checksum.hexdigest()}


@pytest.mark.parametrize(
    "files",
    [
        {"../../secret": entry(6, b"secret")},
        {"/etc/hostname": entry(6, b"secret")},
        {"manifest.json": entry(6, b"secret")},
        {"notes": entry(1 << 62, b"")},
        {"notes": entry(-1, b"")},
        {"notes": entry("3", b"abc")},
        {"notes": entry(4, b"abcd")},
        {"notes": {}},
        {"": entry(0, b"")},
        [],
    ],
)
def test_a_manifest_with_impossible_sizes_is_refused(tmp_path: Path, files: object) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").mkdir(parents=True)
    (tmp_path / "index" / "secret").write_bytes(b"secret")
    for data in (b"abc", b""):
        (home / "gen-00000001" / "notes").write_bytes(data)
        write_manifest(home, {"generation": 1, "fingerprint": FINGERPRINT, "files": files})
        assert Store(str(tmp_path / "index"), FINGERPRINT).load() is None


def test_a_file_larger_than_the_bound_is_not_read(tmp_path: Path) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").mkdir(parents=True)
    with (home / "gen-00000001" / "notes").open("wb") as file:
        file.truncate(1 << 43)
    files = {"notes": entry(1 << 43, b"")}
    write_manifest(home, {"generation": 1, "fingerprint": FINGERPRINT, "files": files})
    assert state_of(tmp_path / "index") == NOTHING


@pytest.mark.parametrize("text", ["[" * 500_000, "9" * 5_000, '{"sha256":1}', "\ud800", "", "null"])
def test_a_manifest_of_any_shape_is_no_error(tmp_path: Path, text: str) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    (home / "gen-00000001").mkdir(parents=True)
    data = text.encode("utf-8", "surrogatepass")
    (home / "gen-00000001" / "manifest.json").write_bytes(data)
    assert state_of(tmp_path / "index") == NOTHING
    with_checksum = {"sha256": hashlib.sha256(data).hexdigest(), "manifest": text}
    (home / "gen-00000001" / "manifest.json").write_text(json.dumps(with_checksum))
    assert state_of(tmp_path / "index") == NOTHING
