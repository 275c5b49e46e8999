"""The method ``describe``: the JSON Schemas of the parameters and result of each method.

The schemas are derived from the structs of requests and replies, with bounds and defaults. One
takes about a millisecond, so it is made at the first request and cached.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.json import schema_components

from clew.query.slices import PAUSE, Slices
from clew.surface.python.methods import Method, Methods
from clew.values.daemon_replies import Describe, MethodSchema, Subscribed
from clew.values.errors import InvalidParams
from clew.values.requests import Describe as DescribeRequest
from clew.values.requests import Request

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_REPLIES: Mapping[str, tuple[type, ...]] = {
    "subscribe": (Subscribed,),
    **{entry.name: entry.reply.kinds for entry in vars(Methods).values() if type(entry) is Method},
}


def describe(
    request: DescribeRequest, request_types: Mapping[str, type[Request]], revision: int
) -> Slices[Describe]:
    """Return the schemas of one method, or of all.

    Raises:
        InvalidParams: there is no such method.
    """
    if request.method is not None and request.method not in request_types:
        hint = f"methods: {', '.join(request_types)}"
        raise InvalidParams(f"no method {request.method!r}", "method", hint)
    names = request_types if request.method is None else (request.method,)
    methods: dict[str, MethodSchema] = {}
    for name in names:
        methods[name] = _method_schema(request_types[name], _REPLIES[name])
        yield PAUSE
    return Describe(revision=revision, methods=methods)


@cache
def _method_schema(request_type: type[Request], reply_types: tuple[type, ...]) -> MethodSchema:
    about = " ".join((request_type.__doc__ or "").split())
    return MethodSchema(about=about, params=_schema([request_type]), result=_schema(reply_types))


def _schema(types: Sequence[type]) -> dict[str, Any]:
    """Return the schema of a value that has one of these types."""
    schemas, definitions = schema_components(types, ref_template="#/$defs/{name}")
    choice = schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}
    return {"$schema": _DRAFT, **choice, "$defs": definitions}
