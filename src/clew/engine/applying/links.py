"""The targets of links while a batch is applied: which notes hold them, and what they name."""

from collections.abc import Collection, Iterable

from clew.engine.applying.effects import Effects, link_forms
from clew.engine.indexes import Indexes
from clew.index.names import NameIndex
from clew.values.note import LinkKind, Note

TARGET_WORK = 5  # cost of resolving one target, in units of entering one link


def link(
    indexes: Indexes, note: Note, note_id: int, kinds: Collection[LinkKind], effects: Effects
) -> None:
    """Enter the links of a note into the targets; those of ``kinds`` name concepts."""
    targets = indexes.targets
    for each in note.links:
        if not each.target:
            continue
        text = each.canonical_target
        target = targets.by_text.get(text)
        if target is None:
            target = targets.add(text, NameIndex.keys_of_target(text))
            effects.unsettled_targets.add(text)
        targets.link(target, note_id, link_forms(each) if each.kind in kinds else None)
        if target.concept is not None:
            effects.touched_concepts.add(target.concept)
    effects.work += len(note.links)


def unlink(indexes: Indexes, path: str, kinds: Collection[LinkKind], effects: Effects) -> None:
    """Remove the links of the note at ``path`` from the targets, if it was indexed."""
    entry, note_id = indexes.entries.get(path), indexes.graph.note_id(path)
    if entry is None or note_id is None:
        return
    for each in entry.note.links:
        target = indexes.targets.by_text.get(each.canonical_target)
        if target is None:
            continue
        forms = link_forms(each) if each.kind in kinds else ()
        indexes.targets.unlink(target, note_id, forms)
        if target.concept is not None:
            effects.touched_concepts.add(target.concept)
        effects.unlinked_targets.add(target.text)
    effects.work += len(entry.note.links)


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
