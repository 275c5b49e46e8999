"""Parsing the vault's concept rules, ``.clew/concepts.toml``: concepts to ignore or to merge."""

import hashlib
import tomllib
from collections.abc import Mapping

from clew.text.concept import normalize
from clew.values.note import Problem
from clew.values.vault import ConceptRules

CONCEPTS_TOML = ".clew/concepts.toml"
CONCEPTS_TOML_BYTES_MAX = 1024 * 1024


def parse_concept_rules(data: bytes | None) -> ConceptRules:
    """Parse the bytes of the file, ``None`` for no file; a mistake becomes a problem.

    ``ignore`` is a list of names, plain or as ``{name = "todo", reason = "..."}``; ``[merge]`` maps
    a canonical name to the list of its variants. A variant of two concepts is not merged.
    """
    if data is None:
        return ConceptRules()
    digest = file_digest(data)
    try:
        table = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        problem = _problem(f"not valid TOML, so not used: {error}")
        return ConceptRules(problems=(problem,), digest=digest)
    problems = [
        _problem(f"unknown key {key!r}, not used")
        for key in sorted(set(table) - {"ignore", "merge"})
    ]
    ignored = _ignored(table.get("ignore", []), problems)
    merged = _merged(table.get("merge", {}), problems)
    return ConceptRules(frozenset(ignored), merged, tuple(problems), digest)


def file_digest(data: bytes | None) -> str:
    """Return the sha256 of a settings file in hex; "" for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _ignored(value: object, problems: list[Problem]) -> set[str]:
    names = set()
    for item in value if isinstance(value, list) else [value]:
        name = item.get("name") if isinstance(item, dict) else item
        if isinstance(name, str) and normalize(name):
            names.add(normalize(name))
        else:
            problems.append(_problem(f"ignore: {item!r} is no concept"))
    return names


def _merged(value: object, problems: list[Problem]) -> Mapping[str, str]:
    if not isinstance(value, dict):
        problems.append(_problem("merge must be a table of canonical = [variants]"))
        return {}
    merged: dict[str, str] = {}
    ambiguous: set[str] = set()
    for canonical, variants in value.items():
        target = normalize(canonical)
        for variant in variants if isinstance(variants, list) else [variants]:
            name = normalize(variant) if isinstance(variant, str) else ""
            if not target or not name:
                problems.append(_problem(f"merge: {canonical!r} <- {variant!r} is no concept"))
            elif name in merged and merged[name] != target:
                ambiguous.add(name)
                problems.append(_problem(f"merge: {variant!r} is a variant of two concepts"))
            elif name != target:
                merged[name] = target
    for name in ambiguous:
        del merged[name]
    return _flattened(merged, problems)


def _flattened(merged: dict[str, str], problems: list[Problem]) -> Mapping[str, str]:
    """Replace chains of merges by direct ones; a cycle is a problem and merges nothing.

    Each link of a chain is followed once, so a file of one long chain takes linear time.
    """
    ends: dict[str, str] = {}  # by variant: where its chain ends; "" if that is a cycle
    for name in merged:
        chain: dict[str, None] = {}
        target = name
        while target in merged and target not in ends and target not in chain:
            chain[target] = None
            target = merged[target]
        end = "" if target in chain else ends.get(target, target)
        ends.update(dict.fromkeys(chain, end))
    problems += [
        _problem(f"merge: {name!r} is part of a cycle of merges")
        for name in sorted(merged)
        if not ends[name]
    ]
    return {name: ends[name] for name in sorted(merged) if ends[name]}


def _problem(message: str) -> Problem:
    return Problem(CONCEPTS_TOML, "conceptRulesInvalid", None, message)
