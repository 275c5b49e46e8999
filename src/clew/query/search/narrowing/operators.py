"""Whether a note fulfils the operators of a query: ``tag:``, ``path:``, ``file:`` and ``type:``."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from clew.index.facts import NoteFacts
from clew.text.concept import fold_name
from clew.text.query_language import Clause, ClauseKind

Condition: TypeAlias = Callable[[str, NoteFacts], bool]  # of a note's path and facts


def condition(clause: Clause) -> Condition:
    """Return whether a note passes ``clause``, as a function of its path and facts.

    Raises:
        KeyError: the clause has no operator.
    """
    passes = _CONDITIONS[clause.kind](clause.text)
    if clause.is_excluded:
        return lambda path, facts: not passes(path, facts)
    return passes


def has_tags(facts: NoteFacts, tags: Sequence[str]) -> bool:
    """Return whether a note has all of these ``normalized_tag``s, or tags below them."""
    return all(
        any(tag == each or tag.startswith(f"{each}/") for tag in facts.tags) for each in tags
    )


def normalized_tag(tag: str) -> str:
    """Return a tag as notes have it: in lower case, without ``#`` and a slash at its end."""
    return tag.lstrip("#").strip("/").lower()


def _tag(text: str) -> Condition:
    tags = [normalized_tag(text)]
    return lambda _, facts: has_tags(facts, tags)


def _path(text: str) -> Condition:
    part = fold_name(text)
    return lambda path, _: part in fold_name(path)


def _file(text: str) -> Condition:
    part = fold_name(text)
    return lambda path, _: part in fold_name(path.rpartition("/")[2])


def _type(text: str) -> Condition:
    wanted = text.casefold()
    return lambda _, facts: facts.type.casefold() == wanted


_CONDITIONS: dict[ClauseKind, Callable[[str], Condition]] = {
    ClauseKind.TAG: _tag,
    ClauseKind.PATH: _path,
    ClauseKind.FILE: _file,
    ClauseKind.TYPE: _type,
}
