"""The rows that each command lists: their place in the reply, and the roles of their fields.

Fields have the names of the protocol. A test compares them with the replies.
"""

from __future__ import annotations

from clew.surface.cli.lists.options import CSV, FILES, GREP, LIST_OPTIONS, NAMES, NULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.surface.cli.table import Option

REPLY_URI = "."  # in place of a field: the URI of the whole reply


class Listing:
    """The fields of a reply that hold its rows, and the roles of the fields of a row.

    ``rows``: the fields of the reply that hold rows. ``columns``: the fields of a row, for CSV.
    ``file``: the field with the URI of a note, or of several. ``grep_uri``, ``line`` and ``text``:
    the fields with the URI, the line (or first and last line) and the text for ``--grep``.
    ``name``: the field with the name. A role is "" if rows have no such field.
    """

    __slots__ = ("columns", "file", "grep_uri", "line", "name", "rows", "text")

    def __init__(
        self,
        rows: str,
        columns: str,
        *,
        file: str = "",
        name: str = "",
        grep_uri: str = "",
        line: str = "",
        text: str = "",
    ) -> None:
        self.rows = tuple(rows.split())
        self.columns = tuple(columns.split())
        self.file = file
        self.grep_uri = grep_uri or (file if text else "")
        self.line = line
        self.text = text
        self.name = name

    @property
    def options(self) -> Sequence[Option]:
        """The options that can print these rows."""
        has_each = (
            (FILES, self.file),
            (NAMES, self.name),
            (GREP, self.grep_uri),
            (CSV, self.columns),
        )
        options = [option for option, field in has_each if field]
        return [*options, NULL] if self.file or self.name else options


_PROBLEMS = Listing(
    "problems", "uri line code value message", file="uri", line="line", text="message"
)
TAGGED = Listing("notes", "uri title tags", file="uri", text="title")
LISTINGS = {
    "backlinks": Listing(
        "backlinks mentions", "list uri line text", file="uri", line="line", text="text"
    ),
    "communities": Listing(
        "communities", "id size label central displayCentral bridges displayBridges"
    ),
    "concept": Listing(
        "directRelations",
        "name displayName coOccurrenceCount decayWeight weightedScore communityId fileCount files",
        name="displayName",
    ),
    "concepts": Listing(
        "concepts",
        "name displayName noteCount mentionCount communityId aliases",
        name="displayName",
    ),
    "doctor": _PROBLEMS,
    "graph": Listing("edges", "a b coOccurrenceCount weightedScore"),
    "links": Listing(
        "links",
        "line kind target fragment alias resolved concept displayName",
        file="resolved",
        grep_uri=REPLY_URI,
        line="line",
        text="target",
    ),
    "orphans": Listing("orphans", "uri", file="uri", text="uri"),
    "rank": Listing(
        "results",
        "symbolId name kind file lines relevanceScore importanceScore combinedScore tokens",
        file="file",
        name="name",
        line="lines",
        text="name",
    ),
    "recent": Listing(
        "notes", "uri title type modified created lastRead", file="uri", text="title"
    ),
    "search": Listing(
        "results",
        "uri title heading lines line snippet score confidence matched tokens supersededBy"
        " broughtIn day ofPeriod",
        file="uri",
        line="line",
        text="snippet",
    ),
    "similar": Listing("similar", "name displayName similarity connected", name="displayName"),
    "tags": Listing("tags", "tag count", name="tag"),
    "unresolved": Listing("unresolved", "target count files mayMean", file="files", name="target"),
    "verify": Listing("citations", "ref state now"),
    "why": _PROBLEMS,
}


def listing_of(command: str, *, of_tag: bool) -> Listing | None:
    """Return the listing of a command; ``None`` if it lists nothing.

    ``of_tag``: the command ``tags`` has a tag as its argument, and lists the notes with it.
    """
    return TAGGED if of_tag else LISTINGS.get(command)


def shown_options(command: str) -> Sequence[Option]:
    """Return the options that the help of a command shows."""
    listings = [LISTINGS[command]] if command in LISTINGS else []
    if command == "tags":
        listings.append(TAGGED)
    usable = {option.field for listing in listings for option in listing.options}
    return [option for option in LIST_OPTIONS if option.field in usable]
