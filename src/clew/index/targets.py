"""The table of link targets: every distinct text that links point to, resolved once.

A canonical target means the same in every note, so it is resolved once for all notes that hold it,
and again only when a change of a note may affect it (see ``clew.index.names``).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from clew.index.structures import multimap
from clew.index.structures.layered_map import LayeredMap

DISPLAYS_MAX = 4_000  # cached displays


@dataclass(slots=True)
class Target:
    """One canonical link target; notes are given by path."""

    text: str
    keys: frozenset[str]  # name keys on which its resolution depends
    notes: dict[str, int] = field(default_factory=dict)  # note -> count of its links to it
    mentions: dict[str, int] = field(default_factory=dict)  # note -> count of links for a concept
    forms: dict[str, int] = field(default_factory=dict)  # written or shown text -> count
    resolved: str | None = None  # the file it leads to
    concept: str | None = None  # the concept it names

    def copy(self) -> "Target":
        """Return an equal target that shares nothing that changes."""
        return replace(
            self, notes=dict(self.notes), mentions=dict(self.mentions), forms=dict(self.forms)
        )


@dataclass(slots=True)
class TargetTable:
    """Targets by text, and their texts by key, by resolved path and by concept."""

    by_text: LayeredMap[str, Target] = field(default_factory=LayeredMap)
    _texts_by_key: multimap.Multimap = field(default_factory=LayeredMap)
    _texts_by_path: multimap.Multimap = field(default_factory=LayeredMap)
    _texts_by_concept: multimap.Multimap = field(default_factory=LayeredMap)
    # By concept; tables share it until one of its displays may have changed.
    _display_cache: dict[str, str] = field(default_factory=dict)

    def copy(self) -> "TargetTable":
        """Return a table of the same targets, in constant time; later changes do not reach it."""
        return TargetTable(
            self.by_text.copy(),
            self._texts_by_key.copy(),
            self._texts_by_path.copy(),
            self._texts_by_concept.copy(),
            self._display_cache,
        )

    def own(self, text: str) -> Target:
        """Return the target with this text, which must exist, to be changed in place."""
        return self.by_text.own(text, Target.copy)

    def add(self, text: str, keys: Iterable[str]) -> Target:
        """Add a target that is not in the table."""
        target = Target(text, frozenset(keys))
        self.by_text[text] = target
        for key in target.keys:
            multimap.add(self._texts_by_key, key, text)
        return self.own(text)

    def discard(self, target: Target) -> None:
        """Remove a target that no note holds any more."""
        self._move(target, None, None)
        del self.by_text[target.text]
        for key in target.keys:
            multimap.discard(self._texts_by_key, key, target.text)

    def set_resolution(self, target: Target, resolved: str | None, concept: str | None) -> None:
        """Set the file that a target leads to and the concept that it names."""
        if (resolved, concept) != (target.resolved, target.concept):
            self._move(target, resolved, concept)
            owned = self.own(target.text)
            owned.resolved, owned.concept = resolved, concept

    def _move(self, target: Target, resolved: str | None, concept: str | None) -> None:
        _move(self._texts_by_path, target.text, target.resolved, resolved)
        _move(self._texts_by_concept, target.text, target.concept, concept)

    def containers(self) -> tuple[LayeredMap[str, Any], ...]:
        """Return the large containers, which the caller frees incrementally."""
        return self.by_text, self._texts_by_key, self._texts_by_path, self._texts_by_concept

    def depending_on(self, keys: Iterable[str]) -> set[str]:
        """Return the texts of the targets that depend on any of ``keys``."""
        return set().union(*(self._texts_by_key.get(key, ()) for key in keys))

    def resolving_to(self, path: str) -> list[Target]:
        """Return the targets that resolve to ``path``, sorted by text."""
        return [self.by_text[text] for text in sorted(self._texts_by_path.get(path, ()))]

    def naming(self, concept: str) -> list[Target]:
        """Return the targets that name ``concept``, sorted by text."""
        return [self.by_text[text] for text in sorted(self._texts_by_concept.get(concept, ()))]

    def is_mentioned_outside(self, concept: str, path: str) -> bool:
        """Return whether a link in another note than ``path`` names ``concept``."""
        for text in self._texts_by_concept.get(concept, ()):
            mentions = self.by_text[text].mentions
            if len(mentions) > 1 or (mentions and path not in mentions):
                return True
        return False

    def display(self, concept: str) -> str:
        """Return the most frequent written or shown form of ``concept``; ties by code point."""
        cached = self._display_cache.get(concept)
        if cached is not None:
            return cached
        forms: Counter[str] = Counter()
        for text in self._texts_by_concept.get(concept, ()):
            forms.update(self.by_text[text].forms)
        shown = min(forms, key=lambda form: (-forms[form], form)) if forms else concept
        if len(self._display_cache) >= DISPLAYS_MAX:
            self._display_cache.clear()
        self._display_cache[concept] = shown
        return shown

    def forget_displays(self, concepts: Iterable[str]) -> None:
        """Invalidate the cached displays of these concepts.

        Copies made before keep the old cache: what they add to it must not be seen here.
        """
        kept = self._display_cache.copy()
        for concept in concepts:
            kept.pop(concept, None)
        self._display_cache = kept


def _move(index: multimap.Multimap, text: str, before: str | None, after: str | None) -> None:
    """Move ``text`` from the key ``before`` to the key ``after``; ``None`` stands for no key."""
    if before == after:
        return
    if before is not None:
        multimap.discard(index, before, text)
    if after is not None:
        multimap.add(index, after, text)
