"""What is listed by each command: where its rows are in the reply, and what their fields mean.

The names of fields are those of the protocol. A test compares them with the replies.
"""

from __future__ import annotations

from clew.surface.cli.lists.options import CSV, FILES, GREP, LIST_OPTIONS, NAMES, NULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.surface.cli.table import Option

OWN = "."  # as the place of a row: the note that the whole reply is about


class Listing:
    """The rows of a reply.

    ``rows``: the fields of the reply that have them. ``columns``: the fields of a row, for CSV.
    ``file``: the field with the URI of a note, or several. ``place``, ``line`` and ``text``: the
    fields with the URI, the line (or first and last line) and the text for ``--grep``. ``name``:
    the field with the name. "" where rows have no such field.
    """

    __slots__ = ("columns", "file", "line", "name", "place", "rows", "text")

    def __init__(
        self,
        rows: str,
        columns: str,
        *,
        file: str = "",
        name: str = "",
        place: str = "",
        line: str = "",
        text: str = "",
    ) -> None:
        self.rows = tuple(rows.split())
        self.columns = tuple(columns.split())
        self.file = file
        self.place = place or (file if text else "")
        self.line = line
        self.text = text
        self.name = name

    @property
    def options(self) -> Sequence[Option]:
        """The options that can print these rows."""
        has_each = ((FILES, self.file), (NAMES, self.name), (GREP, self.place), (CSV, self.columns))
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
        place=OWN,
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
    "unresolved": Listing("unresolved", "target count files", file="files", name="target"),
    "verify": Listing("citations", "ref state now"),
    "why": _PROBLEMS,
}


def listing_of(command: str, *, of_tag: bool) -> Listing | None:
    """Return what a command lists; ``None`` for one that lists nothing.

    ``of_tag``: ``tags`` is given a tag, and lists the notes that have it.
    """
    return TAGGED if of_tag else LISTINGS.get(command)


def shown_options(command: str) -> Sequence[Option]:
    """Return the options that the help of a command shows."""
    listings = [LISTINGS[command]] if command in LISTINGS else []
    if command == "tags":
        listings.append(TAGGED)
    usable = {option.field for listing in listings for option in listing.options}
    return [option for option in LIST_OPTIONS if option.field in usable]
