"""Parse the vault's pipelines, ``.clew/pipelines/*.json``.

A file holds one pipeline or a list of them: an id, the section that it fills, and its steps. A step
is an object with one key, its kind, and an object of options: ``{"search": {"topK": 5}}``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from clew.values.vault import Pipeline, Step
from clew.vault.settings.json_rows import Mistake, object_with, one_of

PIPELINES_FOLDER = ".clew/pipelines"
ID_CHARACTERS_MAX = 100
TEXT_CHARACTERS_MAX = 1_000  # of an option
LIST_MAX = 100  # texts of one option
STEPS_MAX = 20
TOKENS_MAX = 1_000_000
SECTIONS = (
    *("state", "warnings", "constraints", "knowledge", "history", "suggestions"),
    "working_memory",
)

Option = str | float | tuple[str, ...]
Check = Callable[[Any, str], Option]


def _text(value: Any, place: str) -> Option:
    if not isinstance(value, str) or not 0 < len(value) <= TEXT_CHARACTERS_MAX:
        raise Mistake(f"{place}: must be a text of 1 to {TEXT_CHARACTERS_MAX:,} characters")
    return value


def _texts(value: Any, place: str) -> Option:
    if not isinstance(value, list) or len(value) > LIST_MAX:
        raise Mistake(f"{place}: must be a list of at most {LIST_MAX} texts")
    for each in value:
        _text(each, place)
    return tuple(value)


def _whole_number(lowest: int, highest: int) -> Check:
    def check(value: Any, place: str) -> Option:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Mistake(f"{place}: must be a whole number")
        if not lowest <= value <= highest:
            raise Mistake(f"{place}: must be from {lowest:,} to {highest:,}")
        return value

    return check


def _share(value: Any, place: str) -> Option:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Mistake(f"{place}: must be a number")
    if not 0 <= value <= 1:
        raise Mistake(f"{place}: must be from 0 to 1")
    return value


def _choice(*choices: str) -> Check:
    return lambda value, place: one_of(value, choices, place)


_QUERY = _choice("task", "keywords")
_COUNT = _whole_number(1, 100)
_FILTERS: Final[Mapping[str, Check]] = {
    "type": _text,
    "tags": _texts,
    "folder": _text,
    "minImportance": _share,
}
OPTIONS: Final[Mapping[str, Mapping[str, Check]]] = {
    "search": {
        "query": _QUERY,
        "mode": _choice("hybrid", "semantic", "keyword", "graph"),
        "topK": _COUNT,
        "minScore": _share,
        **_FILTERS,
        "since": _text,
        "until": _text,
    },
    "concept": {"depth": _whole_number(1, 5)},
    "recent": {"since": _text, "limit": _COUNT},
    "recall": {"limit": _COUNT},
    "read": {"ref": _text},
    "kv": {"key": _text},
    "filter": _FILTERS,
    "rank": {"by": _choice("score", "date", "importance"), "limit": _COUNT},
    "format": {"template": _choice("full", "line"), "maxTokens": _whole_number(0, TOKENS_MAX)},
}
NEEDED: Final[Mapping[str, str]] = {"read": "ref", "kv": "key"}


def pipeline_of(path: str, line: int, value: Any) -> Pipeline:
    """Return the pipeline that a row holds.

    Raises:
        Mistake: the row is no pipeline.
    """
    row = object_with(value, "pipeline", ("id", "section", "steps"), ("enabled", "maxTokens"))
    if not isinstance(row["id"], str) or not 0 < len(row["id"]) <= ID_CHARACTERS_MAX:
        raise Mistake(f"id: must be a text of 1 to {ID_CHARACTERS_MAX} characters")
    if not isinstance(row.get("enabled", True), bool):
        raise Mistake("enabled: must be true or false")
    tokens = row.get("maxTokens")
    if tokens is not None:
        _whole_number(0, TOKENS_MAX)(tokens, "maxTokens")
    steps = row["steps"]
    if not isinstance(steps, list) or not 0 < len(steps) <= STEPS_MAX:
        raise Mistake(f"steps: must be a list of 1 to {STEPS_MAX} steps")
    return Pipeline(
        row["id"],
        path,
        line,
        one_of(row["section"], SECTIONS, "section"),
        tuple(_step(step, f"steps[{number}]") for number, step in enumerate(steps, 1)),
        row.get("enabled", True),
        tokens,
    )


def _step(value: Any, place: str) -> Step:
    if not isinstance(value, dict) or len(value) != 1:
        raise Mistake(f'{place}: must be an object with one key, such as {{"search": {{}}}}')
    ((kind, given),) = value.items()
    allowed = OPTIONS[one_of(kind, tuple(OPTIONS), place)]
    needed = (NEEDED[kind],) if kind in NEEDED else ()
    row = object_with(given, f"{place}.{kind}", needed, tuple(allowed))
    options = {name: allowed[name](each, f"{place}.{kind}.{name}") for name, each in row.items()}
    return Step(kind, options)
