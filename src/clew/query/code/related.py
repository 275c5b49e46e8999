"""The code that a question names, with its edges and notes: the third source of a pack.

A question names an entity by a word that is written as only identifiers are, by a call (``open()``)
or in back-ticks; if it asks for a relation of code ("what calls despike"), by any word.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.constructors import constructed_class
from clew.index.code.edges import (
    Edge,
    callers_by_file,
    calls_of,
    implementations_by_file,
    implements,
    members_of,
    passed_by_file,
)
from clew.query.code.code import file_of, reference_of, rows_of_first
from clew.query.code.doc_comments import (
    about,
    about_file,
    about_own_file,
    first_sentence,
    inside,
    name_of,
)
from clew.query.code.mentions import (
    Mention,
    mentions_of_entity,
    mentions_of_file,
    mentions_of_folder,
)
from clew.query.code.name_resolution import in_files_or_all, resolve_in_text, symbol_id_of
from clew.query.code.neighbours import (
    EDGES_MAX,
    CodeNeighbour,
    EdgesByUser,
    callee,
    neighbour,
    receiver_of,
    user_neighbours,
)
from clew.query.slices import PAUSE, Slices
from clew.text.languages.relation_words import asks_for_code, words_asked_for
from clew.text.markdown.code_names import code_names, paths_in
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.text.stopwords import STOP_WORDS
from clew.text.uri import to_uri
from clew.values.code.code_file import FUNCTIONS, METHOD_OWNERS, MODULE

ENTITIES_MAX = 5  # of one question
ALIKE_MAX = 2  # entities of one name; more are too many to be meant
CALLS_MAX = 4  # shown of the entity's own calls, for which questions ask least
USERS_FEW = 2  # of at most so many users, their users and whole doc comments are shown too
FILES_MAX = 500  # searched for callers of an entity
NOTES_MAX = 4
WORDS_MAX = 64
SENTENCE_CHARACTERS_MAX = 100  # of the doc comment of a user, if there are many
USER_CHARACTERS_MAX = 400  # the same, if there are few
ALIKE_RELEVANCE = 0.8  # of each of two entities of one name
WORD_RELEVANCE = 0.7  # of an entity that is named by a usual word beside no relation of code


@dataclass(frozen=True, slots=True)
class CodeInsight:
    """An entity of code with its edges, doc comments and notes."""

    symbol_id: str
    name: str
    kind: str
    is_property: bool  # it is read, not called
    file: str  # the URI of a note, or the path of a file
    ref: str
    matched: str  # the name in the question
    about: str  # its doc comment; "" for none
    inside: str  # what it raises, and the comments in it
    calls_about: str  # if it has no doc comment: the first sentences of those of what it calls
    file_about: str  # the doc comment of its file
    is_called: bool  # by others than its own methods; if not, its users are what hands it over
    users_file_about: str  # the doc comment of the file of all users, if that is one other file
    callers: tuple[CodeNeighbour, ...]
    member_callers: tuple[CodeNeighbour, ...]  # of a class: what calls its methods
    passed: tuple[CodeNeighbour, ...]  # where it is handed over as a value, not called
    member_passed: tuple[CodeNeighbour, ...]  # of a class: where its methods are handed over
    calls: tuple[CodeNeighbour, ...]
    implements: tuple[CodeNeighbour, ...]
    implementations: tuple[CodeNeighbour, ...]
    caller_count: int
    member_caller_count: int
    passed_count: int
    member_passed_count: int
    call_count: int
    implementation_count: int
    notes: tuple[str, ...]  # references of lines that speak of it
    file_notes: tuple[str, ...]  # references of lines that name its file, in other notes
    mentions: tuple[Mention, ...]  # all of these lines
    near: tuple[Mention, ...]  # lines about related code; see ``_lines_near``
    relevance: float  # 0..1


def code_insights(snapshot: Snapshot, query: str) -> Slices[list[CodeInsight]]:
    """Return an insight for each entity that a query names, in the order of the query."""
    index = snapshot.code
    insights: dict[Ref, CodeInsight] = {}
    for parts, relevance in _names_asked(index, query[:SEARCHED_CHARACTERS_MAX]):
        refs = in_files_or_all(resolve_in_text(index, parts))
        if not refs or len(refs) > ALIKE_MAX:
            continue
        weight = relevance * (ALIKE_RELEVANCE if len(refs) > 1 else 1.0)
        for ref in refs:
            if ref not in insights and len(insights) < ENTITIES_MAX:
                insights[ref] = yield from _insight(snapshot, ref, ".".join(parts), weight)
        yield PAUSE
    return list(insights.values())


def _names_asked(index: CodeIndex, query: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the names in a query with their relevance; usual words only if no name is known."""
    is_known = False
    for parts in paths_in(query):  # however they are written: "what calls Ledger.Post"
        if resolve_in_text(index, parts):
            yield parts, 1.0
            is_known = True
    for parts in code_names(query, ()):
        yield parts, 1.0
        is_known |= bool(resolve_in_text(index, parts))
    if asks_for_code(query) and not is_known:
        words = dict.fromkeys(word.strip(".,:;!?\"'()`") for word in query.split())
        meant = words_asked_for(query)
        for word in islice(words, WORDS_MAX):
            if word.isidentifier() and word.casefold() not in STOP_WORDS:
                yield (word,), 1.0 if word in meant else WORD_RELEVANCE


class _Uses(NamedTuple):
    """The edges from what calls or hands over an entity and its methods, grouped by both ends."""

    callers: list[list[Edge]]
    of_members: list[list[Edge]]  # calls of its methods, without those from its own methods
    passed: list[list[Edge]]
    members_passed: list[list[Edge]]
    all_callers: list[list[Edge]]  # without calls from its own methods

    @property
    def users(self) -> list[list[Edge]]:
        """The edges that show what the entity is for: calls of it, or else places that pass it."""
        return self.all_callers or [*self.passed, *self.members_passed]


def _insight(
    snapshot: Snapshot, ref: Ref, matched_name: str, relevance: float
) -> Slices[CodeInsight]:
    index, entity = snapshot.code, snapshot.code.entity(ref)
    members = members_of(index, ref) if entity.kind in METHOD_OWNERS else ()
    uses = yield from _uses(index, ref, members)
    calls = [edge for each in (ref, *members) for edge in calls_of(index, each).edges]
    calls = [edge for edge in calls if edge.target != ref and edge.target not in members]
    further = yield from _users_of_few(index, uses.users)
    most = USER_CHARACTERS_MAX if len(uses.users) <= USERS_FEW else SENTENCE_CHARACTERS_MAX
    most_passed = 0 if uses.all_callers else most
    classes, _ = yield from rows_of_first(implementations_by_file(index, ref), FILES_MAX)
    notes, of_file = yield from _lines_about(snapshot, ref)
    near = yield from _lines_near(snapshot, ref, uses.users, () if entity.about else calls)
    return CodeInsight(
        symbol_id=symbol_id_of(index, ref),
        name=name_of(snapshot, ref),
        kind=entity.kind,
        is_property=entity.is_property,
        file=file_of(ref[0]),
        ref=reference_of(snapshot, ref),
        matched=matched_name,
        about=about(entity),
        inside=inside(entity),
        calls_about="" if entity.about else _calls_about(index, calls),
        file_about=about_own_file(index, ref),
        is_called=bool(uses.all_callers),
        users_file_about=_users_file_about(index, ref, uses.users),
        callers=tuple(user_neighbours(snapshot, ref, uses.callers, further, most)),
        member_callers=tuple(user_neighbours(snapshot, ref, uses.of_members, further)),
        passed=tuple(user_neighbours(snapshot, ref, uses.passed, further, most_passed)),
        member_passed=tuple(user_neighbours(snapshot, ref, uses.members_passed, further)),
        calls=tuple(_distinct(callee(snapshot, edge) for edge in calls)),
        implements=tuple(neighbour(snapshot, each) for each in implements(index, ref)),
        implementations=tuple(neighbour(snapshot, each) for each in classes[:EDGES_MAX]),
        caller_count=len(uses.callers),
        member_caller_count=len(uses.of_members),
        passed_count=len(uses.passed),
        member_passed_count=len(uses.members_passed),
        call_count=len({edge.target for edge in calls}),
        implementation_count=len(classes),
        notes=_references(notes),
        file_notes=_references(of_file),
        mentions=(*notes, *of_file),
        near=tuple(near),
        relevance=relevance,
    )


def _uses(index: CodeIndex, ref: Ref, members: Sequence[Ref]) -> Slices[_Uses]:
    callers: list[Edge] = []
    places: list[Edge] = []
    for each in (ref, *members):
        # A call of a constructor counts as one of its class.
        if constructed_class(index, each) == ref:
            continue
        callers += (yield from rows_of_first(callers_by_file(index, each), FILES_MAX))[0]
        places += (yield from rows_of_first(passed_by_file(index, each), FILES_MAX))[0]
    outside = _grouped_by_ends(edge for edge in callers if edge.source not in members)
    # A class's own methods count as its callers only where they construct it.
    by_members = _grouped_by_ends(edge for edge in callers if edge.source in members)
    return _Uses(
        [edges for edges in (*outside, *by_members) if edges[0].target == ref],
        [edges for edges in outside if edges[0].target != ref],
        _grouped_by_ends(edge for edge in places if edge.target == ref),
        _grouped_by_ends(edge for edge in places if edge.target != ref),
        outside,
    )


def _lines_about(snapshot: Snapshot, ref: Ref) -> Slices[tuple[list[Mention], list[Mention]]]:
    """Return lines that speak of an entity, and those of other notes that name its file."""
    notes, _ = yield from mentions_of_entity(snapshot, ref)
    paths = {each.path for each in notes}
    of_file = yield from mentions_of_file(snapshot, ref[0])
    return list(notes), [each for each in of_file if each.path not in paths]


def _lines_near(
    snapshot: Snapshot, ref: Ref, users: Sequence[Sequence[Edge]], calls: Sequence[Edge]
) -> Slices[list[Mention]]:
    """Return lines that name the folder of an entity's file, or the one file of all its users.

    If it has few users, also lines that name them, the receivers to which they hand it over, or the
    files of both. ``calls``: edges from the entity; lines that name the files they lead to.
    """
    lines = yield from mentions_of_folder(snapshot, ref[0])
    files = {} if (path := _users_file(ref, users)) is None else {path: None}
    files |= dict.fromkeys(edge.target[0] for edge in calls[:CALLS_MAX])
    if len(users) <= USERS_FEW:
        receivers = [receiver_of(edges) for edges in users]
        related = [edges[0].source for edges in users]
        related += [each.ref for each in receivers if each is not None and each.ref is not None]
        for each in dict.fromkeys(related):
            if each[1] != MODULE:
                lines += (yield from mentions_of_entity(snapshot, each))[0]
            files[each[0]] = None
    for path in files:
        if path != ref[0]:
            lines += yield from mentions_of_file(snapshot, path)
    return list(dict.fromkeys(lines))


def _calls_about(index: CodeIndex, calls: Sequence[Edge]) -> str:
    entities = dict.fromkeys(edge.target for edge in calls[:CALLS_MAX])
    first_sentences = (first_sentence(about(index.entity(each))).rstrip(".") for each in entities)
    return ". ".join(filter(None, first_sentences))


def _references(lines: Sequence[Mention]) -> tuple[str, ...]:
    return tuple(f"{to_uri(each.path)}#L{each.line}" for each in lines[:NOTES_MAX])


def _grouped_by_ends(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Group edges by both ends, in the order in which the pairs first occur."""
    edges_by_ends: dict[tuple[Ref, Ref], list[Edge]] = {}
    for edge in edges:
        edges_by_ends.setdefault((edge.source, edge.target), []).append(edge)
    return list(edges_by_ends.values())


def _users_of_few(index: CodeIndex, users: Sequence[Sequence[Edge]]) -> Slices[EdgesByUser]:
    """Return, if there are few users, the edges to each user that is a function."""
    edges_by_user: dict[Ref, list[list[Edge]]] = {}
    for first, *_ in users if len(users) <= USERS_FEW else ():
        ref = first.source
        if ref in edges_by_user or index.entity(ref).kind not in FUNCTIONS:
            continue
        callers, _ = yield from rows_of_first(callers_by_file(index, ref), FILES_MAX)
        places, _ = yield from rows_of_first(passed_by_file(index, ref), FILES_MAX)
        callers = [edge for edge in callers if edge.source != ref]
        callers_seen = {edge.source for edge in callers}
        places = [edge for edge in places if edge.source not in callers_seen]
        edges_by_user[ref] = [*_grouped_by_ends(callers), *_grouped_by_ends(places)]
    return edges_by_user


def _users_file(ref: Ref, users: Sequence[Sequence[Edge]]) -> str | None:
    """Return the one file that has all users, if it is not the entity's own."""
    files = {edges[0].source[0] for edges in users}
    return files.pop() if len(files) == 1 and ref[0] not in files else None


def _users_file_about(index: CodeIndex, ref: Ref, users: Sequence[Sequence[Edge]]) -> str:
    """Return the doc comment of the one file that has all users; "" without one."""
    path = _users_file(ref, users)
    return "" if path is None else about_file(index, path)


def _distinct(ends: Iterable[CodeNeighbour]) -> list[CodeNeighbour]:
    return list({(end.name, end.place): end for end in ends}.values())[:CALLS_MAX]
