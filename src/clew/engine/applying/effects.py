"""What a batch changes beyond the notes it names, gathered while it is applied."""

from dataclasses import dataclass, field

from clew.index.names import without_extension
from clew.values.note import LinkKind, Wikilink


@dataclass(slots=True)
class Effects:
    """The names, targets and notes that the next steps of applying a batch have to handle."""

    work: int = 0  # its cost, in units of entering one link
    changed_keys: set[str] = field(default_factory=set)  # keys of names that were added or removed
    unlinked_targets: set[str] = field(default_factory=set)  # targets that lost a note
    unsettled_targets: set[str] = field(default_factory=set)  # targets to resolve again
    touched_concepts: set[str] = field(default_factory=set)  # concepts whose mentions changed
    renamed_notes: set[str] = field(default_factory=set)  # notes whose own concept may differ
    other_concepts: set[str] = field(default_factory=set)  # notes that are another concept now
    dirty_notes: set[str] = field(default_factory=set)  # notes whose graph row is written again
    mention_notes: set[str] = field(default_factory=set)  # notes whose mentions are written again


def link_forms(link: Wikilink) -> list[str]:
    """Return the forms in which a link writes and shows the name it links to."""
    forms = [without_extension(link.target)]
    if link.alias and link.kind is not LinkKind.EMBED:
        forms.append(link.alias)
    return forms
