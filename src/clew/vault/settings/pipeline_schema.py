"""JSON Schema of a file of pipelines, by which an editor completes and checks it."""

from typing import Any

from clew.vault.settings.pipeline_files import (
    ID_CHARACTERS_MAX,
    LIST_MAX,
    NEEDED,
    OPTIONS,
    SECTIONS,
    STEPS_MAX,
    TEXT_CHARACTERS_MAX,
    TOKENS_MAX,
)

_TEXT = {"type": "string", "minLength": 1, "maxLength": TEXT_CHARACTERS_MAX}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT = {"type": "integer", "minimum": 1, "maximum": 100}
_TOKENS = {"type": "integer", "minimum": 0, "maximum": TOKENS_MAX}
_SCHEMA_BY_OPTION: dict[str, dict[str, Any]] = {
    "query": {"enum": ["task", "keywords"]},
    "mode": {"enum": ["hybrid", "semantic", "keyword", "graph"]},
    "topK": _COUNT,
    "limit": _COUNT,
    "minScore": _SHARE,
    "minImportance": _SHARE,
    "depth": {"type": "integer", "minimum": 1, "maximum": 5},
    "tags": {"type": "array", "items": _TEXT, "maxItems": LIST_MAX},
    "by": {"enum": ["score", "date", "importance"]},
    "template": {"enum": ["full", "line"]},
    "maxTokens": _TOKENS,
}


def pipeline_schema() -> dict[str, Any]:
    """Return the schema."""
    pipeline = {"$ref": "#/$defs/pipeline"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pipelines for clew: .clew/pipelines/*.json",
        "anyOf": [pipeline, {"type": "array", "items": pipeline}],
        "$defs": {
            "pipeline": _object(
                ("id", "section", "steps"),
                id={"type": "string", "minLength": 1, "maxLength": ID_CHARACTERS_MAX},
                enabled={"type": "boolean"},
                section={"enum": list(SECTIONS)},
                maxTokens=_TOKENS,
                steps={
                    "type": "array",
                    "minItems": 1,
                    "maxItems": STEPS_MAX,
                    "items": {"anyOf": [_step(kind) for kind in OPTIONS]},
                },
            )
        },
    }


def _step(kind: str) -> dict[str, Any]:
    options = {name: _SCHEMA_BY_OPTION.get(name, _TEXT) for name in OPTIONS[kind]}
    needed = (NEEDED[kind],) if kind in NEEDED else ()
    return _object((kind,), **{kind: _object(needed, **options)})


def _object(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
