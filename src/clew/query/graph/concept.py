"""The answer to "what goes with this?": direct relations, what lies beyond, who says so."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.graph.expand import SEEDS, Ranked, Reached, best, expand, first_steps, shown_from
from clew.query.graph.siblings import community_siblings
from clew.query.notes.preview import body_line, preview
from clew.query.suggest import close_names
from clew.text.concept import normalize
from clew.text.uri import to_uri
from clew.values.note import LinkKind
from clew.values.replies import ConceptReply, DirectRelation, ExpandedPath, rounded
from clew.values.requests import ConceptRequest

FILES_MAX = 20
PREVIEWS_MAX = 3


def concept(
    snapshot: Snapshot, request: ConceptRequest, now_s: float, rules: SiblingConfig
) -> ConceptReply:
    """Return a concept with its relations, strongest first; an unknown one gives suggestions."""
    graph = snapshot.graph
    name = snapshot.concept_named(request.concept_name)
    concept_id = graph.concept_id(name) if name is not None else None
    if name is None or concept_id is None:
        return _unknown(snapshot, request)
    around = snapshot.neighbours(concept_id, now_s)
    ranked = best(graph, around, max(request.max_entities, SEEDS))
    relations = _relations(snapshot, request, name, ranked[: request.max_entities])
    reached = expand(
        snapshot,
        now_s,
        concept_id,
        first_steps(around, ranked),
        shown_from(graph, concept_id, around),
        request.depth,
        request.max_entities,
    )
    return ConceptReply(
        revision=snapshot.revision,
        concept_name=name,
        display_name=snapshot.display(name),
        depth=request.depth,
        community_id=snapshot.community_id(name),
        community_revision=snapshot.communities.revision,
        note_count=graph.note_count(concept_id),
        direct_relations=relations,
        expanded_relations=tuple(graph.name(found.concept) for found in reached),
        expanded_paths=tuple(_expanded_path(snapshot, found) for found in reached),
        community_siblings=community_siblings(snapshot, name, around, rules),
        suggestions=(),
    )


def _unknown(snapshot: Snapshot, request: ConceptRequest) -> ConceptReply:
    wanted = normalize(request.concept_name)
    return ConceptReply(
        revision=snapshot.revision,
        concept_name=wanted,
        display_name=request.concept_name,
        depth=request.depth,
        community_id=None,
        community_revision=snapshot.communities.revision,
        note_count=0,
        direct_relations=(),
        expanded_relations=(),
        expanded_paths=(),
        community_siblings=(),
        suggestions=close_names(wanted, snapshot.graph.concepts()) if wanted else (),
    )


def _relations(
    snapshot: Snapshot,
    request: ConceptRequest,
    name: str,
    ranked: Sequence[Ranked],
) -> tuple[DirectRelation, ...]:
    graph = snapshot.graph
    own_id = graph.concept_id(name)
    assert own_id is not None
    files = snapshot.newest_shared(own_id, [concept_id for *_, concept_id in ranked], FILES_MAX)
    relations = []
    for (minus_score, minus_count, neighbour, _), paths in zip(ranked, files, strict=True):
        score, count = -minus_score, -minus_count
        previews: dict[str, str] | UnsetType = UNSET
        if request.include_content:
            previews = _previews(snapshot, paths[:PREVIEWS_MAX], neighbour, name)
        relations.append(
            DirectRelation(
                name=neighbour,
                display_name=snapshot.display(neighbour),
                co_occurrence_count=count,
                decay_weight=rounded(score / count),
                weighted_score=rounded(score),
                community_id=snapshot.community_id(neighbour),
                files=tuple(map(to_uri, paths)),
                file_count=count,
                content_preview=previews,
            )
        )
    return tuple(relations)


def _previews(
    snapshot: Snapshot, paths: Sequence[str], neighbour: str, name: str
) -> dict[str, str]:
    """Return for each note the words around its mention of the neighbour, else of the concept."""
    previews = {}
    for path in paths:
        note = snapshot.note(path)
        line, mention = body_line(note.text), ""
        for link in note.links:
            named = snapshot.concept_of(link)
            if link.kind is not LinkKind.FRONTMATTER and named in (neighbour, name):
                line, mention = link.line, link.target
                if named == neighbour:
                    break
        previews[to_uri(path)] = preview(note.text, line, mention)
    return previews


def _expanded_path(snapshot: Snapshot, found: Reached) -> ExpandedPath:
    graph = snapshot.graph
    return ExpandedPath(
        name=graph.name(found.concept),
        score=rounded(found.score),
        hops=found.hops,
        path=tuple(graph.name(concept_id) for concept_id in found.path),
    )
