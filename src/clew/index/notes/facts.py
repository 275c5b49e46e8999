"""The facts of a note that lists, filters and dates need; small enough to decode for all notes.

Facts follow from the note alone. Decoding a whole note takes many times as long.
"""

from msgspec import Struct

from clew.text.concept import fold_name
from clew.text.filename import is_attachment, without_extension
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.property_lines import CHARACTERS_MAX
from clew.text.regions.placeholders import is_filled_in
from clew.values.note import DEFAULT_TYPE, Note, Problem
from clew.values.packing import Unpacker
from clew.values.vault import ReadNote, Stamp


class NoteFacts(Struct, frozen=True, array_like=True, gc=False):
    """The facts of one note; dates are POSIX seconds."""

    content_hash: str
    title: str
    headings: tuple[str, ...]
    type: str
    importance: float
    pinned: bool
    source: str | None
    tags: tuple[str, ...]
    stated_created_s: float | None  # in its front matter
    stated_modified_s: float | None  # in its front matter
    stamp: Stamp
    is_racy: bool
    links_to_notes: bool  # whether a link certainly leads to another note
    is_template: bool  # whether a property or heading has a placeholder like ``{{title}}``
    problems: tuple[Problem, ...]


def facts_of(read: ReadNote) -> NoteFacts:
    """Return the facts of a note."""
    note, fields = read.note, read.note.fields
    return NoteFacts(
        content_hash=note.content_hash,
        title=note.title,
        headings=tuple(heading.text for heading in note.headings),
        type=fields.type or DEFAULT_TYPE,
        importance=fields.importance,
        pinned=fields.pinned,
        source=fields.source,
        tags=note.tags,
        stated_created_s=fields.created_at_s,
        stated_modified_s=fields.modified_at_s,
        stamp=read.stamp,
        is_racy=read.is_racy,
        links_to_notes=_links_to_notes(note),
        is_template=_is_template(note),
        problems=note.problems,
    )


def _is_template(note: Note) -> bool:
    """Return whether a note is a template, whose placeholders a plugin fills."""
    head = (split(note.text).frontmatter or "")[:CHARACTERS_MAX]
    return any(map(is_filled_in, (head, *(heading.text for heading in note.headings))))


def _links_to_notes(note: Note) -> bool:
    """Return whether a link certainly leads to another note, existing or not.

    A link with the note's own file name or alias may lead to the note itself, which only names of
    the whole vault could decide.
    """
    own_names = set(map(_file_name, (note.path, *note.fields.aliases)))
    return any(
        link.target and not is_attachment(link.target) and _file_name(link.target) not in own_names
        for link in note.links
    )


def _file_name(path: str) -> str:
    return fold_name(without_extension(path).strip("/").rpartition("/")[2])


unpack_facts: Unpacker[NoteFacts] = Unpacker(NoteFacts)
