"""Write the rows of the graph: which concepts each note mentions, and how often."""

from collections import Counter
from collections.abc import Set as AbstractSet

from clew.engine.applying.effects import Effects
from clew.engine.indexes import Indexes
from clew.values.note import LinkKind

ROW_WORK = 10  # measured cost of writing one row of the graph, in units of entering one link


def write_rows(indexes: Indexes, kinds: AbstractSet[LinkKind], effects: Effects) -> None:
    """Write the rows of all notes whose mentioned concepts changed.

    Only links of ``kinds`` mention a concept.
    """
    for concept in effects.touched_concepts:
        effects.dirty_notes |= indexes.paths_by_concept.get(concept, set())
    for path in effects.dirty_notes:
        _write_row(indexes, kinds, path)
    effects.work += ROW_WORK * len(effects.dirty_notes)


def _write_row(indexes: Indexes, kinds: AbstractSet[LinkKind], path: str) -> None:
    row: Counter[str] = Counter()
    for each in indexes.entries[path].note.links:
        if each.target and each.kind in kinds:
            text = indexes.names.seen_from(each.canonical_target, path)
            concept = indexes.targets.by_text[text].concept
            if concept is not None:
                row[concept] += 1
    own_concept = indexes.concept_by_path.get(path)
    note_id = indexes.graph.add(path)
    is_mentioned_outside = indexes.targets.is_mentioned_outside
    # A note counts as a mention of its own concept once another note mentions that concept.
    if own_concept and own_concept not in row and is_mentioned_outside(own_concept, note_id):
        row[own_concept] = 1
    indexes.graph.put(path, row)
