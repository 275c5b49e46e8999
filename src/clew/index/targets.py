"""The table of link targets: every distinct text that links point to, resolved once.

A canonical target means the same in every note, so it is resolved once for all notes that hold it,
and again only when a change of a note may affect it (see ``clew.index.names``).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from clew.index.structures import multimap


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


@dataclass(slots=True)
class TargetTable:
    """Targets by text, and their texts by key, by resolved path and by concept."""

    by_text: dict[str, Target] = field(default_factory=dict)
    _texts_by_key: multimap.Multimap = field(default_factory=dict)
    _texts_by_path: multimap.Multimap = field(default_factory=dict)
    _texts_by_concept: multimap.Multimap = field(default_factory=dict)
    _display_cache: dict[str, str] = field(default_factory=dict)  # by concept

    def add(self, text: str, keys: Iterable[str]) -> Target:
        """Add a target that is not in the table."""
        target = Target(text, frozenset(keys))
        self.by_text[text] = target
        for key in target.keys:
            multimap.add(self._texts_by_key, key, text)
        return target

    def discard(self, target: Target) -> None:
        """Remove a target that no note holds any more."""
        self.set_resolution(target, None, None)
        del self.by_text[target.text]
        for key in target.keys:
            multimap.discard(self._texts_by_key, key, target.text)

    def set_resolution(self, target: Target, resolved: str | None, concept: str | None) -> None:
        """Set the file that a target leads to and the concept that it names."""
        _move(self._texts_by_path, target.text, target.resolved, resolved)
        _move(self._texts_by_concept, target.text, target.concept, concept)
        target.resolved, target.concept = resolved, concept

    def containers(self) -> tuple[dict[str, Any], ...]:
        """Return the large containers, which the caller frees incrementally."""
        return (
            *(self.by_text, self._texts_by_key, self._texts_by_path),
            *(self._texts_by_concept, self._display_cache),
        )

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
        self._display_cache[concept] = shown
        return shown

    def forget_displays(self, concepts: Iterable[str]) -> None:
        """Invalidate the cached displays of these concepts."""
        for concept in concepts:
            self._display_cache.pop(concept, None)


def _move(index: multimap.Multimap, text: str, before: str | None, after: str | None) -> None:
    """Move ``text`` from the key ``before`` to the key ``after``; ``None`` stands for no key."""
    if before == after:
        return
    if before is not None:
        multimap.discard(index, before, text)
    if after is not None:
        multimap.add(index, after, text)
