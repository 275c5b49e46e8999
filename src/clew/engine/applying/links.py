"""Keep the table of link targets up to date while a batch is applied."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from clew.engine.applying.effects import Effects, link_forms
from clew.engine.indexes import Indexes
from clew.index.names import NameIndex
from clew.values.note import LinkKind, Wikilink

TARGET_WORK = 5  # cost of resolving one target, in units of entering one link


def relink(
    indexes: Indexes,
    note_id: int,
    before: Sequence[Wikilink] | None,
    after: Sequence[Wikilink],
    kinds: Collection[LinkKind],
    effects: Effects,
) -> bool:
    """Replace a note's links in the table of targets; return whether its row must be written.

    ``before`` are its earlier links, ``None`` for a new note. Links of ``kinds`` name concepts.
    Most edits change few links of a note, and only the targets of these are written.
    """
    uses_before, uses_after = _counted(before or (), kinds), _counted(after, kinds)
    if uses_before == uses_after:
        return before is None
    for use in (uses_before - uses_after).elements():
        target = indexes.targets.by_text[use.text]
        indexes.targets.unlink(target, note_id, use.forms)
        effects.unlinked_targets.add(target.text)
        if target.concept is not None:
            effects.touched_concepts.add(target.concept)
    for use in (uses_after - uses_before).elements():
        _link(indexes, note_id, use, effects)
    effects.work += uses_before.total() + uses_after.total()
    return True


class _Use(NamedTuple):
    """One use of a target by a link."""

    text: str  # of the target
    forms: tuple[str, ...] | None  # see ``link_forms``; ``None``: the link names no concept


def _counted(links: Iterable[Wikilink], kinds: Collection[LinkKind]) -> Counter[_Use]:
    return Counter(
        _Use(each.canonical_target, tuple(link_forms(each)) if each.kind in kinds else None)
        for each in links
        if each.target
    )


def _link(indexes: Indexes, note_id: int, use: _Use, effects: Effects) -> None:
    targets = indexes.targets
    target = targets.by_text.get(use.text)
    if target is None:
        target = targets.add(use.text, NameIndex.keys_of_target(use.text))
        effects.unsettled_targets.add(use.text)
    targets.link(target, note_id, use.forms)
    if target.concept is not None:
        effects.touched_concepts.add(target.concept)


def discard_unused_targets(indexes: Indexes, texts: Iterable[str]) -> None:
    """Discard the targets with these texts that no note holds any more."""
    for text in texts:
        if not indexes.targets.uses(text).notes:
            indexes.targets.discard(indexes.targets.by_text[text])


def settle_targets(indexes: Indexes, effects: Effects) -> None:
    """Determine again which file each unsettled target leads to, and which concept it names."""
    for text in effects.unsettled_targets:
        target = indexes.targets.by_text[text]
        before = target.concept
        resolved = indexes.names.resolve(text)
        concept = indexes.names.concept_of_target(text)
        if resolved != target.resolved:
            holders = indexes.targets.uses(text).notes
            effects.mention_notes.update(map(indexes.graph.path, holders))
        indexes.targets.set_resolution(target, resolved, concept)
        if concept != before:
            mentions = indexes.targets.uses(text).mentions
            effects.dirty_notes.update(map(indexes.graph.path, mentions))
            effects.touched_concepts.update(c for c in (before, concept) if c is not None)
    effects.work += TARGET_WORK * len(effects.unsettled_targets)
