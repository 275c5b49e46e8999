"""Every command that asks the daemon, as data: the one table behind click and the short way.

Plain classes on purpose: dataclasses and enums would cost the short way more than the exchange.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT, NUMBER, DECIMAL, FLAG = "text", "number", "decimal", "flag"
LINES, CHOICE = "lines", "choice"
GRAPH_FORMATS = ("json", "mermaid", "dot", "graphml", "html")


class Argument:
    """One positional argument and the request field it fills.

    ``many`` takes all the words there are, as one text; it is then the command's only argument.
    """

    __slots__ = ("field", "help", "many", "name", "required")

    def __init__(
        self, name: str, field: str, text: str, *, required: bool = True, many: bool = False
    ) -> None:
        self.name = name
        self.field = field
        self.help = text
        self.required = required
        self.many = many


class Option:
    """One option and the request field it fills; ``kind`` says what it takes.

    A field ``a.b`` is ``b`` within the field ``a``. A flag ``sets`` its field to a value; what is
    ``many`` may be given again and fills its field with a list.
    """

    __slots__ = ("choices", "field", "flags", "help", "kind", "many", "sets")

    def __init__(
        self,
        flags: Sequence[str],
        field: str,
        kind: str,
        text: str,
        choices: Sequence[str] = (),
        *,
        sets: bool | str = True,
        many: bool = False,
    ) -> None:
        self.flags = tuple(flags)
        self.field = field
        self.kind = kind
        self.help = text
        self.choices = tuple(choices)
        self.sets = sets
        self.many = many


class Command:
    """One command: the method it calls, what it takes, and an example."""

    __slots__ = ("arguments", "example", "help", "name", "options")

    def __init__(
        self,
        name: str,
        text: str,
        example: str,
        arguments: Sequence[Argument] = (),
        options: Sequence[Option] = (),
    ) -> None:
        self.name = name
        self.help = text
        self.example = example
        self.arguments = tuple(arguments)
        self.options = tuple(options)


LIMIT = Option(("-n", "--limit"), "limit", NUMBER, "At most this many rows.")
CURSOR = Option(("--cursor",), "cursor", TEXT, "Go on after an earlier reply's cursor.")
DEPTH = Option(("-d", "--depth"), "depth", NUMBER, "How many steps to go outward.")
NO_FUZZY = Option(("--no-fuzzy",), "fuzzy", FLAG, "Take every word as it is written.", sets=False)
QUERY = Argument("query", "query", "What to look for, in your own words.", many=True)
NOTE = Argument("note", "uri", "A note: its memory:// URI, its path, or its name.")

# Options of every command; they steer the client, or the request as a whole.
VAULT = Option(("--vault",), "vault", TEXT, "The vault's folder.")
SOCKET = Option(("--socket",), "socket", TEXT, "The daemon's socket.")
JSON = Option(("--json",), "json", FLAG, "Print the daemon's reply as it is.")
WAIT_FRESH = Option(
    ("--wait-fresh",), "waitFresh", FLAG, "Answer only after every change made before this."
)
AS_OF = Option(("--as-of",), "asOf", TEXT, "Count ages to this ISO 8601 date or time.")
COMMON = (VAULT, SOCKET, JSON, WAIT_FRESH, AS_OF)
CLIENT_FIELDS = frozenset(("vault", "socket", "json"))

COMMANDS = (
    Command(
        "search",
        "Find notes by words, meaning, links and time.",
        'clew search "why do the clocks run slow in winter" --folder concepts',
        (QUERY,),
        (
            Option(
                ("-m", "--mode"),
                "mode",
                CHOICE,
                "What to find by; hybrid is all of them.",
                ("hybrid", "semantic", "keyword", "graph"),
            ),
            LIMIT,
            CURSOR,
            Option(
                ("--ranking",),
                "ranking",
                CHOICE,
                "Order by the place in each list, or by a sum of reasons.",
                ("fused", "additive"),
            ),
            NO_FUZZY,
            Option(("--explain",), "explain", FLAG, "Tell why each note stands where it does."),
            Option(("-t", "--type"), "filters.type", TEXT, "Only notes of this type."),
            Option(
                ("--tag",),
                "filters.tags",
                TEXT,
                "Only notes with this tag or one below it; with each, if given again.",
                many=True,
            ),
            Option(("--folder",), "filters.folder", TEXT, "Only notes in this folder."),
            Option(
                ("--min-importance",),
                "filters.minImportance",
                DECIMAL,
                "Only notes of at least this importance, 0 to 1.",
            ),
            Option(
                ("--since",),
                "filters.since",
                TEXT,
                "Only notes modified at or after this ISO 8601 date.",
            ),
            Option(("--until",), "filters.until", TEXT, "Only notes modified before this date."),
            Option(
                ("--source",),
                "filters.source",
                TEXT,
                "Only notes from this source or folder; from any, if given again.",
                many=True,
            ),
            Option(
                ("--concept",),
                "filters.entity",
                TEXT,
                "Only notes that mention this concept; that mention each, if given again.",
                many=True,
            ),
        ),
    ),
    Command(
        "rank",
        "List the notes, headings and concepts that matter most to a query, within a token budget.",
        "clew rank tide gauge --budget 1000",
        (QUERY,),
        (
            Option(("-b", "--budget"), "tokenBudget", NUMBER, "How many tokens they may take."),
            Option(
                ("-s", "--strategy"),
                "strategy",
                CHOICE,
                "What counts: words and links, links to what is asked for, or links alone.",
                ("combined", "dependency", "importance"),
            ),
            Option(
                ("--legacy",), "searchMode", FLAG, "Match by names and not by words.", sets="legacy"
            ),
            NO_FUZZY,
        ),
    ),
    Command(
        "similar",
        "List concepts whose names are near in meaning.",
        'clew similar "storm surge" -n 5',
        (Argument("name", "conceptName", "The concept, as a link would write it."),),
        (LIMIT, CURSOR),
    ),
    Command(
        "concept",
        "Show what goes with a concept.",
        'clew concept "machine learning" --depth 2',
        (Argument("name", "conceptName", "The concept, as a link would write it."),),
        (
            DEPTH,
            Option(("-n", "--max-entities"), "maxEntities", NUMBER, "At most this many relations."),
            Option(("-c", "--content"), "includeContent", FLAG, "Show the words of the notes."),
        ),
    ),
    Command(
        "concepts",
        "List concepts.",
        "clew concepts --prefix machine --sort name",
        (),
        (
            Option(("-p", "--prefix"), "prefix", TEXT, "Only those that begin with this."),
            Option(("--community",), "communityId", NUMBER, "Only those of this community."),
            Option(
                ("-s", "--sort"), "sort", CHOICE, "Order of rows.", ("mentions", "recent", "name")
            ),
            LIMIT,
            CURSOR,
        ),
    ),
    Command(
        "communities",
        "List groups of concepts that share notes with each other more than with others.",
        "clew communities",
        (),
        (LIMIT, CURSOR),
    ),
    Command(
        "path",
        "Show the best chains of concepts between two.",
        'clew path "tide gauge" "clock drift"',
        (
            Argument("from", "from", "Where the chain begins."),
            Argument("to", "to", "Where it ends."),
        ),
        (Option(("--max-hops",), "maxHops", NUMBER, "At most this many steps."),),
    ),
    Command(
        "graph",
        "Print the graph around a concept, or of the most mentioned ones.",
        'clew graph "machine learning" --format mermaid',
        (Argument("name", "conceptName", "The concept in the middle.", required=False),),
        (
            DEPTH,
            Option(("-n", "--max-nodes"), "maxNodes", NUMBER, "At most this many concepts."),
            Option(("-f", "--format"), "format", CHOICE, "What to print.", GRAPH_FORMATS),
        ),
    ),
    Command("links", "List the links a note holds.", "clew links Index", (NOTE,), (LIMIT, CURSOR)),
    Command(
        "backlinks",
        "List the places that link to a note, or name a concept.",
        'clew backlinks --concept "machine learning"',
        (Argument("note", "uri", NOTE.help, required=False),),
        (
            Option(("--concept",), "conceptName", TEXT, "A concept instead of a note."),
            LIMIT,
            CURSOR,
        ),
    ),
    Command(
        "unresolved",
        "List link targets that lead to no file.",
        "clew unresolved -n 20",
        (),
        (LIMIT, CURSOR),
    ),
    Command("orphans", "List notes without links in or out.", "clew orphans", (), (LIMIT, CURSOR)),
    Command(
        "tags",
        "List tags with the number of notes that carry them.",
        "clew tags --prefix project/",
        (),
        (
            Option(("-p", "--prefix"), "prefix", TEXT, "Only those that begin with this."),
            LIMIT,
            CURSOR,
        ),
    ),
    Command(
        "recent",
        "List notes, newest first.",
        "clew recent --since 2026-01-01",
        (),
        (
            Option(("--since",), "since", TEXT, "Only those at or after this ISO 8601 date."),
            Option(("--by",), "by", CHOICE, "Which date counts.", ("modified", "created", "read")),
            LIMIT,
            CURSOR,
        ),
    ),
    Command(
        "read",
        "Print a note, and mark it as read.",
        'clew read "Machine Learning" --lines 1-20',
        (Argument("note", "uri", NOTE.help, required=False),),
        (
            Option(("--title",), "title", TEXT, "The note with this title instead."),
            Option(("--lines",), "lines", LINES, "Only these lines, first-last."),
        ),
    ),
    Command("why", "Tell whether and why a file is indexed or not.", "clew why Index.md", (NOTE,)),
    Command("status", "Show how the daemon is.", "clew status"),
    Command(
        "sync",
        "Walk the vault and apply what changed.",
        "clew sync",
        (),
        (Option(("--full",), "full", FLAG, "Read every note again."),),
    ),
    Command(
        "doctor",
        "Show what is wrong and what to do about it.",
        "clew doctor --deep",
        (),
        (
            Option(("--deep",), "deep", FLAG, "Compare the index with a rebuild."),
            Option(("--dump",), "dump", FLAG, "Print all that the index holds, as sorted JSON."),
        ),
    ),
)

FINDING = frozenset(("search", "rank", "similar"))  # commands whose answers are drawn by ``found``
BY_NAME = {command.name: command for command in COMMANDS}
