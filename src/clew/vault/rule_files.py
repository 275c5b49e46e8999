"""The vault's rules for agents, ``.clew/rules/*.json``: what is read, and what a file may hold.

A file holds one rule or a list of rules. A rule that is not understood becomes a problem with the
line where it begins, and the others are used.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clew.text.patterns import BadPattern, compiled
from clew.values.note import Problem
from clew.values.vault import Action, FieldTest, Group, Rule, RuleFiles
from clew.vault.root import VaultRoot

RULES_FOLDER = ".clew/rules"
FILES_MAX = 100
FILE_BYTES_MAX = 1024 * 1024
ALL_BYTES_MAX = 4 * 1024 * 1024
RULES_MAX = 10_000
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
SECTIONS = (
    *("state", "warnings", "constraints", "knowledge", "history", "suggestions"),
    "working_memory",
)
PRIORITIES = ("critical", "high", "medium", "low")
_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "include": ("ref",),
    "exclude": ("ref",),
    "cap": ("section", "source", "tokens"),
    "setPriority": ("section", "value"),
}


class _Mistake(ValueError):
    """What is wrong in a rule; the message names the place within the rule."""


def changed_rule_files(root: VaultRoot, known: RuleFiles) -> RuleFiles | None:
    """Return the vault's rules if their files differ from those of the known ones."""
    names = [name for name in root.names_in(RULES_FOLDER) if name.endswith(".json")]
    if not names and not known.digest:
        return None
    files: dict[str, bytes] = {}
    left = ALL_BYTES_MAX
    for name in sorted(names)[:FILES_MAX]:
        data = root.read_small(f"{RULES_FOLDER}/{name}", min(FILE_BYTES_MAX, left) + 1)
        if data is not None:
            files[name] = data
            left -= min(len(data), left)
    digest = _digest(files, len(names))
    return None if digest == known.digest else parse_rule_files(files, len(names), digest)


def parse_rule_files(files: Mapping[str, bytes], file_count: int, digest: str = "") -> RuleFiles:
    """Parse the files by their names in the folder; mistakes become problems.

    ``file_count``: how many files there are, of which only the first may be given.
    """
    rules: list[Rule] = []
    problems: list[Problem] = []
    left = ALL_BYTES_MAX
    if file_count > FILES_MAX:
        problems.append(_problem(RULES_FOLDER, None, f"only the first {FILES_MAX} files are used"))
    for name in sorted(files):
        path = f"{RULES_FOLDER}/{name}"
        if len(files[name]) > min(FILE_BYTES_MAX, left):
            message = f"not used: files may have {FILE_BYTES_MAX:,} bytes, {ALL_BYTES_MAX:,} in all"
            problems.append(_problem(path, None, message))
            continue
        left -= len(files[name])
        for found in _parsed(path, files[name]):
            (rules if isinstance(found, Rule) else problems).append(found)  # type: ignore[arg-type]
    if len(rules) > RULES_MAX:
        rest = rules[RULES_MAX]
        problems.append(
            _problem(rest.path, rest.line, f"only the first {RULES_MAX:,} rules are used")
        )
    return RuleFiles(tuple(rules[:RULES_MAX]), tuple(problems[:PROBLEMS_MAX]), digest)


def _digest(files: Mapping[str, bytes], file_count: int) -> str:
    if not files and not file_count:
        return ""
    digest = hashlib.sha256(str(file_count).encode())
    for name in sorted(files):
        digest.update(f"\n{name!r} {len(files[name])}\n".encode())
        digest.update(files[name])
    return digest.hexdigest()


def _parsed(path: str, data: bytes) -> Iterator[Rule | Problem]:
    try:
        for line, value in _values(data.decode("utf-8-sig")):
            try:
                yield _rule(path, line, value)
            except _Mistake as mistake:
                yield _problem(path, line, f"rule not used: {mistake}")
    except json.JSONDecodeError as error:
        yield _problem(path, error.lineno, f"not valid JSON from here on: {error.msg}")
    except UnicodeDecodeError:
        yield _problem(path, None, "not UTF-8, so not used")
    except RecursionError:
        yield _problem(path, None, "nested too deeply from some rule on, which is not used")


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each rule: the elements of a list, or the only value.

    Raises:
        json.JSONDecodeError: what follows is no JSON.
    """
    decoder, counted_to, line = json.JSONDecoder(), 0, 1
    at = _after_blanks(text, 0)
    is_list = text[at : at + 1] == "["
    at = _after_blanks(text, at + is_list)
    while not (is_list and text[at : at + 1] == "]"):
        value, end = decoder.raw_decode(text, at)
        line += text.count("\n", counted_to, at)
        counted_to = at
        yield line, value
        at = _after_blanks(text, end)
        if not is_list:
            break
        if text[at : at + 1] == ",":
            at = _after_blanks(text, at + 1)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("expected a comma or the end of the list", text, at)
    at = _after_blanks(text, at + is_list)
    if at < len(text):
        raise json.JSONDecodeError("something follows the end", text, at)


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


def _rule(path: str, line: int, value: Any) -> Rule:
    row = _object(value, "rule", ("name", "condition", "action"))
    name = row["name"]
    if not isinstance(name, str) or not 0 < len(name) <= NAME_CHARACTERS_MAX:
        raise _Mistake(f"name: must be a text of 1 to {NAME_CHARACTERS_MAX} characters")
    condition = tuple(_condition(row["condition"], "condition", DEPTH_MAX))
    if sum(isinstance(step, FieldTest) for step in condition) > TESTS_MAX:
        raise _Mistake(f"condition: more than {TESTS_MAX:,} tests")
    return Rule(name, path, line, condition, _action(row["action"]))


def _condition(value: Any, place: str, depth: int) -> Iterator[FieldTest | Group]:
    """Yield a condition in postfix order."""
    if depth == 0:
        raise _Mistake(f"condition: more than {DEPTH_MAX} groups within each other")
    if isinstance(value, list):
        yield from _group(value, place, depth, is_all=True)
    elif isinstance(value, dict) and "any" in value:
        members = _object(value, place, ("any",))["any"]
        if not isinstance(members, list):
            raise _Mistake(f"{place}.any: must be a list of conditions")
        yield from _group(members, f"{place}.any", depth, is_all=False)
    else:
        yield _test(value, place)


def _group(
    members: list[Any], place: str, depth: int, *, is_all: bool
) -> Iterator[FieldTest | Group]:
    if not members:
        raise _Mistake(f"{place}: must not be empty")
    for number, member in enumerate(members, 1):
        yield from _condition(member, f"{place}[{number}]", depth - 1)
    yield Group(is_all, len(members))


def _test(value: Any, place: str) -> FieldTest:
    if isinstance(value, dict) and value.get("op") in PRESENCE_OPS:
        row = {"value": None, **_object(value, place, ("field", "op"), optional=("value",))}
    else:
        row = _object(value, place, ("field", "op", "value"))
    _one_of(row["field"], FIELDS, f"{place}.field")
    op = _one_of(row["op"], OPS, f"{place}.op")
    return FieldTest(row["field"], op, _value(op, row["value"], f"{place}.value"))


def _value(op: str, value: Any, place: str) -> Any:
    """Return the value that a test compares with."""
    if op in PRESENCE_OPS:
        return None
    if op in LIST_OPS:
        if not isinstance(value, list) or not all(map(_is_plain, value)):
            raise _Mistake(f"{place}: {op} needs a list of texts or numbers")
        return tuple(value)
    if op in NUMBER_OPS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _Mistake(f"{place}: {op} needs a number")
        return float(value)
    if not _is_plain(value) or (op in TEXT_OPS and not isinstance(value, str)):
        raise _Mistake(f"{place}: {op} needs a text{'' if op in TEXT_OPS else ' or a number'}")
    if op == "matches":
        try:
            compiled(value)
        except BadPattern as error:
            raise _Mistake(f"{place}: {error}") from error
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= TEXT_CHARACTERS_MAX
    return isinstance(value, bool | int | float) and abs(value) < 2**53


def _action(value: Any) -> Action:
    named = value.get("type") if isinstance(value, dict) else None
    kind = _one_of(named, tuple(_ACTIONS), "action.type")
    allowed = _ACTIONS[kind]
    row = _object(value, "action", ("type",), optional=allowed)
    if kind == "cap":
        if ("section" in row) == ("source" in row):
            raise _Mistake("action: cap needs a section or a source")
        tokens = row.get("tokens")
        if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens <= 10**6:
            raise _Mistake("action.tokens: must be a whole number from 0 to 1,000,000")
    elif missing := [name for name in allowed if name not in row]:
        raise _Mistake(f"action.{missing[0]}: is missing")
    if "section" in row:
        _one_of(row["section"], SECTIONS, "action.section")
    if "value" in row:
        _one_of(row["value"], PRIORITIES, "action.value")
    for name in ("ref", "source"):
        if name in row and not (isinstance(row[name], str) and _is_plain(row[name]) and row[name]):
            raise _Mistake(f"action.{name}: must be a text")
    return Action(
        kind, *(row.get(name) for name in ("ref", "section", "source", "tokens", "value"))
    )


def _object(
    value: Any, place: str, required: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Mistake(f"{place}: must be an object with {', '.join(required)}")
    if missing := [name for name in required if name not in value]:
        raise _Mistake(f"{place}.{missing[0]}: is missing")
    if unknown := sorted(value.keys() - {*required, *optional}):
        raise _Mistake(f"{place}: nothing is called {_shown(unknown[0])} here")
    return value


def _one_of(value: Any, known: tuple[str, ...], place: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise _Mistake(f"{place}: {_shown(value)} is none of {', '.join(known)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _problem(path: str, line: int | None, message: str) -> Problem:
    return Problem(path, "ruleInvalid", line, message)
