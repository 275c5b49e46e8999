"""The bounds of what requests may hold are those listed, and values beyond them are refused."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.text.uri import to_uri
from clew.values import requests
from clew.values.memory import requests as memory
from tests.tables import for_each_row

LISTED = Path(__file__).parent.parent / "data" / "request_bounds.tsv"
BOUNDS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}


def bounds_within(schema: Any, place: str = "") -> Iterator[str]:
    """Yield the bounds in the schema of a field, with those of the items of a list."""
    if isinstance(schema, Mapping):
        for key, value in sorted(schema.items()):
            if key in BOUNDS:
                yield f"{place}{key}={value}"
            elif key != "default":
                yield from bounds_within(value, f"{place}items." if key == "items" else place)
    elif isinstance(schema, list):
        for each in schema:
            yield from bounds_within(each, place)


def rows() -> Iterator[str]:
    """Yield a row for each field with bounds, at the type that declares it."""
    for module in (requests, memory):
        for name, kind in sorted(vars(module).items()):
            if isinstance(kind, msgspec.StructMeta) and kind.__module__ == module.__name__:
                fields = msgspec.json.schema(kind)["$defs"][name]["properties"]
                names = dict(
                    zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
                )
                for field in vars(kind).get("__annotations__", ()):
                    if bounds := " ".join(bounds_within(fields[names[field]])):
                        yield f"{name}.{names[field]}\t{bounds}"


def test_the_bounds_of_requests_are_those_listed() -> None:
    """They are a promise to clients: change the list on purpose."""
    assert list(rows()) == LISTED.read_text(encoding="utf-8").splitlines()


@for_each_row(
    ("kind", "fields"),
    [
        (requests.Search, {"query": "x" * 200_001}),
        (requests.Search, {"query": "x", "filters": {"tags": ["x"] * 101}}),
        (requests.Status, {"waitFor": ["x"] * 101}),
        (requests.Concepts, {"limit": 100_001}),
        (requests.Concepts, {"limit": 0}),
        (requests.Complete, {"kind": "note", "prefix": "x" * 4_097}),
    ],
)
def test_values_beyond_the_bounds_are_refused(
    kind: type[requests.Request], fields: dict[str, Any]
) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, kind)


@for_each_row(
    ("kind", "fields"),
    [
        (memory.SessionShow, {}),
        (memory.SessionRecall, {"query": "x"}),
        (requests.Session, {}),
    ],
)
def test_a_session_may_be_a_note_with_a_long_uri(
    kind: type[msgspec.Struct], fields: dict[str, Any]
) -> None:
    uri = to_uri("talks of the spring/" * 50 + "a.md")
    assert len(uri) > 1_000
    name = "id" if kind is requests.Session else "sessionId"
    msgspec.convert({**fields, name: uri}, kind)
