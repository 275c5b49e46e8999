"""``describe`` returns schemas that requests and replies fulfil."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clew.query.slices import finished
from clew.surface.python.describing import describe
from clew.surface.server.answers.dispatch import METHODS
from clew.values import daemon_replies, requests, wire
from clew.values.errors import InvalidParams
from clew.values.memory.requests import NO_CONTROLS
from tests.tables import for_each_row

PAGE = Path(__file__).parent.parent.parent / "docs" / "protocol.md"
EXCHANGES = re.compile(r"^> (.*)\n< (.*)$", re.MULTILINE).findall(PAGE.read_text(encoding="utf-8"))


def described(method: str | None = None) -> daemon_replies.Describe:
    types = {name: one.request_type for name, one in METHODS.items()}
    return finished(describe(requests.Describe(method=method), types, 1))


def schemas() -> dict[str, Any]:
    return dict(json.loads(wire.encode(described().methods)))


SCHEMAS = schemas()


def exchanges(member: str) -> Iterator[Any]:
    for call, answer in EXCHANGES:
        if member in json.loads(answer):
            yield pytest.param(json.loads(call), json.loads(answer), id=call[:70])


@pytest.mark.slow
@for_each_row(("call", "answer"), list(exchanges("result")))
def test_what_the_protocol_page_shows_fulfils_the_schemas(call: Any, answer: Any) -> None:
    schema = SCHEMAS[call["method"]]
    jsonschema.validate(call["params"], schema["params"])
    jsonschema.validate(answer["result"], schema["result"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({}, schema["result"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**call["params"], "noSuchField": 1}, schema["params"])


def values_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a schema that say of what kind a value is."""
    parts = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and "type" in schema:
        yield schema
    for part in parts:
        if isinstance(part, dict | list):
            yield from values_of(part)


@for_each_row("method", sorted(METHODS))
def test_every_integer_of_a_request_has_bounds_and_every_pattern_a_message(method: str) -> None:
    for value in values_of(SCHEMAS[method]["params"]):
        if value["type"] == "integer":
            assert value.keys() >= {"minimum", "maximum"}, value
        assert value.get("pattern", NO_CONTROLS) == NO_CONTROLS


@pytest.mark.slow
def test_a_schema_has_bounds_and_defaults() -> None:
    params = SCHEMAS["concept"]["params"]
    entities = params["$defs"]["ConceptRequest"]["properties"]["maxEntities"]
    assert entities == {"type": "integer", "minimum": 1, "maximum": 1_000, "default": 20}
    for schema in SCHEMAS.values():
        assert schema["about"].endswith(".")
        for kind in ("params", "result"):
            jsonschema.Draft202012Validator.check_schema(schema[kind])


def test_one_method_is_described_alone_and_an_unknown_one_is_refused() -> None:
    assert described("tags").methods.keys() == {"tags"}
    with pytest.raises(InvalidParams, match="no method 'nope'") as refused:
        described("nope")
    assert "backlinks" in refused.value.hint
