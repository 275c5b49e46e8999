"""Whether a note fulfils the operators of a query: ``tag:``, ``path:``, ``file:`` and ``type:``."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from clew.index.facts import NoteFacts
from clew.text.concept import fold_name
from clew.text.query_language import Clause, ClauseKind


class NoteAsked:
    """A note that conditions are checked on; its facts are decoded when one asks for them."""

    __slots__ = ("_all_facts", "_facts", "path")

    def __init__(self, path: str, all_facts: Mapping[str, NoteFacts]) -> None:
        self.path = path
        self._all_facts = all_facts
        self._facts: NoteFacts | None = None

    @property
    def facts(self) -> NoteFacts:
        """What filters need to know of the note besides its path."""
        if self._facts is None:
            self._facts = self._all_facts[self.path]
        return self._facts


Condition: TypeAlias = Callable[[NoteAsked], bool]


def condition(clause: Clause) -> Condition:
    """Return whether a note passes ``clause``, as a function of the note.

    Raises:
        KeyError: the clause has no operator.
    """
    passes = _CONDITIONS[clause.kind](clause.text)
    if clause.is_excluded:
        return lambda note: not passes(note)
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
    return lambda note: has_tags(note.facts, tags)


def _path(text: str) -> Condition:
    part = fold_name(text)
    return lambda note: part in fold_name(note.path)


def _file(text: str) -> Condition:
    part = fold_name(text)
    return lambda note: part in fold_name(note.path.rpartition("/")[2])


def _type(text: str) -> Condition:
    wanted = text.casefold()
    return lambda note: note.facts.type.casefold() == wanted


_CONDITIONS: dict[ClauseKind, Callable[[str], Condition]] = {
    ClauseKind.TAG: _tag,
    ClauseKind.PATH: _path,
    ClauseKind.FILE: _file,
    ClauseKind.TYPE: _type,
}
