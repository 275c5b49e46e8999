"""The read side of the engine: one vault at one revision.

A snapshot never changes, whatever the engine that made it applies later. So a query may hold one as
long as it takes, and no reply ever mixes two revisions.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from clew.engine.caches.member_ids import MemberIds
from clew.engine.caches.name_shapes import NameCaches
from clew.engine.caches.neighbours import NeighbourCache
from clew.engine.caches.siblings import SiblingCache
from clew.engine.communities.current import Communities, ShownNames, shown_names
from clew.engine.derived.derived_values import Derived
from clew.engine.name_vectors import NameVectors
from clew.engine.passages import Passages
from clew.engine.symbols import SymbolIndex
from clew.index.code.code_index import CodeIndex
from clew.index.formulas.note_dates import NoteDates
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import Neighbours, notes_shared_with
from clew.index.mentions.mention_index import MentionIndex
from clew.index.names import NameIndex
from clew.index.notes.ages import NoteAges
from clew.index.notes.facts import NoteFacts
from clew.index.notes.note_fields import NoteFields
from clew.index.notes.note_lists import NoteLists
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.lru import CacheCounts
from clew.index.structures.stored_map import pairs
from clew.index.successors.circles import circles
from clew.index.successors.successor_index import SuccessorIndex
from clew.index.targets import TargetTable
from clew.text.concept import fold_name, normalize
from clew.text.filename import stem_of, without_extension
from clew.text.languages.languages import Languages
from clew.values.arrays import Float64Array, Int32Array, Int64Array
from clew.values.communities import Community
from clew.values.note import LinkKind, Note, Problem, Wikilink
from clew.values.vault import DailyNotes, NoteEvents, ReadNote, RuleFiles
from clew.vault.settings.concept_rules import CONCEPTS_TOML


@dataclass(frozen=True, slots=True, eq=False)
class LinkSources:
    """All links to one note or concept: the notes that have them, and how to recognize them.

    See ``Snapshot.places_of``.
    """

    texts: AbstractSet[str]  # the targets of these links
    counts: Mapping[int, int]  # by the id of a note: how many of these links it has
    kinds: AbstractSet[LinkKind]


NO_LINKS = LinkSources(frozenset(), {}, frozenset())

StepsFrom = Callable[[int, float], Neighbours]  # returns the steps from a concept at ``now_s``


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Snapshot:
    """All that queries may read."""

    revision: int
    content_changes: int  # rises when a reply may change, except by a read date
    entries: Mapping[str, ReadNote]
    facts: LayeredMap[str, NoteFacts]  # of all ``entries``
    fields: NoteFields
    lists: NoteLists
    graph: ConceptGraph
    names: NameIndex
    targets: TargetTable
    mention_kinds: frozenset[LinkKind]
    reads_s: Mapping[str, float]  # path -> POSIX seconds of the last explicit read
    edits_s: Mapping[str, float]  # path -> POSIX seconds of the last edit that was seen
    ages: NoteAges
    daily_notes: DailyNotes
    rule_files: RuleFiles
    neighbour_cache: NeighbourCache
    paths_by_concept: Mapping[str, AbstractSet[str]]  # concept -> paths of the notes named by it
    passages: Passages
    languages: Languages  # in which words are stemmed
    symbols: SymbolIndex
    mentions: MentionIndex
    successors: SuccessorIndex
    name_vectors: NameVectors
    code: CodeIndex
    renames: Mapping[str, str]  # former path of a renamed note -> its present path
    derived: Derived
    communities: Communities
    member_ids: MemberIds
    name_shapes: NameCaches
    siblings: SiblingCache
    cache_counts: CacheCounts  # of all caches, since the engine was made

    @property
    def events(self) -> NoteEvents:
        """The latest dates of reads and seen edits of notes."""
        return NoteEvents(self.reads_s, self.edits_s)

    def note(self, path: str) -> Note:
        """Return the note at ``path``, which must exist."""
        return self.entries[path].note

    def all_facts(self) -> Iterator[tuple[str, NoteFacts]]:
        """Yield the path and the facts of each note, in no order."""
        return pairs(self.facts)

    def community_id(self, concept: str) -> int | None:
        """Return the community of ``concept``; ``None`` if it has none."""
        return self.communities.ids.get(concept)

    def names_of_community(self, community: Community) -> ShownNames:
        """Return the names of a community's concepts that notes of this snapshot mention."""
        return shown_names(community, lambda name: self.graph.concept_id(name) is not None)

    def decay(self, now_s: float) -> Float64Array:
        """Return the weight that each note has by its age at ``now_s``, by note id."""
        return self.neighbour_cache.decay(now_s)

    def decay_digest(self, now_s: float) -> bytes:
        """Return a digest of the weights of all notes at ``now_s``: equal for equal weights."""
        return self.ages.weights_digest(now_s, self.graph.note_slots)

    def edge_weights(self, now_s: float) -> Float64Array:
        """Return the weight of each note in the edges of its pairs at ``now_s``, by note id."""
        return self.neighbour_cache.edge_weights(now_s)

    def weight(self, path: str, now_s: float) -> float:
        """Return the weight of the note at ``path`` at ``now_s``."""
        return self.ages.weight(self.graph.note_ids[path], now_s)

    def neighbours(self, concept: int, now_s: float) -> Neighbours:
        """Return all concepts that share a note with ``concept``; scores are weights of edges."""
        return self.neighbour_cache.neighbours(concept, now_s)

    def steps(self, concept: int, now_s: float) -> Neighbours:
        """Return all concepts that share a note with ``concept``; scores are weights of steps."""
        return self.neighbour_cache.steps(concept, now_s)

    def steps_beside_lists(self, concept: int, now_s: float) -> Neighbours:
        """Return the ``steps`` through notes that are no lists; see ``formulas.breadth``."""
        return self.neighbour_cache.steps_beside_lists(concept, now_s)

    def first_steps(self, concept: int, now_s: float) -> Neighbours:
        """Return the strongest of the ``steps``, or all; ``is_whole`` tells which."""
        return self.neighbour_cache.first_steps(concept, now_s)

    def first_steps_beside_lists(self, concept: int, now_s: float) -> Neighbours:
        """Return the strongest of the ``steps_beside_lists``, or all; ``is_whole`` tells which."""
        return self.neighbour_cache.first_steps_beside_lists(concept, now_s)

    @property
    def has_lists(self) -> bool:
        """Whether any note is a list of concepts; see ``formulas.breadth``."""
        return bool(self.neighbour_cache.is_list.any())

    def step_strengths(self, now_s: float) -> Float64Array:
        """Return the summed weight of the steps from each concept at ``now_s``, by concept id."""
        return self.neighbour_cache.step_strengths(now_s)

    def largest_shares(self, now_s: float) -> Float64Array:
        """Return a bound for the share of any step from each concept, by concept id."""
        return self.neighbour_cache.largest_shares(now_s)

    def read_rows(self, concept: int, now_s: float) -> Iterator[None]:
        """Read the rows of a hub in a step of its own, from which its steps are then found."""
        return self.neighbour_cache.read_rows(concept, now_s)

    def find_shares(self, now_s: float) -> Iterator[None]:
        """Find ``step_strengths`` and ``largest_shares`` in short steps; else they take one."""
        return self.neighbour_cache.find_shares(now_s)

    def newest_paths(self, note_ids: Int32Array, most: int) -> list[str]:
        """Return the paths of the ``most`` of these notes that changed last, newest first."""
        (paths,) = self._newest(np.zeros(len(note_ids), np.int64), note_ids, 1, most)
        return paths

    def newest_shared(self, concept: int, others: Sequence[int], most: int) -> list[list[str]]:
        """Return for each of ``others`` the newest notes that mention it and ``concept``."""
        rows = self.neighbour_cache.rows_with(concept)
        return self._newest(*notes_shared_with(rows, others), len(others), most)

    def _newest(
        self, groups: Int64Array, note_ids: Int32Array, group_count: int, most: int
    ) -> list[list[str]]:
        """Return, for each group, the paths of its ``most`` notes that changed last, newest first.

        ``groups``: the group of each note, from 0 on. Ties are broken by path.
        """
        newest: list[list[str]] = [[] for _ in range(group_count)]
        if most == 0 or not len(note_ids):
            return newest
        changed_s = self.ages.changed_s(note_ids)
        oldest_s = _oldest_kept(groups, changed_s, group_count, most)
        kept = np.flatnonzero(changed_s >= oldest_s[groups])
        paths = map(self.graph.path, note_ids[kept].tolist())
        rows = zip(groups[kept].tolist(), (-changed_s[kept]).tolist(), paths, strict=True)
        for group, _, path in sorted(rows):
            if len(newest[group]) < most:
                newest[group].append(path)
        return newest

    def title(self, path: str) -> str:
        """Return the name to show for a note: its title, or its stem if only that is unique.

        Notes made from one template often have the same first heading, and so the same title.
        """
        return self._unique_title(path, self.facts[path].title)

    def title_of(self, note: Note) -> str:
        """Return the name to show for a note that was read, as ``title`` does."""
        return self._unique_title(note.path, note.title)

    def _unique_title(self, path: str, title: str) -> str:
        if len(self.lists.paths_by_title.get(fold_name(title), ())) < 2:
            return title
        stem = stem_of(path)
        return title if len(self.names.notes_with_stem(normalize(stem))) > 1 else stem

    def dates(self, path: str) -> NoteDates:
        """Return when the note at ``path`` was created and changed, and the sources."""
        return self.ages.get(self.graph.note_ids[path]).dates

    def display(self, concept: str) -> str:
        """Return the display name of a concept."""
        return self.targets.display(concept)

    def target_of(self, link: Wikilink, path: str) -> str:
        """Return the text of the target under which a link in the note at ``path`` is entered."""
        return self.names.seen_from(link.canonical_target, path)

    def resolve(self, link: Wikilink, path: str) -> str | None:
        """Return the path that a link in the note at ``path`` leads to."""
        if not link.target:
            return path
        target = self.targets.by_text.get(self.target_of(link, path))
        return target.resolved if target else None

    def concept_of(self, link: Wikilink, path: str) -> str | None:
        """Return the concept that a link in the note at ``path`` names."""
        if link.kind not in self.mention_kinds or not link.target:
            return None
        target = self.targets.by_text.get(self.target_of(link, path))
        return target.concept if target else None

    def places_of(self, sources: LinkSources, note: Note) -> list[int]:
        """Return the indexes in ``note.links`` of its links that are of ``sources``."""
        return [
            place
            for place, link in enumerate(note.links)
            if link.kind in sources.kinds and self.target_of(link, note.path) in sources.texts
        ]

    def concept_named(self, text: str) -> str | None:
        """Return the concept that ``text`` would name as a link, preferably a mentioned one."""
        name = self.names.concept_of_target(text.strip())
        if name is not None and self.graph.concept_id(name) is not None:
            return name
        plain = self.names.concept_of_text(text)
        return plain if plain and self.graph.concept_id(plain) is not None else name or plain

    def aliases_of_concept(self, concept: str) -> tuple[str, ...]:
        """Return the other names that lead to ``concept``: aliases of its notes, and merges."""
        others = {variant for variant, name in self.names.rules.merged.items() if name == concept}
        for path in self.paths_by_concept.get(concept, ()):
            claimed = self.note(path).fields.aliases
            others.update(
                alias for alias in claimed if self.names.note_of_alias(normalize(alias)) == path
            )
        return tuple(sorted(others))

    def links_to(self, path: str) -> "LinkSources":
        """Return the links of other notes to ``path``, by its file name or by an alias."""
        texts = self.texts_leading_to(path)
        counts = _summed(self.targets.uses(text).notes for text in texts)
        note_id = self.graph.note_id(path)
        if note_id is not None:
            counts.pop(note_id, None)
        return LinkSources(texts, counts, frozenset(LinkKind))

    def texts_leading_to(self, path: str) -> AbstractSet[str]:
        """Return the texts of the targets that resolve to ``path``, or name it by an alias.

        An alias resolves to no file, but names the concept of the note.
        """
        texts, by_text = self.targets.texts_resolving_to(path), self.targets.by_text
        if not self.names.naming.aliases:
            return texts
        return texts | {
            text
            for text in self.targets.texts_naming(self.names.note_id(path))
            if by_text[text].resolved is None
            and self.names.note_of_alias(normalize(without_extension(text))) == path
        }

    def mentions_of(self, concept: str) -> "LinkSources":
        """Return the links that name ``concept``."""
        texts = self.targets.texts_naming(concept)
        counts = _summed(self.targets.uses(text).mentions for text in texts)
        return LinkSources(texts, counts, self.mention_kinds)

    def problems(self) -> list[Problem]:
        """Return all problems of notes, code, settings files, aliases and successors, sorted."""
        troubled = self.lists.problem_counts
        found = [problem for path in troubled for problem in self.facts[path].problems]
        found += self.names.rules.problems + self.daily_notes.problems + self.rule_files.problems
        found += (self.code.problems[path] for path in self.code.problems)
        for alias, paths in self.names.contested_aliases().items():
            claim = (
                "claimed by more than one note" if len(paths) > 1 else "the name of another note"
            )
            message = f"the alias {alias!r} is {claim}, so it merges nothing"
            found += [Problem(path, "aliasContested", None, message, alias) for path in paths]
        found += (*self._rules_of_aliases(), *self._problems_of_successors())
        return sorted(found, key=lambda p: (p.path, p.code, p.line or 0, p.message))

    def _rules_of_aliases(self) -> Iterator[Problem]:
        """Yield a problem for each name in the concept rules that is an alias of a note instead."""
        rules, names = self.names.rules, self.names
        every = {*rules.ignored, *rules.merged, *rules.merged.values()}
        for name in every if names.naming.aliases else ():
            path = names.note_of_alias(name)
            if path is not None and names.note_id(path) != name:
                message = (
                    f"{name!r} is an alias of {path}, so name that note: {names.note_id(path)!r}"
                )
                yield Problem(CONCEPTS_TOML, "conceptRulesInvalid", None, message, name)

    def _problems_of_successors(self) -> Iterator[Problem]:
        for path, targets in self.successors.broken():
            for target in targets:
                message = f"superseded_by or supersedes names {target!r}, which is no note"
                yield Problem(path, "supersededBroken", None, message, target)
        for circle in circles(self.successors):
            way = " -> ".join((*circle, circle[0]))
            message = f"superseded_by and supersedes lead in a circle, so no note is live: {way}"
            yield Problem(circle[0], "supersededCircular", None, message, way)


def _summed(counts: Iterable[Mapping[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _oldest_kept(
    groups: Int64Array, dates_s: Float64Array, group_count: int, most: int
) -> Float64Array:
    """Return the date of the ``most``-th newest of each group, or of its last if it has fewer."""
    if most == 1:  # A hub shares tens of thousands of notes with its neighbours.
        newest_s = np.full(group_count, -np.inf)
        np.maximum.at(newest_s, groups, dates_s)
        return newest_s
    in_order: Float64Array = dates_s[np.lexsort((-dates_s, groups))]
    ends = np.cumsum(np.bincount(groups, minlength=group_count))
    starts = np.append(0, ends[:-1])
    oldest_s: Float64Array = in_order[np.minimum(starts + most, ends) - 1]
    return oldest_s
