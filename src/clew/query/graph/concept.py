"""The ``concept`` method: a concept's direct relations, the concepts beyond them, its siblings."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from msgspec import UNSET

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.graph.expand import Origin, Ranked, Reached, expand, strongest
from clew.query.graph.siblings import community_siblings
from clew.query.notes.preview import first_words, preview
from clew.query.references.locate import locate_concept_shown
from clew.query.slices import PAUSE, Slices, mapped
from clew.query.suggest import close_concepts, ignored_names
from clew.text.concept import normalize
from clew.text.uri import to_uri
from clew.values.note import LinkKind
from clew.values.replies import ConceptReply, DirectRelation, ExpandedPath, rounded
from clew.values.requests import ConceptRequest

PREVIEWS_MAX = 3


def concept(
    snapshot: Snapshot, request: ConceptRequest, now_s: float, rules: SiblingConfig
) -> Slices[ConceptReply]:
    """Return a concept with its relations, strongest first; suggestions if no note mentions it.

    Raises:
        Ambiguous: several notes have the name.
    """
    graph = snapshot.graph
    name = yield from locate_concept_shown(snapshot, request.concept_name)
    concept_id = graph.concept_id(name) if name is not None else None
    if name is None or concept_id is None:
        return (yield from _unknown(snapshot, request))
    snapshot.neighbour_cache.rows_with(concept_id)  # in a step of its own, as a hub has many
    yield PAUSE
    neighbours = snapshot.neighbours(concept_id, now_s)
    ranked = strongest(graph, neighbours, request.max_entities)
    origin = Origin(concept_id, neighbours)
    yield PAUSE
    # The relations first, since the rows of the concept are at hand until those of others are read.
    relations = yield from _relations(snapshot, request, concept_id, ranked)
    reached = yield from expand(snapshot, now_s, origin, request.depth, request.max_entities)
    siblings = yield from community_siblings(snapshot, name, neighbours, rules)
    paths = yield from mapped(partial(_expanded_path, snapshot, name), reached)
    return ConceptReply(
        revision=snapshot.revision,
        concept_name=name,
        display_name=snapshot.display(name),
        depth=request.depth,
        community_id=snapshot.community_id(name),
        community_revision=snapshot.communities.revision,
        note_count=graph.note_count(concept_id),
        direct_relations=relations,
        relation_count=len(neighbours.ids),
        expanded_relations=tuple(row.names[-1] for row in reached),
        expanded_paths=tuple(paths),
        community_siblings=siblings,
        suggestions=(),
        display_suggestions=(),
    )


def _unknown(snapshot: Snapshot, request: ConceptRequest) -> Slices[ConceptReply]:
    similar = yield from close_concepts(snapshot, [request.concept_name])
    return ConceptReply(
        revision=snapshot.revision,
        concept_name=normalize(request.concept_name),
        display_name=request.concept_name,
        depth=request.depth,
        community_id=None,
        community_revision=snapshot.communities.revision,
        note_count=0,
        direct_relations=(),
        relation_count=0,
        expanded_relations=(),
        expanded_paths=(),
        community_siblings=(),
        ignored=bool(ignored_names(snapshot, [request.concept_name])),
        suggestions=similar,
        display_suggestions=tuple(map(snapshot.display, similar)),
    )


def _relations(
    snapshot: Snapshot, request: ConceptRequest, concept: int, ranked: Sequence[Ranked]
) -> Slices[tuple[DirectRelation, ...]]:
    neighbour_ids = [other for *_, other in ranked]
    path_count = max(request.max_files, PREVIEWS_MAX if request.include_content else 0)
    paths_by_row = snapshot.newest_shared(concept, neighbour_ids, path_count)
    rows = zip(ranked, paths_by_row, strict=True)
    texts = snapshot.targets.texts_naming(snapshot.graph.name(concept))
    relations = yield from mapped(partial(_relation, snapshot, request, texts), rows)
    return tuple(relations)


def _relation(
    snapshot: Snapshot,
    request: ConceptRequest,
    texts: AbstractSet[str],
    row: tuple[Ranked, Sequence[str]],
) -> DirectRelation:
    """Return a relation of a concept, which links with one of ``texts`` name.

    ``row``: the neighbour, and notes of both, newest first.
    """
    (minus_score, minus_count, name, _), paths = row
    score, count = -minus_score, -minus_count
    return DirectRelation(
        name=name,
        display_name=snapshot.display(name),
        co_occurrence_count=count,
        decay_weight=rounded(score / count),
        weighted_score=rounded(score),
        community_id=snapshot.community_id(name),
        files=tuple(map(to_uri, paths[: request.max_files])),
        file_count=count,
        content_preview=_previews(snapshot, paths[:PREVIEWS_MAX], name, texts)
        if request.include_content
        else UNSET,
    )


def _previews(
    snapshot: Snapshot, paths: Sequence[str], neighbour: str, texts: AbstractSet[str]
) -> dict[str, str]:
    """Return a few words of each note, by URI: those around its first link to ``neighbour``."""
    near_texts = snapshot.targets.texts_naming(neighbour)
    return {to_uri(path): _preview(snapshot, path, near_texts, texts) for path in paths}


def _preview(
    snapshot: Snapshot, path: str, near_texts: AbstractSet[str], texts: AbstractSet[str]
) -> str:
    """Return words around the first link with one of ``near_texts``, else the last of ``texts``.

    If the note has no such links outside of its front matter, returns its first words.
    """
    note = snapshot.note(path)
    line, mention, in_properties = 0, "", ""
    for link in note.links:
        if link.kind not in snapshot.mention_kinds:
            continue
        text = snapshot.target_of(link, path)
        if link.kind is LinkKind.FRONTMATTER:
            if text in near_texts and not in_properties:
                in_properties = link.alias or link.target
            continue
        if text in near_texts or text in texts:
            line, mention = link.line, link.target
        if text in near_texts:
            break
    if not mention:
        return first_words(note.text, in_properties)
    return preview(note.text, line, mention)


def _expanded_path(snapshot: Snapshot, origin: str, reached: Reached) -> ExpandedPath:
    names = (origin, *reached.names)
    display = tuple(map(snapshot.display, names))
    return ExpandedPath(
        name=names[-1],
        score=rounded(reached.score),
        hops=reached.hops,
        display_name=display[-1],
        path=names,
        display_path=display,
    )
