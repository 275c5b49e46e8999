"""The side effects of a batch on other notes, gathered while it is applied."""

import re
from dataclasses import dataclass, field

from clew.text.filename import without_extension
from clew.values.note import LinkKind, Wikilink

_BEGINNING = re.compile(r"\A(?:\.{0,2}/)+")


@dataclass(slots=True)
class Effects:
    """The names, targets and notes that the next steps of applying a batch have to handle."""

    work: int = 0  # its cost, in units of entering one link
    changed_keys: set[str] = field(default_factory=set)  # keys of names that were added or removed
    unlinked_targets: set[str] = field(default_factory=set)  # targets that lost a note
    unsettled_targets: set[str] = field(default_factory=set)  # targets to resolve again
    touched_concepts: set[str] = field(default_factory=set)  # concepts whose mentions changed
    renamed_notes: set[str] = field(default_factory=set)  # notes that may name another concept now
    other_concepts: set[str] = field(default_factory=set)  # notes that do name another concept now
    dirty_notes: set[str] = field(default_factory=set)  # notes whose graph row is written again
    mention_notes: set[str] = field(default_factory=set)  # notes whose mentions are written again


def link_forms(link: Wikilink) -> list[str]:
    """Return the forms of a name that a link writes or shows: its target, and its alias.

    The leading ``/`` or ``../`` of a path, as in ``../people/Ann``, is left out.
    """
    written = without_extension(link.target)
    forms = [_BEGINNING.sub("", written) or written]
    if link.alias and link.kind is not LinkKind.EMBED:
        forms.append(link.alias)
    return forms
