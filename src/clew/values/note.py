"""A parsed note as frozen values: its text, fields, links, headings, chunks and problems.

These values are sent between processes and saved as they are, as arrays of their fields
(``array_like``). They cannot form reference cycles, so the collector need not track them (``gc``).
"""

from enum import StrEnum

from msgspec import Struct

DEFAULT_TYPE = "note"  # for a note without a `type` key


class LinkKind(StrEnum):
    """The ways to write a link; the config chooses which of them are sources of concepts."""

    WIKI = "wiki"
    EMBED = "embed"
    MARKDOWN = "markdown"
    FRONTMATTER = "frontmatter"


class Wikilink(Struct, frozen=True, array_like=True, gc=False):
    """One occurrence of a link to a note, a concept or an attachment."""

    target: str  # without fragment and alias; "" for the note that holds the link
    fragment: str | None  # "Heading", "H1#H2" or "^block", without the leading "#"
    alias: str | None  # the text to show instead of the target
    kind: LinkKind
    line: int  # 1-based
    absolute_target: str | None  # ``/dir/x`` where ``target`` is ``./x``, ``../x`` or ``/dir//x``

    @property
    def canonical_target(self) -> str:
        """The target in a form that means the same in every note."""
        return self.absolute_target or self.target


class Heading(Struct, frozen=True, array_like=True, gc=False):
    """One heading of a note."""

    level: int  # 1..6
    text: str
    line: int  # 1-based


class Chunk(Struct, frozen=True, array_like=True, gc=False):
    """A span of a note's text: the unit that search indexes."""

    start: int  # in characters of the note's text
    end: int  # in characters, exclusive
    first_line: int  # 1-based
    last_line: int
    heading: int  # index of the innermost heading above its start, -1 for none
    tokens: int
    part_tokens: tuple[int, ...]  # the counts of its parts; see ``text.counting``


class Problem(Struct, frozen=True, array_like=True, gc=False):
    """Something wrong in one file, reported to its owner; never raised."""

    path: str
    code: str  # stable, camelCase
    line: int | None  # 1-based; None for the whole file
    message: str
    value: str | None = None  # the wrong text as written; its start if it is long


class Fields(Struct, frozen=True, array_like=True, gc=False):
    """The front matter keys that clew reads; an absent key is ``None`` or empty."""

    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # lower case, without "#"
    type: str | None = None
    importance: float = 0.5  # 0..1
    created_at_s: float | None = None  # POSIX seconds
    modified_at_s: float | None = None  # POSIX seconds
    pinned: bool = False
    source: str | None = None
    lang: str | None = None  # as it is written: "de", "de-AT"
    private: bool = False
    superseded_by: tuple[str, ...] = ()  # targets of links to the notes that replace this one
    supersedes: tuple[str, ...] = ()  # targets of links to the notes that it replaces


class Note(Struct, frozen=True, array_like=True, gc=False):
    r"""One note as it was when it was read.

    ``path`` is relative to the vault, with ``/`` between folders, and identifies the note. The line
    ends of ``text`` are ``\n``; a note that is indexed by its name alone has an empty text.
    """

    path: str
    content_hash: str  # sha256 hex of the file's bytes
    title: str
    text: str
    fields: Fields
    links: tuple[Wikilink, ...]
    tags: tuple[str, ...]  # front matter and body, lower case, sorted, each once
    headings: tuple[Heading, ...]
    chunks: tuple[Chunk, ...]  # in the order of the text, without overlap
    problems: tuple[Problem, ...]
    name_only: bool  # the content was too large, or could not be read as text
    may_have_secrets: bool  # if false, ``text.masking.secrets`` finds none in any part of the text
