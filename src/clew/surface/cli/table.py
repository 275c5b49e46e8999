"""All commands that send a request to the daemon, as a table for click and the fast path.

Plain classes on purpose: importing dataclasses or enum would cost more than the request itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT, NUMBER, DECIMAL, FLAG, LINES, CHOICE = "text", "number", "decimal", "flag", "lines", "choice"
SORTS, DATES = ("mentions", "recent", "name"), ("modified", "created", "read")
GRAPH_FORMATS = ("json", "mermaid", "dot", "graphml", "html")


class Argument:
    """One positional argument and the request field it fills.

    With ``many``, it takes all words as one text and is the command's only argument.
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
    """One option and the request field it fills; ``kind`` is the kind of its value.

    A field ``a.b`` is ``b`` within the field ``a``. A flag sets its field to ``sets``. An option
    with ``many`` may be repeated and fills its field with a list.
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
    """One command: the method it calls, its arguments and options, and an example."""

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


LIMIT = Option(("-n", "--limit"), "limit", NUMBER, "Print at most this many rows.")
CURSOR = Option(("--cursor",), "cursor", TEXT, "Continue after the cursor of an earlier reply.")
UNTIL_TEXT = "Only notes of an earlier date than this."
PREFIX = Option(("-p", "--prefix"), "prefix", TEXT, "Only rows that begin with this.")
DEPTH = Option(("-d", "--depth"), "depth", NUMBER, "How many steps to follow from the concept.")
BUDGET = Option(("-b", "--budget"), "tokenBudget", NUMBER, "At most this many tokens in all.")
NO_FUZZY = Option(("--no-fuzzy",), "fuzzy", FLAG, "Do not correct spelling.", sets=False)
QUERY = Argument("query", "query", "What to look for, in your own words.", many=True)
SEARCH_QUERY = Argument(
    "query",
    "query",
    "What to look for, in your own words. Understood are also, in an argument in quotes: "
    """'"exact phrase" tag:x path:"my folder" file:x type:x'. """
    "A minus before a word or one of these leaves notes out.",
    required=False,  # without a query, filters select from all notes
    many=True,
)
FILE = Argument("file", "text", "A file; without one, or with -, stdin.", required=False)
NOTE = Argument("note", "uri", "A note: its memory:// URI, its path, or its name.")

# Options of every command, for the client or for the whole request.
VAULT = Option(("--vault",), "vault", TEXT, "The vault's folder.")
SOCKET = Option(("--socket",), "socket", TEXT, "The path of the daemon's socket.")
JSON = Option(("--json",), "json", FLAG, "Print the daemon's reply as JSON.")
WAIT_FRESH = Option(
    ("--wait-fresh",), "waitFresh", FLAG, "First wait until all changes made so far are indexed."
)
WAIT_FOR = Option(
    ("--wait-for",),
    "waitFor",
    TEXT,
    "First wait until the changes made to this note are indexed; repeat for several notes.",
    many=True,
)
AS_OF = Option(("--as-of",), "asOf", TEXT, "Compute ages as of this ISO 8601 date or time.")
COMMON = (VAULT, SOCKET, JSON, WAIT_FRESH, WAIT_FOR, AS_OF)

COMMANDS = (
    Command(
        "search",
        "Find notes by words, meaning, links and time.",
        'clew search "why do the clocks run slow in winter -quartz tag:tide"',
        (SEARCH_QUERY,),
        (
            Option(
                ("-m", "--mode"),
                "mode",
                CHOICE,
                "How to search; hybrid combines all of them.",
                ("hybrid", "semantic", "keyword", "graph"),
            ),
            LIMIT,
            CURSOR,
            Option(
                ("--ranking",),
                "ranking",
                CHOICE,
                "Order by the fused ranks of all legs, or by a sum of scores.",
                ("fused", "additive"),
            ),
            NO_FUZZY,
            Option(("--explain",), "explain", FLAG, "Show why each note has its rank."),
            Option(("-t", "--type"), "filters.type", TEXT, "Only notes of this type."),
            Option(
                ("--tag",),
                "filters.tags",
                TEXT,
                "Only notes with this tag or a subtag; repeat for notes with all of them.",
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
                "Only notes of this date or later: 2024-03-01, 2024-03, yesterday, 7d, last week.",
            ),
            Option(("--until",), "filters.until", TEXT, UNTIL_TEXT),
            Option(
                ("--source",),
                "filters.source",
                TEXT,
                "Only notes from this source or folder; repeat for notes from any of them.",
                many=True,
            ),
            Option(
                ("--concept",),
                "filters.entity",
                TEXT,
                "Only notes that mention this concept; repeat for notes that mention all of them.",
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
            Option(
                ("-b", "--budget"),
                "tokenBudget",
                NUMBER,
                "At most this many tokens: of the listed texts, or of the map.",
            ),
            LIMIT,
            Option(
                ("--map",),
                "format",
                FLAG,
                "Print one line for each with its reference, for an agent.",
                sets="map",
            ),
            Option(
                ("-s", "--strategy"),
                "strategy",
                CHOICE,
                "Rank by words and links, by links to the matches, or by links alone.",
                ("combined", "dependency", "importance"),
            ),
            Option(("--legacy",), "searchMode", FLAG, "Match names alone.", sets="legacy"),
            NO_FUZZY,
        ),
    ),
    Command(
        "context",
        "Print what helps to answer a question, as Markdown within a token budget.",
        'clew context "why do the clocks run slow" --budget 1000 --template compact',
        (QUERY,),
        (
            BUDGET,
            Option(
                ("--template",),
                "template",
                CHOICE,
                "How much is shown beside the text: titles and tags, short labels, or all.",
                ("default", "compact", "detailed"),
            ),
            Option(("--evidence",), "includeEvidence", FLAG, "Show why each candidate is in it."),
            Option(("--no-graph",), "includeGraphRAG", FLAG, "Leave concepts out.", sets=False),
            Option(("--metadata",), "embedMetadata", FLAG, "Append a line of numbers to the text."),
            Option(("--session",), "sessionId", TEXT, "Only point to what it was told before."),
            Option(
                ("--exclude",),
                "exclude",
                TEXT,
                "Leave out this note, or these lines of it; repeat for several references.",
                many=True,
            ),
        ),
    ),
    Command(
        "similar",
        "List concepts whose names are close in meaning.",
        'clew similar "storm surge" -n 5',
        (Argument("name", "conceptName", "The concept, as written in a link."),),
        (LIMIT, CURSOR),
    ),
    Command(
        "concept",
        "Show the concepts related to a concept.",
        'clew concept "machine learning" --depth 2',
        (Argument("name", "conceptName", "The concept, as written in a link."),),
        (
            DEPTH,
            Option(("-n", "--max-entities"), "maxEntities", NUMBER, "At most this many relations."),
            Option(("-c", "--content"), "includeContent", FLAG, "Show the sentences of the notes."),
        ),
    ),
    Command(
        "concepts",
        "List concepts.",
        "clew concepts --prefix machine --sort name",
        (),
        (
            PREFIX,
            Option(("--community",), "communityId", NUMBER, "Only concepts of this community."),
            Option(("-s", "--sort"), "sort", CHOICE, "The order of the rows.", SORTS),
            LIMIT,
            CURSOR,
        ),
    ),
    Command(
        "communities",
        "List communities: groups of concepts that share more notes inside than outside.",
        "clew communities",
        (),
        (LIMIT, CURSOR),
    ),
    Command(
        "path",
        "Show the strongest paths between two concepts.",
        'clew path "tide gauge" "clock drift"',
        (
            Argument("from", "from", "The concept at the start of the path."),
            Argument("to", "to", "The concept at its end."),
        ),
        (Option(("--max-hops",), "maxHops", NUMBER, "At most this many steps."),),
    ),
    Command(
        "graph",
        "Print the graph around a concept, or of the most mentioned concepts.",
        'clew graph "machine learning" --format mermaid',
        (Argument("name", "conceptName", "The concept at the centre.", required=False),),
        (
            DEPTH,
            Option(("-n", "--max-nodes"), "maxNodes", NUMBER, "Print at most this many concepts."),
            Option(("--max-edges",), "maxEdges", NUMBER, "Print at most this many edges."),
            Option(
                ("-f", "--format"), "format", CHOICE, "The format, if not a table.", GRAPH_FORMATS
            ),
        ),
    ),
    Command("links", "List the links in a note.", "clew links Index", (NOTE,), (LIMIT, CURSOR)),
    Command(
        "backlinks",
        "List the lines that link to a note or mention a concept.",
        'clew backlinks --concept "machine learning"',
        (Argument("note", "uri", NOTE.help, required=False),),
        (
            Option(("--concept",), "conceptName", TEXT, "List mentions of this concept instead."),
            LIMIT,
            CURSOR,
        ),
    ),
    Command(
        "code",
        "Show what calls a function or class, what it calls, and the notes that name it.",
        "clew code AuthService.login",
        (Argument("name", "name", "A name, as in the code, or a reference from a reply."),),
        (LIMIT, CURSOR),
    ),
    Command(
        "unresolved", "List link targets without a file.", "clew unresolved", (), (LIMIT, CURSOR)
    ),
    Command("orphans", "List notes without links in or out.", "clew orphans", (), (LIMIT, CURSOR)),
    Command(
        "tags",
        "List tags with the number of notes that carry them, or the notes with one tag.",
        "clew tags project/tides",
        (Argument("tag", "tag", "List the notes of this tag and below.", required=False),),
        (PREFIX, LIMIT, CURSOR),
    ),
    Command(
        "recent",
        "List notes, newest first.",
        "clew recent --since 2026-01-01",
        (),
        (
            Option(
                ("--since",),
                "since",
                TEXT,
                "Only notes of this date or later: yesterday, 7d, 2024-03-01.",
            ),
            Option(("--until",), "until", TEXT, UNTIL_TEXT),
            Option(("--by",), "by", CHOICE, "The date to sort and filter by.", DATES),
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
            Option(("--title",), "title", TEXT, "Print the note with this title instead."),
            Option(("--lines",), "lines", LINES, "Only these lines, as FIRST-LAST."),
        ),
    ),
    Command(
        "expand",
        "Say in few words what the links and names in a text mean here; nothing if it has none.",
        "clew expand question.txt",
        (FILE,),
        (BUDGET,),
    ),
    Command(
        "verify",
        "Check that the references in a text still stand; the exit status is 0 if all do.",
        "clew verify answer.md",
        (FILE,),
    ),
    Command("why", "Show whether a file is indexed, and why not.", "clew why Index.md", (NOTE,)),
    Command("status", "Show the state of the daemon.", "clew status"),
    Command(
        "sync",
        "Walk the vault and index all changes.",
        "clew sync",
        (),
        (Option(("--full",), "full", FLAG, "Read every note again."),),
    ),
    Command(
        "doctor",
        "Show problems and how to fix them.",
        "clew doctor --deep",
        (),
        (
            Option(("--deep",), "deep", FLAG, "Compare the index with a rebuild."),
            Option(("--dump",), "dump", FLAG, "Print the whole index as sorted JSON."),
            Option(("--code",), "code", TEXT, "List all of this kind, such as unlinkedMention."),
            LIMIT,
            CURSOR,
        ),
    ),
)

FINDING = frozenset(("context", "search", "rank", "similar"))  # rendered by ``render_search``
BY_NAME = {command.name: command for command in COMMANDS}
