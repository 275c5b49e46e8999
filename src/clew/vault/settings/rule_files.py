"""Read and parse the vault's rules for agents, ``.clew/rules/*.json``, and its pipelines.

A file holds one rule or a list of rules. An invalid rule becomes a problem with the line where it
begins; the other rules are used.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from clew.text.patterns import BadPattern, compiled
from clew.values.note import Problem
from clew.values.vault import Action, FieldTest, Group, Pipeline, Rule, RuleFiles
from clew.values.windows.priorities import PRIORITIES
from clew.vault.root import VaultRoot
from clew.vault.settings.json_rows import Mistake, object_with, one_of, rows_of
from clew.vault.settings.pipeline_files import PIPELINES_FOLDER, SECTIONS, pipeline_of

RULES_FOLDER = ".clew/rules"
FILES_MAX = 100
FILE_BYTES_MAX = 1024 * 1024
ALL_BYTES_MAX = 4 * 1024 * 1024
RULES_MAX = 10_000
PIPELINES_MAX = 50
NAME_CHARACTERS_MAX = 200
TEXT_CHARACTERS_MAX = 10_000  # of a value in a rule
DEPTH_MAX = 20  # of groups within groups
TESTS_MAX = 1_000  # in one rule
PROBLEMS_MAX = 1_000

FIELDS = (
    *("task.text", "task.type", "agent.name", "project.name"),
    *("session.turnCount", "memory.source"),
)
NUMBER_OPS = ("gt", "gte", "lt", "lte")
TEXT_OPS = ("contains", "not_contains", "starts_with", "ends_with", "matches")
LIST_OPS = ("in", "not_in")
PRESENCE_OPS = ("exists", "not_exists")
OPS = ("eq", "neq", *NUMBER_OPS, *TEXT_OPS, *LIST_OPS, *PRESENCE_OPS)
_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "include": ("ref",),
    "exclude": ("ref",),
    "cap": ("section", "source", "tokens"),
    "setPriority": ("section", "value"),
}


def changed_rule_files(root: VaultRoot, indexed: RuleFiles) -> RuleFiles | None:
    """Return the rules and pipelines of the vault; ``None`` if no file differs from ``indexed``."""
    names = {
        folder: sorted(name for name in root.names_in(folder) if name.endswith(".json"))
        for folder in sorted((RULES_FOLDER, PIPELINES_FOLDER))
    }
    if not any(names.values()) and not indexed.digest:
        return None
    files: dict[str, bytes] = {}
    room_bytes = ALL_BYTES_MAX
    for folder, names_in_folder in names.items():
        for name in names_in_folder[:FILES_MAX]:
            data = root.read_small(f"{folder}/{name}", min(FILE_BYTES_MAX, room_bytes) + 1)
            if data is not None:
                files[f"{folder}/{name}"] = data
                room_bytes -= min(len(data), room_bytes)
    counts = {folder: len(names_in_folder) for folder, names_in_folder in names.items()}
    digest = _digest(files, counts)
    return None if digest == indexed.digest else parse_files(files, counts, digest)


def parse_files(
    files: Mapping[str, bytes], file_counts: Mapping[str, int], digest: str = ""
) -> RuleFiles:
    """Parse files of rules and pipelines, by path; ``file_counts``: all files, by folder."""
    rules: list[Rule] = []
    pipelines: dict[str, Pipeline] = {}
    problems: list[Problem] = [
        _problem(folder, None, f"only the first {FILES_MAX} files are used")
        for folder, count in file_counts.items()
        if count > FILES_MAX
    ]
    room_bytes = ALL_BYTES_MAX
    for path in sorted(files):
        size, limit = len(files[path]), min(FILE_BYTES_MAX, room_bytes)
        room_bytes -= min(size, room_bytes)  # as in reading, files that are too large count too
        if size > limit:
            message = f"not used: files may have {FILE_BYTES_MAX:,} bytes, {ALL_BYTES_MAX:,} in all"
            problems.append(_problem(path, None, message))
            continue
        for item in _parsed(path, files[path]):
            if isinstance(item, Rule):
                rules.append(item)
            elif isinstance(item, Problem):
                problems.append(item)
            elif item.id in pipelines:
                problems.append(_problem(path, item.line, f"a second pipeline {item.id!r}"))
            elif len(pipelines) == PIPELINES_MAX:
                message = f"only the first {PIPELINES_MAX} pipelines are used"
                problems.append(_problem(path, item.line, message))
            else:
                pipelines[item.id] = item
    if len(rules) > RULES_MAX:
        unused = rules[RULES_MAX]
        problems.append(
            _problem(unused.path, unused.line, f"only the first {RULES_MAX:,} rules are used")
        )
    return RuleFiles(
        tuple(rules[:RULES_MAX]),
        tuple(problems[:PROBLEMS_MAX]),
        digest,
        tuple(pipelines.values()),
    )


def _digest(files: Mapping[str, bytes], file_counts: Mapping[str, int]) -> str:
    if not files and not any(file_counts.values()):
        return ""
    digest = hashlib.sha256(repr(sorted(file_counts.items())).encode())
    for name in sorted(files):
        digest.update(f"\n{name!r} {len(files[name])}\n".encode())
        digest.update(files[name])
    return digest.hexdigest()


def _parsed(path: str, data: bytes) -> Iterator[Rule | Pipeline | Problem]:
    is_rule = path.startswith(RULES_FOLDER)
    kind, read = ("rule", _rule) if is_rule else ("pipeline", pipeline_of)
    try:
        for line, value in rows_of(data.decode("utf-8-sig")):
            try:
                yield read(path, line, value)
            except Mistake as mistake:
                yield _problem(path, line, f"{kind} not used: {mistake}")
    except json.JSONDecodeError as error:
        yield _problem(path, error.lineno, f"not valid JSON from here on: {error.msg}")
    except UnicodeDecodeError:
        yield _problem(path, None, "not UTF-8, so not used")
    except RecursionError:
        yield _problem(path, None, "nested too deeply from some rule on, which is not used")


def _rule(path: str, line: int, value: Any) -> Rule:
    row = object_with(value, "rule", ("name", "condition", "action"))
    name = row["name"]
    if not isinstance(name, str) or not 0 < len(name) <= NAME_CHARACTERS_MAX:
        raise Mistake(f"name: must be a text of 1 to {NAME_CHARACTERS_MAX} characters")
    condition = tuple(_condition(row["condition"], "condition", DEPTH_MAX))
    if sum(isinstance(step, FieldTest) for step in condition) > TESTS_MAX:
        raise Mistake(f"condition: more than {TESTS_MAX:,} tests")
    return Rule(name, path, line, condition, _action(row["action"]))


def _condition(value: Any, place: str, depth: int) -> Iterator[FieldTest | Group]:
    """Yield a condition in postfix order."""
    if isinstance(value, list):
        yield from _group(value, place, depth, is_all=True)
    elif isinstance(value, dict) and "any" in value:
        members = object_with(value, place, ("any",))["any"]
        if not isinstance(members, list):
            raise Mistake(f"{place}.any: must be a list of conditions")
        yield from _group(members, f"{place}.any", depth, is_all=False)
    else:
        yield _test(value, place)


def _group(
    members: list[Any], place: str, depth: int, *, is_all: bool
) -> Iterator[FieldTest | Group]:
    if depth == 0:
        raise Mistake(f"condition: more than {DEPTH_MAX} groups within each other")
    if not members:
        raise Mistake(f"{place}: must not be empty")
    for number, member in enumerate(members, 1):
        yield from _condition(member, f"{place}[{number}]", depth - 1)
    yield Group(is_all, len(members))


def _test(value: Any, place: str) -> FieldTest:
    if isinstance(value, dict) and value.get("op") in PRESENCE_OPS:
        row = {"value": None, **object_with(value, place, ("field", "op"), optional=("value",))}
    else:
        row = object_with(value, place, ("field", "op", "value"))
    one_of(row["field"], FIELDS, f"{place}.field")
    op = one_of(row["op"], OPS, f"{place}.op")
    return FieldTest(row["field"], op, _value(op, row["value"], f"{place}.value"))


def _value(op: str, value: Any, place: str) -> Any:
    """Return ``value`` checked and converted for the comparison by ``op``."""
    if op in PRESENCE_OPS:
        return None
    if op in LIST_OPS:
        if not isinstance(value, list) or not all(map(_is_plain, value)):
            raise Mistake(f"{place}: {op} needs a list of texts or numbers")
        return tuple(value)
    if op in NUMBER_OPS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Mistake(f"{place}: {op} needs a number")
        return float(value)
    if not _is_plain(value) or (op in TEXT_OPS and not isinstance(value, str)):
        raise Mistake(f"{place}: {op} needs a text{'' if op in TEXT_OPS else ' or a number'}")
    if op == "matches":
        try:
            compiled(value)
        except BadPattern as error:
            raise Mistake(f"{place}: {error}") from error
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= TEXT_CHARACTERS_MAX
    return isinstance(value, bool | int | float) and abs(value) < 2**53


def _action(value: Any) -> Action:
    named = value.get("type") if isinstance(value, dict) else None
    kind = one_of(named, tuple(_ACTIONS), "action.type")
    allowed = _ACTIONS[kind]
    row = object_with(value, "action", ("type",), optional=allowed)
    if kind == "cap":
        if ("section" in row) == ("source" in row):
            raise Mistake("action: cap needs a section or a source")
        tokens = row.get("tokens")
        if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens <= 10**6:
            raise Mistake("action.tokens: must be a whole number from 0 to 1,000,000")
    elif missing := [name for name in allowed if name not in row]:
        raise Mistake(f"action.{missing[0]}: is missing")
    if "section" in row:
        one_of(row["section"], SECTIONS, "action.section")
    if "value" in row:
        one_of(row["value"], PRIORITIES, "action.value")
    for name in ("ref", "source"):
        if name in row and not (isinstance(row[name], str) and _is_plain(row[name]) and row[name]):
            raise Mistake(f"action.{name}: must be a text")
    return Action(
        kind, *(row.get(name) for name in ("ref", "section", "source", "tokens", "value"))
    )


def _problem(path: str, line: int | None, message: str) -> Problem:
    return Problem(path, "ruleInvalid", line, message)
