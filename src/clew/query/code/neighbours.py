"""The neighbours of an entity of code: its callers, what hands it over, and what it calls."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.index.code.edges import Edge, Receiver
from clew.query.code.code import file_of, reference_of
from clew.query.code.doc_comments import about_class_of, about_user, name_of, quotable, quoted_name
from clew.text.filename import shown_name
from clew.text.masking.secrets import masked
from clew.values.code.code_file import MODULE

EDGES_MAX = 8  # shown of each kind
USERS_OF_USER_MAX = 3
LINES_MAX = 3  # shown of the calls between two entities
COMMENT_CHARACTERS_MAX = 170  # of a comment that belongs to a call: the index keeps no more

# By user: the edges that lead to it, grouped by the function that calls it or hands it over.
EdgesByUser = Mapping[Ref, Sequence[list[Edge]]]
NO_EDGES: Final[EdgesByUser] = {}


@dataclass(frozen=True, slots=True)
class CodeNeighbour:
    """The entity at the other end of an edge."""

    name: str
    place: str  # of the calls: the file, and their first lines
    via: str  # "" for a base, an implementation or a receiver
    member: str = ""  # the method that the edge leads to, if it is not the entity itself
    about: str = ""  # its doc comment, if it uses the entity
    class_about: str = ""  # the doc comment of its class, if a method has none
    comment: str = ""  # that belongs to one of the calls in the source
    # The first of its own users, if it is one of few users.
    users: "tuple[CodeNeighbour, ...]" = ()
    caller_count: int = 0  # all of its callers
    passer_count: int = 0  # all others that hand it over
    is_passer: bool = False  # whether it hands the entity over, and does not call it
    receiver: "CodeNeighbour | None" = (
        None  # what gets the entity as an argument, if it is handed over
    )


def user_neighbours(
    snapshot: Snapshot,
    ref: Ref,
    edges_by_user: Sequence[list[Edge]],
    further: EdgesByUser = NO_EDGES,
    characters_max: int = 0,
) -> Iterator[CodeNeighbour]:
    """Yield the first users of an entity, or of the methods of a class: callers, or what passes it.

    ``further``: the edges to these users; ``characters_max``: of the doc comment of each.
    """
    for edges in edges_by_user[:EDGES_MAX]:
        user, used = edges[0].source, edges[0].target
        lines = list(dict.fromkeys(f"#L{edge.line}" for edge in edges))
        place = file_of(user[0]) + ", ".join(lines[:LINES_MAX])
        more = f" and {len(lines) - LINES_MAX} more" if len(lines) > LINES_MAX else ""
        more += ", outside of functions" if user[1] == MODULE else ""
        about = about_user(snapshot, user, used, characters_max)
        class_about = "" if about else about_class_of(snapshot, user, used, characters_max)
        comment = next((edge.comment for edge in edges if edge.comment), "")
        user_edges = further.get(user, ())
        yield CodeNeighbour(
            name=name_of(snapshot, user),
            place=place + more,
            via=edges[0].via,
            member="" if used == ref else shown_name(snapshot.code.entity(used).name),
            about=about,
            class_about=class_about,
            comment=quotable(masked(comment)[0], COMMENT_CHARACTERS_MAX),
            users=tuple(user_neighbours(snapshot, user, user_edges[:USERS_OF_USER_MAX])),
            caller_count=sum(not each[0].is_passed for each in user_edges),
            passer_count=sum(each[0].is_passed for each in user_edges),
            is_passer=edges[0].is_passed,
            receiver=_receiver(snapshot, edges, characters_max),
        )


def receiver_of(edges: Iterable[Edge]) -> Receiver | None:
    """Return the receiver of hand-overs: the first that is a known entity, or else the first."""
    receivers = [edge.receiver for edge in edges if edge.receiver is not None]
    known = (each for each in receivers if each.ref is not None)
    return next(known, receivers[0] if receivers else None)


def _receiver(
    snapshot: Snapshot, edges: Sequence[Edge], characters_max: int
) -> CodeNeighbour | None:
    receiver = receiver_of(edges)
    if receiver is None:
        return None
    if receiver.ref is None:
        return CodeNeighbour(quoted_name(receiver.name), "", "")
    about = about_user(snapshot, receiver.ref, edges[0].target, characters_max)
    place = reference_of(snapshot, receiver.ref)
    return CodeNeighbour(name_of(snapshot, receiver.ref), place, "", about=about)


def callee(snapshot: Snapshot, edge: Edge) -> CodeNeighbour:
    """Return the entity to which a call leads."""
    return CodeNeighbour(
        name_of(snapshot, edge.target), reference_of(snapshot, edge.target), edge.via
    )


def neighbour(snapshot: Snapshot, ref: Ref) -> CodeNeighbour:
    """Return an entity as a neighbour that is a base or an implementation."""
    return CodeNeighbour(name_of(snapshot, ref), reference_of(snapshot, ref), "")
