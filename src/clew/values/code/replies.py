"""The reply of the method ``code``: entities, what calls them, and the notes that speak of them."""

from clew.values.replies import ListReply, Part


class CodeSymbol(Part, frozen=True, kw_only=True):
    """An entity: where it is defined."""

    symbol_id: str
    name: str  # with the names of the entities around it
    kind: str
    file: str  # the URI of a note, or the path of a file of code
    lines: tuple[int, int]
    ref: str  # the reference of these lines


class CodeReceiver(Part, frozen=True, kw_only=True):
    """What is called with a value that is handed over."""

    name: str  # with the path of names before it
    symbol_id: str | None  # what it means, if that is in the project and sure
    file: str | None
    ref: str | None


class CodeEdge(Part, frozen=True, kw_only=True):
    """A call or hand-over: the entity at its other end, and how that was resolved."""

    symbol_id: str
    name: str
    kind: str
    file: str  # of the other entity
    ref: str  # of the lines of the other entity
    line: int  # of the call or hand-over, in the file that has it
    via: str
    comment: str | None  # that belongs to the call or hand-over in the source
    receiver: CodeReceiver | None  # of what is handed over in the arguments of a call


class CodeImport(Part, frozen=True, kw_only=True):
    """An import of a module."""

    module: str  # as it is written
    name: str | None  # what is imported of the module; null for the module itself
    line: int
    symbol_id: str | None  # where it leads to, if that is in the project
    file: str | None


class CodeNote(Part, frozen=True, kw_only=True):
    """A note that speaks of an entity, with the first line that does."""

    uri: str
    line: int
    text: str


class CodeEntity(CodeSymbol, frozen=True, kw_only=True):
    """An entity with its edges; each list is a page, and its count is of all rows."""

    language: str
    about: str | None  # its docstring, or the comment above it
    inside: str | None  # what it raises, by its docstring, and the comments in its body
    members: tuple[CodeSymbol, ...]
    member_count: int
    callers: tuple[CodeEdge, ...]
    caller_count: int
    passed: tuple[CodeEdge, ...]  # where it is handed over as a value, not called
    passed_count: int
    calls: tuple[CodeEdge, ...]
    call_count: int
    unresolved_calls: tuple[str, ...]  # names that it calls, each once
    unresolved_count: int
    implements: tuple[CodeSymbol, ...]
    implementations: tuple[CodeSymbol, ...]
    implementation_count: int
    imports: tuple[CodeImport, ...]  # of a module
    import_count: int
    notes: tuple[CodeNote, ...]
    note_count: int


class CodeReply(ListReply, frozen=True, kw_only=True):
    """The entities that have a name: one with all its edges, or several with the first of each.

    Of several, ``total`` and ``cursor`` are of the entities; of one, of its longest list.
    """

    entities: tuple[CodeEntity, ...]
    ambiguous: bool  # whether several entities have the name
    truncated: bool  # the work was limited, and there may be more callers or notes
    suggestions: tuple[str, ...]  # names similar to an unknown one
