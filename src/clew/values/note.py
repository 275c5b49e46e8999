"""What one Markdown file says, as frozen values: the note, its links and its problems.

These go between processes and into the state as they are (``array_like``: their fields in order),
and hold nothing that could form a cycle, so the cycle collector need not look at them (``gc``).
"""

from enum import StrEnum

from msgspec import Struct

DEFAULT_TYPE = "note"  # of a note that says nothing of its type


class LinkKind(StrEnum):
    """How a link is written; each kind can be switched on or off as a source of concepts."""

    WIKI = "wiki"
    EMBED = "embed"
    MARKDOWN = "markdown"
    FRONTMATTER = "frontmatter"


class Wikilink(Struct, frozen=True, array_like=True, gc=False):
    """One occurrence of a link to a note, a concept or an attachment."""

    target: str  # without fragment and alias; "" means the note itself
    fragment: str | None  # "Heading", "H1#H2" or "^block", without the leading "#"
    alias: str | None  # the shown text, where the link gives one
    kind: LinkKind
    line: int  # 1-based
    absolute_target: str | None  # ``/dir/x`` where ``target`` is ``./x`` or ``../x``

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
    """A run of a note's text that is searched as one."""

    start: int  # characters of the note's text
    end: int
    first_line: int  # 1-based
    last_line: int
    heading: int  # place of the innermost heading it begins under, -1 for none
    tokens: int


class Problem(Struct, frozen=True, array_like=True, gc=False):
    """Something about one file that its owner would want to know; never an exception."""

    path: str
    code: str  # stable, camelCase
    line: int | None  # 1-based, where a line is to blame
    message: str


class Fields(Struct, frozen=True, array_like=True, gc=False):
    """What the front matter says in the keys clew reads; absent keys are ``None`` or empty."""

    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # lower case, without "#"
    type: str | None = None
    importance: float = 0.5  # 0..1
    created_at_s: float | None = None  # POSIX seconds
    modified_at_s: float | None = None  # POSIX seconds
    pinned: bool = False
    source: str | None = None


class Note(Struct, frozen=True, array_like=True, gc=False):
    r"""One note as read at one moment.

    ``path`` is relative to the vault, separated by ``/``, and is the note's key. ``text`` has its
    line ends normalized to ``\n``. A note that could only be indexed by name has empty text.
    """

    path: str
    content_hash: str  # sha256 hex of the file's bytes
    title: str
    text: str
    fields: Fields
    links: tuple[Wikilink, ...]
    tags: tuple[str, ...]  # front matter and body, lower case, sorted, each once
    headings: tuple[Heading, ...]
    chunks: tuple[Chunk, ...]  # in order, without overlap
    problems: tuple[Problem, ...]
    name_only: bool  # true when the content was too large or too odd to read
