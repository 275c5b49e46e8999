"""The lines that show entities of code to people."""

from msgspec import json

from clew.query.code.code import code
from clew.query.slices import finished
from clew.surface.cli.render_code import rendered_code
from clew.values.requests import Code
from tests.vaults import snapshot_of

NOTE = (
    "```py\ndef load(): ...\n\ndef start(x): map(load, x)\n\ndef stop(): load()  # once more\n```\n"
)


def test_callers_and_places_that_hand_an_entity_over_are_told_apart() -> None:
    reply = finished(code(snapshot_of({"a.md": NOTE}), Code(name="load")))
    lines = rendered_code(json.decode(json.encode(reply)), 80)
    shown = [" ".join(line.split()) for line in map(str, lines)]
    assert shown[-4:] == [
        "called by:",
        "stop function a.md:6 local # once more",
        "handed over in:",
        "start function a.md:4 local, to map",
    ]
