"""The code that a question names, with its edges and notes: the third source of a pack.

A question names an entity by a word that is written as only identifiers are, by a call (``open()``)
or in back-ticks; if it asks for a relation of code ("what calls despike"), by any word.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.edges import (
    Edge,
    callers_by_file,
    calls_of,
    implementations_by_file,
    implements,
    members_of,
    passed_by_file,
)
from clew.query.code.code import file_of, reference_of, searched
from clew.query.code.meaning import entities_spoken, in_files_first, symbol_of
from clew.query.code.speaking import (
    Speaking,
    notes_naming_file,
    notes_naming_folder,
    notes_speaking_of,
)
from clew.query.context.formulas.route import asks_for_code, words_asked_for
from clew.query.context.quoting import in_label, one_line
from clew.query.slices import PAUSE, Slices
from clew.text.filename import shown_name
from clew.text.markdown.code_names import code_names
from clew.text.masking.secrets import masked
from clew.text.stopwords import STOP_WORDS
from clew.text.uri import to_uri
from clew.values.code.code_file import CLASSES, MODULE, Entity, EntityKind

ENTITIES_MAX = 5  # of one question
ALIKE_MAX = 2  # entities of one name; more are too many to be meant
EDGES_MAX = 8  # shown of each kind
CALLS_MAX = 4  # shown of what it calls itself, which is asked for least
FEW_CALLERS = 2  # of so many, what calls them is shown too, and all that is said of them
CALLERS_OF_CALLER_MAX = 3
LINES_MAX = 3  # shown of the calls between two entities
FILES_MAX = 500  # searched for callers of an entity
NOTES_MAX = 4
CHARACTERS_MAX = 8_192  # of a query
WORDS_MAX = 64
NAME_CHARACTERS_MAX = 120
SENTENCE_CHARACTERS_MAX = 100  # of what the source says of a caller, if there are many
CALLER_CHARACTERS_MAX = 400  # of that, if there are few
COMMENT_CHARACTERS_MAX = 170  # of a comment that belongs to a call: the index keeps no more
ABOUT_CHARACTERS_MAX = 1_200
ALIKE_RELEVANCE = 0.8  # of each of two entities of one name
WORD_RELEVANCE = 0.7  # of an entity that is named by a usual word beside no relation of code
_SENTENCE_END = re.compile(r"[.!?:] (?=\S)")
_HOLDERS = frozenset((EntityKind.CLASS, EntityKind.INTERFACE))
_FUNCTIONS = frozenset((EntityKind.FUNCTION, EntityKind.METHOD))

# The calls of each caller, those of one function together.
_CallersByCaller = Mapping[Ref, Sequence[list[Edge]]]
NO_CALLERS: Final[_CallersByCaller] = {}


@dataclass(frozen=True, slots=True)
class CodeEnd:
    """The entity at the other end of an edge."""

    name: str
    place: str  # of the calls: the file, and their first lines
    via: str  # "" for a base or an implementation
    member: str = ""  # the method that the edge leads to, if it is not the entity itself
    # What its source says of it, if it calls the entity: the first sentence, or all of few callers.
    about: str = ""
    class_about: str = ""  # that of the class of a method, if nothing is said of the method
    comment: str = ""  # that belongs to one of the calls in the source
    callers: "tuple[CodeEnd, ...]" = ()  # the first that call it, if it is one of few callers
    caller_count: int = 0


@dataclass(frozen=True, slots=True)
class CodeInsight:
    """What the graph of code says of an entity."""

    symbol_id: str
    name: str
    kind: str
    is_property: bool  # is read, not called
    file: str  # the URI of a note, or the path of a file
    ref: str
    matched: str  # the name in the question
    about: str  # what its source says of it, and of its file; "" for nothing
    file_about: str
    callers_file_about: str  # if all calls are in one other file
    callers: tuple[CodeEnd, ...]
    member_callers: tuple[CodeEnd, ...]  # of a class: what calls its methods
    passed: tuple[CodeEnd, ...]  # where it is handed over as a value, not called
    member_passed: tuple[CodeEnd, ...]  # of a class: where its methods are
    calls: tuple[CodeEnd, ...]
    implements: tuple[CodeEnd, ...]
    implementations: tuple[CodeEnd, ...]
    caller_count: int
    member_caller_count: int
    passed_count: int
    member_passed_count: int
    call_count: int
    implementation_count: int
    notes: tuple[str, ...]  # references of lines that speak of it
    file_notes: tuple[str, ...]  # references of lines that name its file, in other notes
    spoken: tuple[Speaking, ...]  # all of these lines
    near: tuple[Speaking, ...]  # lines that name its folder, or the one file of its callers
    relevance: float  # 0..1


def code_insights(snapshot: Snapshot, query: str) -> Slices[list[CodeInsight]]:
    """Return what is known of the entities that a query names, in the order of the query."""
    index = snapshot.code
    found: dict[Ref, CodeInsight] = {}
    if not index.files:
        return []
    for parts, relevance in _names_asked(index, query[:CHARACTERS_MAX]):
        refs = in_files_first(entities_spoken(index, parts))
        if not refs or len(refs) > ALIKE_MAX:
            continue
        weight = relevance * (ALIKE_RELEVANCE if len(refs) > 1 else 1.0)
        for ref in refs:
            if ref not in found and len(found) < ENTITIES_MAX:
                found[ref] = yield from _insight(snapshot, ref, ".".join(parts), weight)
        yield PAUSE
    return list(found.values())


def _names_asked(index: CodeIndex, query: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the names that a query may mean; usual words only if no other name means anything."""
    is_known = False
    for name in code_names(query, ()):
        yield name.parts, 1.0
        is_known |= bool(entities_spoken(index, name.parts))
    if asks_for_code(query) and not is_known:
        words = dict.fromkeys(word.strip(".,:;!?\"'()`") for word in query.split())
        meant = words_asked_for(query)
        for word in islice(words, WORDS_MAX):
            if word.isidentifier() and word.casefold() not in STOP_WORDS:
                yield (word,), 1.0 if word in meant else WORD_RELEVANCE


def _insight(
    snapshot: Snapshot, ref: Ref, matched_name: str, relevance: float
) -> Slices[CodeInsight]:
    index, entity = snapshot.code, snapshot.code.entity(ref)
    members = members_of(index, ref) if entity.kind in _HOLDERS else ()
    callers: list[Edge] = []
    places: list[Edge] = []
    for each in (ref, *members):
        callers += (yield from searched(callers_by_file(index, each), FILES_MAX))[0]
        places += (yield from searched(passed_by_file(index, each), FILES_MAX))[0]
    outside = _by_ends(edge for edge in callers if edge.source not in members)
    # A class is not said to be called by its own methods, but where they make one.
    own = _by_ends(edge for edge in callers if edge.source in members)
    direct = [edges for edges in (*outside, *own) if edges[0].target == ref]
    of_members = [edges for edges in outside if edges[0].target != ref]
    further = yield from _callers_of_few(index, outside)
    most = CALLER_CHARACTERS_MAX if len(outside) <= FEW_CALLERS else SENTENCE_CHARACTERS_MAX
    calls = [edge for each in (ref, *members) for edge in calls_of(index, each).edges]
    calls = [edge for edge in calls if edge.target != ref and edge.target not in members]
    passed = _by_ends(edge for edge in places if edge.target == ref)
    member_passed = _by_ends(edge for edge in places if edge.target != ref)
    classes, _ = yield from searched(implementations_by_file(index, ref), FILES_MAX)
    notes, naming, near = yield from _lines_about(snapshot, ref, outside)
    return CodeInsight(
        symbol_id=symbol_of(index, ref),
        name=_name(snapshot, ref),
        kind=entity.kind,
        is_property=entity.is_property,
        file=file_of(ref[0]),
        ref=reference_of(snapshot, ref),
        matched=matched_name,
        about=_about(entity),
        file_about=_file_about(index, ref),
        callers_file_about=_callers_file_about(index, ref, outside),
        callers=tuple(_callers(snapshot, ref, direct, further, most)),
        member_callers=tuple(_callers(snapshot, ref, of_members, further)),
        passed=tuple(_callers(snapshot, ref, passed)),
        member_passed=tuple(_callers(snapshot, ref, member_passed)),
        calls=tuple(_distinct(_called(snapshot, edge) for edge in calls)),
        implements=tuple(_end(snapshot, each) for each in implements(index, ref)),
        implementations=tuple(_end(snapshot, each) for each in classes[:EDGES_MAX]),
        caller_count=len(direct),
        member_caller_count=len(of_members),
        passed_count=len(passed),
        member_passed_count=len(member_passed),
        call_count=len({edge.target for edge in calls}),
        implementation_count=len(classes),
        notes=_references(notes),
        file_notes=_references(naming),
        spoken=(*notes, *naming),
        near=tuple(near),
        relevance=relevance,
    )


def _lines_about(
    snapshot: Snapshot, ref: Ref, callers: Sequence[Sequence[Edge]]
) -> Slices[tuple[list[Speaking], list[Speaking], list[Speaking]]]:
    """Return lines that speak of an entity, those of other notes that name its file, and near ones.

    The last name the folder of its file, or the file of its callers.
    """
    notes, _ = yield from notes_speaking_of(snapshot, ref)
    paths = {each.path for each in notes}
    naming = yield from notes_naming_file(snapshot, ref[0])
    near = yield from notes_naming_folder(snapshot, ref[0])
    if (path := _callers_file(ref, callers)) is not None:
        near += yield from notes_naming_file(snapshot, path)
    return list(notes), [each for each in naming if each.path not in paths], near


def _references(lines: Sequence[Speaking]) -> tuple[str, ...]:
    return tuple(f"{to_uri(each.path)}#L{each.line}" for each in lines[:NOTES_MAX])


def _by_ends(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Return edges in their order, those between the same two entities together."""
    found: dict[tuple[Ref, Ref], list[Edge]] = {}
    for edge in edges:
        found.setdefault((edge.source, edge.target), []).append(edge)
    return list(found.values())


def _callers_of_few(
    index: CodeIndex, callers: Sequence[Sequence[Edge]]
) -> Slices[_CallersByCaller]:
    """Return what calls each of the callers of an entity that are functions, if it has only few."""
    found: dict[Ref, list[list[Edge]]] = {}
    for first, *_ in callers if len(callers) <= FEW_CALLERS else ():
        ref = first.source
        if ref not in found and index.entity(ref).kind in _FUNCTIONS:
            edges, _ = yield from searched(callers_by_file(index, ref), FILES_MAX)
            found[ref] = _by_ends(edge for edge in edges if edge.source != ref)
    return found


def _callers(
    snapshot: Snapshot,
    ref: Ref,
    callers: Sequence[list[Edge]],
    further: _CallersByCaller = NO_CALLERS,
    characters_max: int = 0,
) -> Iterator[CodeEnd]:
    """Yield the first callers of an entity or of the methods of a class, or what hands it over.

    ``characters_max``: of what their source says of each.
    """
    for edges in callers[:EDGES_MAX]:
        first = edges[0]
        member = "" if first.target == ref else shown_name(snapshot.code.entity(first.target).name)
        lines = list(dict.fromkeys(f"#L{edge.line}" for edge in edges))
        place = file_of(first.source[0]) + ", ".join(lines[:LINES_MAX])
        more = f" and {len(lines) - LINES_MAX} more" if len(lines) > LINES_MAX else ""
        more += ", outside of functions" if first.source[1] == MODULE else ""
        about = _said_of(snapshot, first.source, characters_max)
        comment = next((edge.comment for edge in edges if edge.comment), "")
        of_caller = further.get(first.source, ())
        yield CodeEnd(
            name=_name(snapshot, first.source),
            place=place + more,
            via=first.via,
            member=member,
            about=about,
            class_about="" if about else _said_of_class(snapshot, first.source, characters_max),
            comment=_quotable(masked(comment)[0], COMMENT_CHARACTERS_MAX),
            callers=tuple(_callers(snapshot, first.source, of_caller[:CALLERS_OF_CALLER_MAX])),
            caller_count=len(of_caller),
        )


def _said_of(snapshot: Snapshot, ref: Ref, most: int) -> str:
    """Return what its source says of a function or class, "" of a module.

    If that is over ``most`` characters, it is the first sentence.
    """
    about = "" if ref[1] == MODULE or not most else _about(snapshot.code.entity(ref))
    return _quotable(
        _SENTENCE_END.split(about, maxsplit=1)[0] if len(about) > most else about, most
    )


def _said_of_class(snapshot: Snapshot, ref: Ref, most: int) -> str:
    """Return what its source says of the class of a method."""
    entity = snapshot.code.entity(ref)
    parent = ref[0], entity.parent
    is_member = entity.kind is EntityKind.METHOD and snapshot.code.entity(parent).kind in CLASSES
    return _said_of(snapshot, parent, most) if is_member else ""


def _callers_file(ref: Ref, callers: Sequence[Sequence[Edge]]) -> str | None:
    """Return the one file that has all callers, if it is not the entity's own."""
    files = {edges[0].source[0] for edges in callers}
    return files.pop() if len(files) == 1 and ref[0] not in files else None


def _callers_file_about(index: CodeIndex, ref: Ref, callers: Sequence[Sequence[Edge]]) -> str:
    """Return what that file says."""
    path = _callers_file(ref, callers)
    return "" if path is None else _about(index.files[path].entities[MODULE])


def _quotable(text: str, most: int) -> str:
    return in_label(text.rstrip(".:").replace('"', "'"), most)


def _called(snapshot: Snapshot, edge: Edge) -> CodeEnd:
    return CodeEnd(_name(snapshot, edge.target), reference_of(snapshot, edge.target), edge.via)


def _end(snapshot: Snapshot, ref: Ref) -> CodeEnd:
    return CodeEnd(_name(snapshot, ref), reference_of(snapshot, ref), "")


def _about(entity: Entity) -> str:
    return in_label(masked(entity.about)[0], ABOUT_CHARACTERS_MAX)


def _file_about(index: CodeIndex, ref: Ref) -> str:
    """Return what a file says: its first sentence, and then from that with the entity's name on."""
    if ref[1] == MODULE:
        return ""
    text = _about(index.files[ref[0]].entities[MODULE])
    named = re.search(rf"\b{re.escape(index.entity(ref).name)}\b", text)
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    start = max((end for end in ends if named is not None and end <= named.start()), default=0)
    return f"{text[: ends[0]]}… {text[start:]}" if ends and start > ends[0] else text


def _name(snapshot: Snapshot, ref: Ref) -> str:
    return one_line(masked(shown_name(snapshot.code.entity(ref).qualified))[0], NAME_CHARACTERS_MAX)


def _distinct(ends: Iterable[CodeEnd]) -> list[CodeEnd]:
    return list({(end.name, end.place): end for end in ends}.values())[:CALLS_MAX]
