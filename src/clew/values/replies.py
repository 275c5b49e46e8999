"""The replies: queries return these values, and the socket sends them, rounded, in camelCase."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

SCORE_DECIMALS = 6
QUARANTINED = "quarantined"  # the state of a note that crashed the indexer, and its problem code


def rounded(score: float) -> float:
    """Round a score for a reply."""
    return round(score, SCORE_DECIMALS)


class Progress(Struct, frozen=True, kw_only=True, rename="camel"):
    """The number of notes read so far, and of all notes found."""

    done: int
    total: int


class Reply(Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields of every reply with data."""

    revision: int
    indexing: Progress | UnsetType | None = UNSET  # set while the first index is not whole


class ListReply(Reply, frozen=True, kw_only=True):
    """The fields of every reply with a list."""

    total: int
    start: int  # number of rows before this page
    cursor: str | None  # send it back to get the next page; null at the end


class ConceptsAsked(Reply, frozen=True, kw_only=True):
    """The fields of replies to requests that name concepts."""

    unknown: tuple[str, ...]  # requested concepts that no note mentions
    ignored: tuple[str, ...] = ()  # the ones in ``unknown`` that .clew/concepts.toml ignores
    suggestions: tuple[str, ...]  # concepts with names similar to the unknown ones
    display_suggestions: tuple[str, ...]


class Part(Struct, frozen=True, kw_only=True, rename="camel"):
    """A piece of a reply."""


class Problem(Part, frozen=True, kw_only=True):
    """Something wrong in one file."""

    uri: str
    code: str
    line: int | None
    message: str
    value: str | None  # the wrong text as written, if it can be shown


class DirectRelation(Part, frozen=True, kw_only=True):
    """A concept that shares notes with the requested one."""

    name: str
    display_name: str
    co_occurrence_count: int
    decay_weight: float
    weighted_score: float
    community_id: int | None
    files: tuple[str, ...]
    file_count: int
    content_preview: dict[str, str] | UnsetType = UNSET


class ExpandedPath(Part, frozen=True, kw_only=True):
    """The path to a concept that is not a direct relation."""

    name: str
    display_name: str
    score: float
    hops: int
    path: tuple[str, ...]
    display_path: tuple[str, ...]  # the display names of ``path``


class CommunitySibling(Part, frozen=True, kw_only=True):
    """A concept of the same community with no note in common."""

    name: str
    display_name: str
    community_id: int
    shared_neighbor_count: int
    normalized_overlap: float


class ConceptReply(Reply, frozen=True, kw_only=True):
    """A concept and its related concepts."""

    concept_name: str
    display_name: str
    depth: int
    community_id: int | None
    community_revision: int | None
    note_count: int
    direct_relations: tuple[DirectRelation, ...]
    relation_count: int  # of all direct relations
    expanded_relations: tuple[str, ...]
    expanded_paths: tuple[ExpandedPath, ...]
    community_siblings: tuple[CommunitySibling, ...]
    ignored: bool = False  # .clew/concepts.toml ignores it, so no note mentions it
    suggestions: tuple[str, ...]
    display_suggestions: tuple[str, ...]  # the display names of ``suggestions``


class ConceptRow(Part, frozen=True, kw_only=True):
    """One concept of a list."""

    name: str
    display_name: str
    note_count: int
    mention_count: int
    community_id: int | None
    aliases: tuple[str, ...]


class Concepts(ListReply, frozen=True, kw_only=True):
    """Concepts of the vault."""

    concepts: tuple[ConceptRow, ...]


class CommunityRow(Part, frozen=True, kw_only=True):
    """One community."""

    id: int
    size: int
    label: tuple[str, ...]
    central: tuple[str, ...]
    bridges: tuple[str, ...]
    display_central: tuple[str, ...]  # the display names of ``central``
    display_bridges: tuple[str, ...]


class CommunitiesReply(ListReply, frozen=True, kw_only=True):
    """Groups of concepts that share notes with each other more than with others."""

    communities: tuple[CommunityRow, ...]
    modularity: float
    community_revision: int | None


class PathEdge(Part, frozen=True, kw_only=True):
    """One step of a path, with the notes that mention both concepts."""

    from_: str = field(name="from")
    to: str
    weighted_score: float
    files: tuple[str, ...]


class ConceptPath(Part, frozen=True, kw_only=True):
    """A path of concepts."""

    score: float
    concepts: tuple[str, ...]
    display_names: tuple[str, ...]  # of ``concepts``
    edges: tuple[PathEdge, ...]


class PathReply(ConceptsAsked, frozen=True, kw_only=True):
    """Paths between two concepts, best first."""

    paths: tuple[ConceptPath, ...]
    truncated: bool  # the work was limited, and a better path may exist


class GraphNode(Part, frozen=True, kw_only=True, gc=False):
    """A concept as a node."""

    name: str
    display_name: str
    community_id: int | None
    note_count: int


class GraphEdge(Part, frozen=True, gc=False):
    """Two concepts that share notes; ``a`` sorts before ``b``.

    Fields can be passed by position, which is faster for thousands of edges.
    """

    a: str
    b: str
    co_occurrence_count: int
    weighted_score: float


class GraphJson(ConceptsAsked, frozen=True, kw_only=True):
    """A part of the graph as data."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    edge_count: int  # of all edges among the nodes


class GraphText(ConceptsAsked, frozen=True, kw_only=True):
    """A part of the graph as text in some format."""

    format: str
    text: str


class LinkRow(Part, frozen=True, kw_only=True):
    """One link of a note."""

    target: str
    fragment: str | None
    alias: str | None
    kind: str
    line: int
    resolved: str | None
    concept: str | None
    display_name: str | None  # of the concept


class Links(ListReply, frozen=True, kw_only=True):
    """The links of a note."""

    uri: str
    links: tuple[LinkRow, ...]


class BacklinkRow(Part, frozen=True, kw_only=True):
    """A link to the requested note or concept, or a mention of it, with its line of text."""

    uri: str
    line: int
    text: str


class Backlinks(ListReply, frozen=True, kw_only=True):
    """The links to a note or a concept, and on the first page the unlinked mentions of it."""

    backlinks: tuple[BacklinkRow, ...]
    unknown: tuple[str, ...]  # requested concepts that no note mentions
    ignored: tuple[str, ...] = ()  # the ones in ``unknown`` that .clew/concepts.toml ignores
    suggestions: tuple[str, ...]  # concepts with names similar to the unknown one
    display_suggestions: tuple[str, ...]
    mentions: tuple[BacklinkRow, ...]  # at most as many as the limit, one for each note
    mention_count: int  # notes that mention it


class UnresolvedRow(Part, frozen=True, kw_only=True):
    """A link target that leads to no file."""

    target: str
    count: int
    files: tuple[str, ...]
    may_mean: tuple[str, ...]  # notes with this title, alias or former path


class Unresolved(ListReply, frozen=True, kw_only=True):
    """Link targets that lead to no file."""

    unresolved: tuple[UnresolvedRow, ...]


class Orphans(ListReply, frozen=True, kw_only=True):
    """Notes without links in or out."""

    orphans: tuple[str, ...]


class TagRow(Part, frozen=True, kw_only=True):
    """A tag and the number of notes that have it."""

    tag: str
    count: int


class Tags(ListReply, frozen=True, kw_only=True):
    """Tags of the vault."""

    tags: tuple[TagRow, ...]


class TaggedNote(Part, frozen=True, kw_only=True):
    """A note with a tag, and those of its tags that are this tag or below it."""

    uri: str
    title: str
    tags: tuple[str, ...]


class TaggedNotes(ListReply, frozen=True, kw_only=True):
    """The notes with one tag, or one below it, by path."""

    tag: str
    notes: tuple[TaggedNote, ...]
    suggestions: tuple[str, ...]  # similar tags, if no note has it


class RecentRow(Part, frozen=True, kw_only=True):
    """One note with its dates, ISO 8601 in UTC."""

    uri: str
    title: str
    type: str
    modified: str
    created: str
    last_read: str | None


class Recent(ListReply, frozen=True, kw_only=True):
    """Notes, newest first by the date that ``by`` names: modified, created or read."""

    by: str
    notes: tuple[RecentRow, ...]


class Completions(Reply, frozen=True, kw_only=True):
    """The names that begin with what was typed."""

    values: tuple[str, ...]


class Metadata(Part, frozen=True, kw_only=True):
    """The metadata of a note."""

    type: str
    tags: tuple[str, ...]
    importance: float
    created: str
    modified: str
    aliases: tuple[str, ...]


class Citation(Part, frozen=True, kw_only=True):
    """A reference, and whether the cited lines are unchanged."""

    ref: str
    state: Literal["stands", "moved", "changed", "gone"]
    now: str | None  # the reference of the lines now, if they have moved


class Expand(Reply, frozen=True, kw_only=True):
    """A line for each note or concept that a text names; empty if it names none."""

    text: str
    refs: tuple[str, ...]  # a reference for each line of ``text``
    tokens: int
    more: int  # number of notes and concepts that did not fit


class Verify(Reply, frozen=True, kw_only=True):
    """The references in a text, each once, in the order of the text."""

    citations: tuple[Citation, ...]
    unchecked: int  # number of references beyond the limit


class Read(Reply, frozen=True, kw_only=True):
    """A note's text; ``checksum`` is the sha256 of the whole file."""

    uri: str
    title: str
    content: str
    checksum: str
    lines: tuple[int, int]
    total_lines: int
    metadata: Metadata
    citation: Citation | None  # if the request names lines with their hash


class NoteDate(Part, frozen=True, kw_only=True):
    """A date of a note, and where it comes from."""

    date: str
    source: str  # a ``DateSource``


class Why(Reply, frozen=True, kw_only=True):
    """Whether a file is indexed, the reason if it is not, and the facts that decide its weight."""

    uri: str
    state: str
    rule: str | None
    created: NoteDate | None  # only for indexed notes, like the three fields below
    changed: NoteDate | None
    weight: float | None  # at the moment of the request, 0..1
    chunks: int | None  # number of its indexed passages
    problems: tuple[Problem, ...]


class ErrorReply(Part, frozen=True, kw_only=True):
    """The ``error`` member of a JSON-RPC reply."""

    code: int
    message: str
    data: dict[str, Any]
