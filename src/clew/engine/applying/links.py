"""Keep the table of link targets up to date while a batch is applied."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from clew.engine.applying.effects import Effects, link_forms
from clew.engine.indexes import Indexes
from clew.index.names import NameIndex
from clew.index.same_named import as_written
from clew.values.note import LinkKind, Wikilink

TARGET_WORK = 5  # cost of resolving one target, in units of entering one link


class Use(NamedTuple):
    """One use of a target by a link."""

    text: str  # of the target
    forms: tuple[str, ...] | None  # see ``link_forms``; ``None``: the link names no concept


def uses_of(
    links: Iterable[Wikilink], path: str, names: NameIndex, kinds: Collection[LinkKind]
) -> Counter[Use]:
    """Return how often the links of the note at ``path`` use each target; see ``seen_from``.

    Links of ``kinds`` name concepts.
    """
    return Counter(
        Use(
            names.seen_from(each.canonical_target, path),
            tuple(link_forms(each)) if each.kind in kinds else None,
        )
        for each in links
        if each.target
    )


def relink(
    indexes: Indexes, note_id: int, before: Counter[Use], after: Counter[Use], effects: Effects
) -> bool:
    """Replace a note's uses in the table of targets; return whether they changed.

    Most edits change few links of a note, and only the targets of these are written.
    """
    if before == after:
        return False
    for use in (before - after).elements():
        target = indexes.targets.by_text[use.text]
        indexes.targets.unlink(target, note_id, use.forms)
        effects.unlinked_targets.add(target.text)
        if target.concept is not None:
            effects.touched_concepts.add(target.concept)
    for use in (after - before).elements():
        _link(indexes, note_id, use, effects)
    effects.work += before.total() + after.total()
    return True


def relink_near_same_names(
    indexes: Indexes,
    names_before: NameIndex,
    done: Collection[str],
    kinds: Collection[LinkKind],
    effects: Effects,
) -> None:
    """Enter links again that lead to another of several files with one name, seen from their notes.

    ``names_before`` are the names by which all links were entered; the notes of ``done`` have no
    such links any more.
    """
    several = {
        name
        for name in effects.changed_keys
        if names_before.are_several(name) or indexes.names.are_several(name)
    }
    for path in _notes_that_see_others(indexes, names_before, several).difference(done):
        links = indexes.entries[path].note.links
        before, after = (
            uses_of(links, path, names, kinds) for names in (names_before, indexes.names)
        )
        if relink(indexes, indexes.graph.note_ids[path], before, after, effects):
            effects.dirty_notes.add(path)
            effects.mention_notes.add(path)


def _notes_that_see_others(
    indexes: Indexes, names_before: NameIndex, several: Iterable[str]
) -> set[str]:
    """Return the notes with links to files of these names that lead elsewhere now."""
    paths = set()
    for text in indexes.targets.depending_on(several):
        written = as_written(text)
        for path in map(indexes.graph.path, indexes.targets.uses(text).notes):
            if indexes.names.seen_from(written, path) != names_before.seen_from(written, path):
                paths.add(path)
    return paths


def _link(indexes: Indexes, note_id: int, use: Use, effects: Effects) -> None:
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
