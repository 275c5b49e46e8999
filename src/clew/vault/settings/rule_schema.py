"""JSON Schema of a file of rules, by which an editor completes and checks it."""

from typing import Any

from clew.text.patterns import PATTERN_CHARACTERS_MAX
from clew.values.windows.priorities import PRIORITIES
from clew.vault.settings.pipeline_files import SECTIONS
from clew.vault.settings.rule_files import (
    FIELDS,
    LIST_OPS,
    NAME_CHARACTERS_MAX,
    NUMBER_OPS,
    PRESENCE_OPS,
    RULES_MAX,
    TESTS_MAX,
    TEXT_CHARACTERS_MAX,
    TEXT_OPS,
)

_TEXT = {"type": "string", "minLength": 1, "maxLength": TEXT_CHARACTERS_MAX}
_PLAIN = {"type": ["string", "number", "boolean"], "maxLength": TEXT_CHARACTERS_MAX}
_SECTION = {"enum": list(SECTIONS)}
_TOKENS = {"type": "integer", "minimum": 0, "maximum": 1_000_000}


def rule_schema() -> dict[str, Any]:
    """Return the schema; it cannot check the depth of groups or the validity of patterns."""
    rule = {"$ref": "#/$defs/rule"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules for clew: .clew/rules/*.json",
        "anyOf": [rule, {"type": "array", "items": rule, "maxItems": RULES_MAX}],
        "$defs": {
            "rule": _object(
                name={"type": "string", "minLength": 1, "maxLength": NAME_CHARACTERS_MAX},
                condition={"$ref": "#/$defs/condition"},
                action={"$ref": "#/$defs/action"},
            ),
            "condition": {
                "anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("test", "all", "any")]
            },
            "all": {"$ref": "#/$defs/conditions"},
            "any": _object(any={"$ref": "#/$defs/conditions"}),
            "conditions": {
                "type": "array",
                "items": {"$ref": "#/$defs/condition"},
                "minItems": 1,
                "maxItems": TESTS_MAX,
            },
            "test": {"anyOf": _tests()},
            "action": {"anyOf": _actions()},
        },
    }


def _tests() -> list[dict[str, Any]]:
    pattern = {"type": "string", "maxLength": PATTERN_CHARACTERS_MAX}
    texts = [op for op in TEXT_OPS if op != "matches"]
    presence = _test(PRESENCE_OPS, {})
    presence["required"].remove("value")
    return [
        _test(("eq", "neq"), _PLAIN),
        _test(NUMBER_OPS, {"type": "number"}),
        _test(texts, {"type": "string", "maxLength": TEXT_CHARACTERS_MAX}),
        _test(("matches",), pattern),
        _test(LIST_OPS, {"type": "array", "items": _PLAIN}),
        presence,
    ]


def _test(ops: Any, value: dict[str, Any]) -> dict[str, Any]:
    return _object(field={"enum": list(FIELDS)}, op={"enum": list(ops)}, value=value)


def _actions() -> list[dict[str, Any]]:
    return [
        _object(type={"enum": ["include", "exclude"]}, ref=_TEXT),
        _object(type={"const": "cap"}, section=_SECTION, tokens=_TOKENS),
        _object(type={"const": "cap"}, source=_TEXT, tokens=_TOKENS),
        _object(type={"const": "setPriority"}, section=_SECTION, value={"enum": list(PRIORITIES)}),
    ]


def _object(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
