"""Every distinct thing a link points to, and what it stands for at the present revision.

A link's text means the same wherever it stands, so it is resolved once for all notes that hold it,
and again only when a note appears or goes that could change the answer.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Target:
    """One canonical link target; notes are given by path."""

    text: str
    keys: frozenset[str]  # what its resolution depends on
    notes: dict[str, int] = field(default_factory=dict)  # note -> its links here, of any kind
    mentions: dict[str, int] = field(default_factory=dict)  # note -> links that name a concept
    forms: dict[str, int] = field(default_factory=dict)  # how it is written and shown, how often
    resolved: str | None = None
    concept: str | None = None


@dataclass(slots=True)
class TargetTable:
    """Targets by text, by what they depend on, by where they lead and by what they name."""

    by_text: dict[str, Target] = field(default_factory=dict)
    _by_key: dict[str, set[str]] = field(default_factory=dict)
    _by_resolved: dict[str, set[str]] = field(default_factory=dict)
    _by_concept: dict[str, set[str]] = field(default_factory=dict)
    _displays: dict[str, str] = field(default_factory=dict)  # as last counted

    def add(self, text: str, keys: Iterable[str]) -> Target:
        """Add a target that no note held so far."""
        target = Target(text, frozenset(keys))
        self.by_text[text] = target
        for key in target.keys:
            self._by_key.setdefault(key, set()).add(text)
        return target

    def discard(self, target: Target) -> None:
        """Remove a target that no note holds any more."""
        self.set_resolution(target, None, None)
        del self.by_text[target.text]
        for key in target.keys:
            _discard(self._by_key, key, target.text)

    def containers(self) -> tuple[dict[str, Any], ...]:
        """Return everything large that this holds, for whoever lets go of it."""
        return self.by_text, self._by_key, self._by_resolved, self._by_concept, self._displays

    def set_resolution(self, target: Target, resolved: str | None, concept: str | None) -> None:
        """Set where a target leads and what it names."""
        if target.resolved != resolved:
            if target.resolved is not None:
                _discard(self._by_resolved, target.resolved, target.text)
            if resolved is not None:
                self._by_resolved.setdefault(resolved, set()).add(target.text)
            target.resolved = resolved
        if target.concept != concept:
            if target.concept is not None:
                _discard(self._by_concept, target.concept, target.text)
            if concept is not None:
                self._by_concept.setdefault(concept, set()).add(target.text)
            target.concept = concept

    def depending_on(self, keys: Iterable[str]) -> set[str]:
        """Return the texts of the targets whose answer depends on any of ``keys``."""
        found: set[str] = set()
        for key in keys:
            found |= self._by_key.get(key, set())
        return found

    def resolving_to(self, path: str) -> list[Target]:
        """Return the targets that resolve to ``path``, sorted by text."""
        return [self.by_text[text] for text in sorted(self._by_resolved.get(path, ()))]

    def naming(self, concept: str) -> list[Target]:
        """Return the targets that name ``concept``, sorted by text."""
        return [self.by_text[text] for text in sorted(self._by_concept.get(concept, ()))]

    def is_mentioned_outside(self, concept: str, path: str) -> bool:
        """Tell whether a link in some other note than ``path`` names ``concept``."""
        for text in self._by_concept.get(concept, ()):
            mentions = self.by_text[text].mentions
            if len(mentions) > 1 or (mentions and path not in mentions):
                return True
        return False

    def display(self, concept: str) -> str:
        """Return how ``concept`` is most often written or shown; ties by code point."""
        known = self._displays.get(concept)
        if known is not None:
            return known
        forms: Counter[str] = Counter()
        for text in self._by_concept.get(concept, ()):
            forms.update(self.by_text[text].forms)
        shown = min(forms, key=lambda form: (-forms[form], form)) if forms else concept
        self._displays[concept] = shown
        return shown

    def forget_displays(self, concepts: Iterable[str]) -> None:
        """Count anew how these concepts are written when next asked."""
        for concept in concepts:
            self._displays.pop(concept, None)


def _discard(index: dict[str, set[str]], key: str, text: str) -> None:
    texts = index.get(key)
    if texts is not None:
        texts.discard(text)
        if not texts:
            del index[key]
