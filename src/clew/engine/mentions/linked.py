"""Leave out the notes that a text both names and links to: these are no unlinked mentions."""

from collections.abc import Iterable

from clew.engine.indexes import Indexes


def notes_not_linked(indexes: Indexes, path: str, named: Iterable[str | None]) -> set[str]:
    """Return the paths in ``named`` to which no link of the note at ``path`` leads.

    A link also leads to a note if it names the note's concept.
    """
    links = [link for link in indexes.entries[path].note.links if link.target]
    texts = {indexes.names.seen_from(link.canonical_target, path) for link in links}
    targets = [indexes.targets.by_text[text] for text in texts]
    linked = {part for target in targets for part in (target.resolved, target.concept)} - {None}
    return {
        other
        for other in named
        if other is not None
        and other not in linked
        and indexes.concept_by_path.get(other) not in linked
    }
