"""The reply of the method ``code``: entities, their calls, and the notes that mention them."""

from clew.values.replies import ListReply, Part


class CodeSymbol(Part, frozen=True, kw_only=True):
    """An entity, and the lines that define it."""

    symbol_id: str
    name: str  # with the names of the enclosing entities
    kind: str
    file: str  # the URI of a note, or the path of a file of code
    lines: tuple[int, int]
    ref: str  # the reference of these lines


class CodeReceiver(Part, frozen=True, kw_only=True):
    """The function whose call has the entity among its arguments."""

    name: str  # with the path of names before it
    symbol_id: str | None  # the entity of this name, if it is in the project and certain
    file: str | None
    ref: str | None


class CodeEdge(Part, frozen=True, kw_only=True):
    """A call, or a use as a value: the entity at its other end, and how that was resolved."""

    symbol_id: str
    name: str
    kind: str
    file: str  # of the other entity
    ref: str  # of the lines of the other entity
    line: int  # of the call or use, in the file that contains it
    via: str
    comment: str | None  # the comment on the call or use in the source
    receiver: CodeReceiver | None  # the called function, for a use among the arguments of a call


class CodeImport(Part, frozen=True, kw_only=True):
    """An import of a module."""

    module: str  # as it is written
    name: str | None  # the imported name; null for the module itself
    line: int
    symbol_id: str | None  # the imported entity, if it is in the project
    file: str | None


class CodeNote(Part, frozen=True, kw_only=True):
    """A note that mentions an entity, with the first line that does."""

    uri: str
    line: int
    text: str


class CodeEntity(CodeSymbol, frozen=True, kw_only=True):
    """An entity with its edges: one page of each list, and the count of all its rows."""

    language: str
    about: str | None  # its docstring, or the comment above it
    inside: str | None  # the errors that its docstring names, and the comments in its body
    members: tuple[CodeSymbol, ...]
    member_count: int
    callers: tuple[CodeEdge, ...]
    caller_count: int
    passed: tuple[CodeEdge, ...]  # uses of it as a value, without a call
    passed_count: int
    calls: tuple[CodeEdge, ...]
    call_count: int
    unresolved_calls: tuple[str, ...]  # called names without a known entity, each once
    unresolved_count: int
    implements: tuple[CodeSymbol, ...]
    implementations: tuple[CodeSymbol, ...]
    implementation_count: int
    imports: tuple[CodeImport, ...]  # only for a module
    import_count: int
    notes: tuple[CodeNote, ...]
    note_count: int


class CodeReply(ListReply, frozen=True, kw_only=True):
    """The entities that have a name: one with all its edges, or several with their first edges.

    ``total`` and ``cursor`` apply to the entities, or to the longest list of a single one.
    """

    entities: tuple[CodeEntity, ...]
    ambiguous: bool  # whether several entities have the name
    truncated: bool  # the work was limited, and there may be more callers or notes
    suggestions: tuple[str, ...]  # names similar to an unknown one
