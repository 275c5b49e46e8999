"""The parameters of each JSON-RPC method: fields, defaults and ranges.

An unknown field or a value out of range is an error when the parameters are decoded.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from clew.values.windows.priorities import Priority

LIST_LIMIT_MAX = 100_000
TEXT_CHARACTERS_MAX = 4_096
EDGES_MAX = 20_000  # of a drawn graph

QUERY_CHARACTERS_MAX = 200_000
FILTER_VALUES_MAX = 100
WAIT_FOR_MAX = 100
EXCLUDED_MAX = 10_000
COMPLETIONS_MAX = 1_000
SESSION_ID_MAX = 200  # characters
VERIFIED_CHARACTERS_MAX = 1_048_576
TASK_CHARACTERS_MAX = 100_000
EPOCH_CHARACTERS_MAX = 64
ITEMS_MAX = 1_000  # of one section
SYMBOLS_MAX = 5_000  # of a reply of ``rank``
INTEGER_MAX = 2**53 - 1  # the largest integer that every JSON reader keeps exactly
TRACES_MAX = 32  # assemblies that the daemon remembers

Query = Annotated[str, Meta(max_length=QUERY_CHARACTERS_MAX)]  # search refuses an empty one
Short = Annotated[str, Meta(min_length=1, max_length=1_000)]
Text = Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS_MAX)]
TaskText = Annotated[str, Meta(max_length=TASK_CHARACTERS_MAX)]
Line = Annotated[int, Meta(ge=1, le=2**31)]


class Request(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The fields that every request may have."""

    wait_fresh: bool = False  # wait until every change made before the request is applied
    # Notes: wait until every change made to them before the request is applied.
    wait_for: Annotated[tuple[Text, ...], Meta(max_length=WAIT_FOR_MAX)] = ()
    wait_fresh_ms: Annotated[int, Meta(ge=0, le=600_000)] = 5_000  # the limit of both waits
    as_of: str | None = None  # ISO 8601: the moment at which ages are computed
    # Whether the reply may show private notes; ``ifAllowed``: if the daemon's config allows it.
    include_private: bool | Literal["ifAllowed"] = False


class ListRequest(Request, frozen=True, kw_only=True):
    """The fields that every request for a list may have."""

    limit: Annotated[int, Meta(ge=1, le=LIST_LIMIT_MAX)] = 50
    cursor: str | None = None


class Hello(Request, frozen=True, kw_only=True):
    """Ask for a version of the protocol."""

    protocol: Annotated[int, Meta(ge=0, le=INTEGER_MAX)]


class Describe(Request, frozen=True, kw_only=True):
    """The JSON Schemas of the parameters and result of a method, or of all methods."""

    method: Short | None = None


class Status(Request, frozen=True, kw_only=True):
    """Ask for the state of the daemon."""


class Sync(Request, frozen=True, kw_only=True):
    """Walk the vault and apply what changed."""

    full: bool = False  # read every note again, even if its stamp is unchanged


class Shutdown(Request, frozen=True, kw_only=True):
    """Stop the daemon cleanly."""


class Since(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last revision that a client received, and the epoch of the daemon that sent it."""

    epoch: Annotated[str, Meta(max_length=EPOCH_CHARACTERS_MAX)]
    revision: Annotated[int, Meta(ge=0, le=INTEGER_MAX)]


class Subscribe(Request, frozen=True, kw_only=True):
    """Send a notification ``changed`` on this connection whenever notes change."""

    since: Since | None = None


class ConceptRequest(Request, frozen=True, kw_only=True):
    """A concept and its related concepts."""

    concept_name: Text
    depth: Annotated[int, Meta(ge=0, le=100)] = 2
    max_entities: Annotated[int, Meta(ge=1, le=1_000)] = 20
    max_files: Annotated[int, Meta(ge=0, le=20)] = 1  # notes to name for each relation
    include_content: bool = False


class Concepts(ListRequest, frozen=True, kw_only=True):
    """All concepts, or those that begin with ``prefix``."""

    prefix: Annotated[str, Meta(max_length=TEXT_CHARACTERS_MAX)] | None = None
    community_id: Annotated[int, Meta(ge=0, le=INTEGER_MAX)] | None = None
    sort: Literal["mentions", "recent", "name"] = "mentions"


class CommunitiesRequest(ListRequest, frozen=True, kw_only=True):
    """Groups of concepts that share notes."""


class PathRequest(Request, frozen=True, kw_only=True):
    """The best paths between two concepts."""

    from_: Text = field(name="from")
    to: Text
    max_hops: Annotated[int, Meta(ge=1, le=20)] = 6


class GraphRequest(Request, frozen=True, kw_only=True):
    """The graph around a concept, or of the most mentioned concepts."""

    concept_name: Text | None = None
    depth: Annotated[int, Meta(ge=0, le=20)] = 1
    max_nodes: Annotated[int, Meta(ge=1, le=5_000)] | None = None
    max_edges: Annotated[int, Meta(ge=0, le=EDGES_MAX)] | None = None
    format: Literal["json", "mermaid", "dot", "graphml", "html"] = "json"
    live: bool = False  # html: the page asks the server it came from for newer versions of itself

    @property
    def nodes_max(self) -> int:
        """The largest number of nodes: as requested, else as many as are readable in the format."""
        return self.max_nodes or (14 if self.format == "mermaid" else 100)


class Filters(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Conditions on notes; each result fulfils all of them."""

    type: Short | None = None
    tags: Annotated[tuple[Short, ...], Meta(max_length=FILTER_VALUES_MAX)] = ()  # has all of them
    folder: Text | None = None
    min_importance: Annotated[float, Meta(ge=0, le=1)] | None = None
    since: Short | None = None  # ISO 8601: modified at this time or later
    until: Short | None = None  # ISO 8601: modified before this time
    source: Annotated[tuple[Short, ...], Meta(max_length=FILTER_VALUES_MAX)] = ()  # has any of them
    entity: Annotated[tuple[Short, ...], Meta(max_length=FILTER_VALUES_MAX)] = ()  # mentions all


class Search(ListRequest, frozen=True, kw_only=True):
    """Notes by words, meaning, concepts and time."""

    query: Query
    mode: Literal["hybrid", "semantic", "keyword", "graph"] = "hybrid"
    filters: Filters | None = None
    ranking: Literal["fused", "additive"] = "fused"
    fuzzy: bool = True
    explain: bool = False
    limit: Annotated[int, Meta(ge=1, le=LIST_LIMIT_MAX)] = 10


class Rank(Request, frozen=True, kw_only=True):
    """Notes, headings and concepts, as many as fit into a budget of tokens."""

    query: Query
    token_budget: Annotated[int, Meta(ge=100, le=100_000)] = 4_000
    strategy: Literal["combined", "dependency", "importance"] = "combined"
    fuzzy: bool = True
    search_mode: Literal["fts", "legacy"] = "fts"
    format: Literal["rows", "map"] = "rows"
    limit: Annotated[int, Meta(ge=1, le=SYMBOLS_MAX)] = SYMBOLS_MAX


class Context(Request, frozen=True, kw_only=True):
    """A Markdown pack of passages and concepts that answer a query, within a budget of tokens."""

    query: Query
    token_budget: Annotated[int, Meta(ge=100, le=100_000)] = 4_000
    include_memories: bool = True
    include_code_graph: bool = True
    include_graph_rag: bool = field(default=True, name="includeGraphRAG")
    filters: Filters | None = None
    template: Literal["default", "compact", "detailed"] = "default"
    include_evidence: bool = False
    embed_metadata: bool = False
    exclude: Annotated[tuple[Text, ...], Meta(max_length=EXCLUDED_MAX)] = ()  # references
    session_id: Annotated[str, Meta(min_length=1, max_length=SESSION_ID_MAX)] | None = None


class Task(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an agent is to do."""

    text: TaskText
    type: Short | None = None


class Named(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent or a project."""

    name: Short | None = None


class Session(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The conversation to which a task belongs."""

    id: Text | None = None  # may be the URI of a note
    turn_count: Annotated[int, Meta(ge=0, le=2**31)] | None = None


class Item(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of text for a section of a context window."""

    text: Annotated[str, Meta(max_length=TASK_CHARACTERS_MAX)]
    priority: Priority = "medium"
    source: Short | None = None
    ref: Text | None = None


Items = Annotated[tuple[Item, ...], Meta(max_length=ITEMS_MAX)]
Mentions = Annotated[tuple[Text, ...], Meta(max_length=EXCLUDED_MAX)]
Caps = Annotated[dict[Text, Annotated[int, Meta(ge=0, le=1_000_000)]], Meta(max_length=ITEMS_MAX)]


class TaskRequest(Request, frozen=True, kw_only=True):
    """The fields of every request about one turn of an agent."""

    task: Task
    agent: Named = Named()
    project: Named = Named()
    session: Session = Session()
    state: Items = ()
    constraints: Items = ()
    history: Items = ()
    suggestions: Items = ()
    working_memory: Items = ()


class EvaluateRules(TaskRequest, frozen=True, kw_only=True):
    """The rules of the vault that fire for a task, and their effects; nothing is searched."""


class Validate(TaskRequest, frozen=True, kw_only=True):
    """Check whether ``assemble`` could use all of a request; nothing is searched."""

    mentions: Mentions = ()
    caps: Caps = {}


class Assemble(Validate, frozen=True, kw_only=True):
    """A context window for a task: seven sections within a budget of tokens."""

    token_budget: Annotated[int, Meta(ge=100, le=100_000)] = 8_000
    timeout_ms: Annotated[int, Meta(ge=1, le=60_000)] = 2_000  # for each pipeline
    format: Literal["items", "text", "messages"] = "text"


class Trace(Request, frozen=True, kw_only=True):
    """The last replies of ``assemble``, the newest first."""

    limit: Annotated[int, Meta(ge=1, le=TRACES_MAX)] = 1


class Similar(ListRequest, frozen=True, kw_only=True):
    """Concepts whose names are similar in meaning."""

    concept_name: Text


class Links(ListRequest, frozen=True, kw_only=True):
    """The links of a note."""

    uri: Text


class Backlinks(ListRequest, frozen=True, kw_only=True):
    """The links that lead to a note, or that name a concept."""

    uri: Text | None = None
    concept_name: Text | None = None


class Unresolved(ListRequest, frozen=True, kw_only=True):
    """Link targets that lead to no file."""


class Orphans(ListRequest, frozen=True, kw_only=True):
    """Notes without links in or out."""


class Tags(ListRequest, frozen=True, kw_only=True):
    """Tags with the number of notes that have them, or the notes of one tag."""

    tag: Short | None = None
    prefix: Annotated[str, Meta(max_length=TEXT_CHARACTERS_MAX)] | None = None


class Recent(ListRequest, frozen=True, kw_only=True):
    """Notes, newest first."""

    since: str | None = None  # a date
    until: str | None = None  # a date; the range ends before it
    by: Literal["modified", "created", "read"] = "modified"


class Read(Request, frozen=True, kw_only=True):
    """A note's text; the only request that marks a note as read."""

    uri: Text | None = None
    title: Text | None = None
    lines: tuple[Line, Line] | None = None  # first and last, 1-based


class Complete(Request, frozen=True, kw_only=True):
    """The names of a kind that begin with what a user has typed."""

    kind: Literal["concept", "note", "tag", "folder"]
    prefix: Annotated[str, Meta(max_length=TEXT_CHARACTERS_MAX)] = ""
    limit: Annotated[int, Meta(ge=1, le=COMPLETIONS_MAX)] = 100


class Verify(Request, frozen=True, kw_only=True):
    """Check whether the lines that a text cites are unchanged."""

    text: Annotated[str, Meta(max_length=VERIFIED_CHARACTERS_MAX)]


class Expand(Request, frozen=True, kw_only=True):
    """Explain the links and unambiguous names in a text, within a budget of tokens."""

    text: Annotated[str, Meta(max_length=TASK_CHARACTERS_MAX)]
    token_budget: Annotated[int, Meta(ge=50, le=4_000)] = 300


class Code(ListRequest, frozen=True, kw_only=True):
    """A function, class, object, module or the like: its calls, and the notes that name it."""

    name: Text


class Why(Request, frozen=True, kw_only=True):
    """Explain why a file is indexed or not."""

    uri: Text


class Doctor(ListRequest, frozen=True, kw_only=True):
    """Checks and problems, with what to do about them."""

    code: Short | None = None  # list the problems or suggestions of this kind instead of all
    deep: bool = False  # compare the state with a rebuild
    dump: bool = False  # write the whole index to a file
