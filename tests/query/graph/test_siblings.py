"""Siblings compared with a direct computation of them, for any partition and revision."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.engine.apply import Engine
from clew.engine.caches import hub_notes, member_notes
from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.query.graph import siblings
from clew.query.graph.concept import concept
from clew.query.graph.siblings import community_siblings
from clew.query.slices import finished
from clew.values.arrays import Int32Array, Int64Array, IntegerArray
from clew.values.communities import Community
from clew.values.replies import CommunitySibling, rounded
from clew.values.requests import ConceptRequest
from clew.values.vault import Batch
from tests.counted import counted
from tests.examples import examples
from tests.vaults import NOW_S, engine_of, read_note

FAR, NEAR = "abcdefg", "pqrst"
NAMES = FAR + NEAR
# Rows of one FAR concept and some NEAR ones: FAR concepts often share neighbours, but no note.
STARS = st.builds(
    lambda one, others: {one, *others},
    st.sampled_from(FAR),
    st.sets(st.sampled_from(NEAR), min_size=2),
)
ANY_ROW = st.sets(st.sampled_from(NAMES), min_size=1, max_size=4)
ROWS = st.lists(st.one_of(STARS, STARS, STARS, ANY_ROW), min_size=1, max_size=16)
# No note mentions the members "u" and "v"; concepts in no group are newer than the partition.
GROUPS = st.one_of(
    st.just(dict.fromkeys(NAMES, 1)),
    st.dictionaries(st.sampled_from(NAMES + "uv"), st.integers(1, 2)),
)
RULES = st.builds(
    SiblingConfig,
    min_shared=st.integers(1, 4),
    min_overlap=st.sampled_from([0.0, 0.25, 1 / 3, 0.375, 0.4, 0.5, 0.6, 1.0]),
    max_siblings=st.integers(0, 5),
)


def communities_of(groups: Mapping[str, int], revision: int = 1) -> Communities:
    """Return communities from a mapping of member names to community ids."""
    members: dict[int, list[str]] = {}
    for name, number in sorted(groups.items()):
        members.setdefault(number, []).append(name)
    by_id = {
        number: Community(number, tuple(names), tuple(names), ())
        for number, names in members.items()
    }
    return Communities(revision, by_id, dict(groups), 0.0)


def text_of(concepts: Iterable[str]) -> str:
    return " ".join(f"[[{name}]]" for name in sorted(concepts))


def engine_with(rows: Sequence[Iterable[str]], groups: Mapping[str, int]) -> Engine:
    engine = engine_of({f"note {n}.md": text_of(row) for n, row in enumerate(rows)})
    engine.communities = communities_of(groups)
    return engine


def siblings_of(
    snapshot: Snapshot, name: str, rules: SiblingConfig, now_s: float = NOW_S
) -> list[CommunitySibling]:
    concept_id = snapshot.graph.concept_id(name)
    assert concept_id is not None
    neighbours = snapshot.neighbours(concept_id, now_s)
    return list(finished(community_siblings(snapshot, name, neighbours, rules)))


def expected(
    rows: Iterable[Iterable[str]], groups: Mapping[str, int], name: str, rules: SiblingConfig
) -> list[CommunitySibling]:
    """Return the siblings by their definition, computed one pair of concepts at a time."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for one, other in combinations(sorted(set(row)), 2):
            counts.setdefault(one, Counter())[other] += 1
            counts.setdefault(other, Counter())[one] += 1
    own, ranked = counts.get(name, Counter[str]()), []
    for member in groups:
        theirs = counts.get(member, Counter[str]())
        is_other = member != name and member not in own
        if name not in groups or groups[member] != groups[name] or not is_other or not theirs:
            continue
        shared = own.keys() & theirs.keys()
        overlap = sum(min(own[near], theirs[near]) for near in shared) / theirs.total()
        if len(shared) >= rules.min_shared and overlap >= rules.min_overlap:
            ranked.append((-overlap, member, len(shared)))
    return [
        CommunitySibling(
            name=member,
            display_name=member,
            community_id=groups[name],
            shared_neighbor_count=shared,
            normalized_overlap=rounded(-negative),
        )
        for negative, member, shared in sorted(ranked)[: rules.max_siblings]
    ]


# -- the definition, case by case -------------------------------------------------------------

ONES = {"a": 1, "b": 1, "c": 1, "d": 1}


def rows_of_pairs(**neighbours: Mapping[str, int]) -> list[str]:
    """Return rows of two concepts, which give each concept these neighbours with these counts."""
    return [
        one + other
        for one, counts in neighbours.items()
        for other, count in counts.items()
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("q", "s", "shared", "overlap"),
    [
        pytest.param(ONES, ONES | {"x": 6}, 4, 0.4, id="4 of 10"),
        pytest.param(ONES, ONES | {"x": 7}, 0, None, id="4 of 11"),
        pytest.param(ONES, {"a": 1, "b": 1, "c": 1, "x": 5}, 0, None, id="3 of 8 is 0.375"),
        pytest.param(ONES, {"a": 1, "b": 1, "c": 1, "x": 4}, 3, 3 / 7, id="3 of 7"),
        pytest.param(ONES, {"a": 9, "b": 9}, 0, None, id="two neighbours are too few"),
        pytest.param({"a": 5, "b": 1, "c": 1}, {"a": 2, "b": 3, "c": 5}, 3, 0.4, id="the smaller"),
        pytest.param({"a": 9, "b": 9, "c": 9}, ONES, 3, 0.75, id="of the sibling's weight"),
        pytest.param({**ONES, "s": 1}, ONES, 0, None, id="they share a note"),
        pytest.param(ONES, {}, 0, None, id="no note mentions it any more"),
    ],
)
def test_the_definition(
    q: Mapping[str, int], s: Mapping[str, int], shared: int, overlap: float | None
) -> None:
    snapshot = engine_with(rows_of_pairs(q=q, s=s), {"q": 1, "s": 1}).snapshot
    rows = [
        (row.name, row.shared_neighbor_count, row.normalized_overlap)
        for row in siblings_by_default(snapshot)
    ]
    assert rows == ([] if overlap is None else [("s", shared, rounded(overlap))])


def siblings_by_default(snapshot: Snapshot, name: str = "q") -> list[CommunitySibling]:
    return siblings_of(snapshot, name, SiblingConfig())


def test_siblings_need_not_be_mutual() -> None:
    rows = rows_of_pairs(q={"a": 1, "b": 1, "c": 1, "x": 9}, s={"a": 1, "b": 1, "c": 1})
    snapshot = engine_with(rows, {"q": 1, "s": 1}).snapshot
    assert [row.name for row in siblings_by_default(snapshot, "q")] == ["s"]
    assert siblings_by_default(snapshot, "s") == []


@pytest.mark.parametrize("groups", [{"q": 1, "s": 2}, {"q": 1}, {"s": 1}, {}])
def test_siblings_are_in_the_same_community(groups: dict[str, int]) -> None:
    assert siblings_by_default(engine_with(rows_of_pairs(q=ONES, s=ONES), groups).snapshot) == []


def test_the_age_of_notes_does_not_matter() -> None:
    engine = engine_with(rows_of_pairs(q=ONES, s=ONES | {"x": 6}), {"q": 1, "s": 1})
    fresh = siblings_by_default(engine.snapshot)
    assert siblings_of(engine.snapshot, "q", SiblingConfig(), NOW_S * 2) == fresh != []


def test_at_most_ten_by_overlap_and_name() -> None:
    weights = {f"{letter}{n}": n for n in range(4) for letter in "zyx"}
    rows: list[list[str]] = [["q", near] for near in "abc"]
    for name, weight in weights.items():
        rows += [[name, near] for near in "abc"]
        rows += [[name, "far"]] * weight
    engine = engine_with(rows, dict.fromkeys([*weights, "q"], 1))
    names = [row.name for row in siblings_by_default(engine.snapshot)]
    assert names == ["x0", "y0", "z0", "x1", "y1", "z1", "x2", "y2", "z2", "x3"]


THREE = {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize(
    ("others", "best"),
    [
        pytest.param({"x": THREE, "y": THREE}, "x", id="equals by name"),
        # y has the higher bound and is measured first, but both have the same overlap.
        pytest.param(
            {"y": {**THREE, "a": 2}, "x": {**THREE, "f": 1}}, "x", id="equal overlap, higher bound"
        ),
        pytest.param(
            {"x": {**THREE, "f": 1}, "y": {**THREE, "f": 4}, "z": THREE}, "z", id="the best is last"
        ),
    ],
)
def test_the_best_sibling_is_found_in_small_batches(
    monkeypatch: pytest.MonkeyPatch, others: Mapping[str, Mapping[str, int]], best: str
) -> None:
    monkeypatch.setattr(siblings, "FIRST_BATCH_CELLS", 1)
    engine = engine_with(rows_of_pairs(q=THREE, **others), dict.fromkeys(["q", *others], 1))
    (row,) = siblings_of(engine.snapshot, "q", SiblingConfig(max_siblings=1))
    assert row.name == best


def test_the_rows_of_a_large_community_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["q", "hub"], ["q", "b"], ["q", "c"], ["s", "hub"], ["s", "b"], ["s", "c"]]
    rows += [[f"m{n}", "hub"] for n in range(200)]
    groups = dict.fromkeys(["q", "s", *(f"m{n}" for n in range(200))], 1)
    snapshot, read = engine_with(rows, groups).snapshot, []
    concepts_of = ConceptGraph.concepts_of_notes

    def noted(graph: ConceptGraph, notes: IntegerArray) -> tuple[Int32Array, Int64Array]:
        read.append(len(notes))
        return concepts_of(graph, notes)

    neighbours = snapshot.neighbours(snapshot.graph.concept_id("q") or 0, NOW_S)
    monkeypatch.setattr(ConceptGraph, "concepts_of_notes", noted)
    monkeypatch.setattr(member_notes, "PAIRS_WITH_ROWS_MAX", 200)
    kept = snapshot.siblings.hub_notes
    finished(kept.counts_by_note(snapshot.graph, neighbours.ids))  # finds the hubs
    read.clear()
    found = finished(community_siblings(snapshot, "q", neighbours, SiblingConfig()))
    assert [row.name for row in found] == ["s"]
    assert read == [3]  # the notes of the one candidate


def test_only_the_best_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch measures hundreds of members of a large community."""
    others = {name: {**THREE, "f": n} for n, name in enumerate("stuvwxyz", 1)}
    engine = engine_with(rows_of_pairs(q=THREE, **others), dict.fromkeys(["q", *others], 1))
    snapshot = engine.snapshot
    named = counted(monkeypatch, ConceptGraph, "name")
    found = siblings_of(snapshot, "q", SiblingConfig(max_siblings=2, min_overlap=0.1))
    assert [row.name for row in found] == ["s", "t"]
    assert len(named) == 2 * 2  # to compare them, and to show them


def test_the_work_for_many_equal_bounds_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bound is above the overlap, so that no candidate ends the search."""
    monkeypatch.setattr(siblings, "FIRST_BATCH_CELLS", 1)
    monkeypatch.setattr(siblings, "BATCH_CELLS_MAX", 1)
    members = [f"s{n:02}" for n in range(40)]
    rows = [["q", near] for near in "abc"]
    rows += [[member, near] for member in members for near in "aabc"]  # 8 cells each
    measured: list[slice] = []
    measure = siblings._measure  # noqa: SLF001 - it is counted

    def counted(*arguments: Any) -> list[siblings.Sibling]:
        measured.append(arguments[3])
        return measure(*arguments)

    monkeypatch.setattr(siblings, "_measure", counted)
    for cells_max, count in ((10_000, 40), (100, 13)):
        monkeypatch.setattr(siblings, "CELLS_READ_MAX", cells_max)
        snapshot = engine_with(rows, dict.fromkeys(["q", *members], 1)).snapshot
        assert [row.name for row in siblings_by_default(snapshot)] == members[:10]
        assert len(measured) == count
        measured.clear()


# -- the definition, on any vault -------------------------------------------------------------


@pytest.mark.slow
@examples(250, long=1_500)
@given(
    rows=ROWS,
    groups=GROUPS,
    rules=RULES,
    cells=st.sampled_from([1, 5, 2_000]),
    most=st.sampled_from([1, 3, 20_000]),
    pairs=st.sampled_from([0, 20_000]),
    hubs=st.sampled_from([1, 4, hub_notes.HUBS_MAX]),
)
def test_siblings_match_their_definition(
    rows: list[set[str]],
    groups: dict[str, int],
    rules: SiblingConfig,
    cells: int,
    most: int,
    pairs: int,
    hubs: int,
) -> None:
    """For any batch size, any age of the partition, and communities of any size."""
    snapshot = engine_with(rows, groups).snapshot
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(member_notes, "PAIRS_WITH_ROWS_MAX", pairs)
        patch.setattr(hub_notes, "HUBS_MAX", hubs)
        patch.setattr(siblings, "FIRST_BATCH_CELLS", cells)
        patch.setattr(siblings, "BATCH_CELLS_MAX", most)
        for name in snapshot.graph.concepts():
            assert siblings_of(snapshot, name, rules) == expected(rows, groups, name, rules)


class RevisionMachine(RuleBasedStateMachine):
    """Notes and partitions change; siblings are always those of the current ones."""

    paths = st.sampled_from([f"note {n}.md" for n in range(8)])
    asked = SiblingConfig(min_shared=1, min_overlap=0.25)

    def __init__(self) -> None:
        super().__init__()
        self.rows = {f"note {n}.md": {one, *"pqr"} for n, one in enumerate("abcd")}
        self.engine = engine_of({path: text_of(row) for path, row in self.rows.items()})
        self.groups: dict[str, int] = dict.fromkeys(NAMES, 1)
        self.engine.communities = communities_of(self.groups)
        self.earlier = [(self.groups, self.engine.communities)]

    @rule(path=paths, row=st.one_of(STARS, STARS, ANY_ROW, st.just(set())))
    def put(self, path: str, row: set[str]) -> None:
        self.rows[path] = row
        self.engine.apply(Batch(put=(read_note(path, text_of(row)),)))

    @rule(path=paths)
    def drop(self, path: str) -> None:
        if self.rows.pop(path, None) is not None:
            self.engine.apply(Batch(dropped=(path,)))

    @rule(groups=GROUPS)
    def partition(self, groups: dict[str, int]) -> None:
        """The same community ids may now have other members."""
        self.groups, self.engine.communities = groups, communities_of(groups, self.engine.revision)
        self.earlier.append((groups, self.engine.communities))

    @rule(chance=st.randoms(use_true_random=False))
    def restore_an_earlier_partition(self, chance: object) -> None:
        self.groups, self.engine.communities = chance.choice(self.earlier)  # type: ignore[attr-defined]

    @invariant()
    def siblings_are_current(self) -> None:
        snapshot = self.engine.snapshot
        for name in snapshot.graph.concepts():
            answer = expected(self.rows.values(), self.groups, name, self.asked)
            assert siblings_of(snapshot, name, self.asked) == answer


RevisionMachine.TestCase.settings = examples(30, long=100, stateful_step_count=15)
test_siblings_are_always_current = RevisionMachine.TestCase


def test_siblings_depend_on_the_configuration() -> None:
    rows, groups = rows_of_pairs(q=ONES, s=ONES, t={"a": 1}), {"q": 1, "s": 1, "t": 1}
    engine = engine_with(rows, groups)
    for most, least in [(5, 3), (5, 1), (1, 1), (5, 1), (5, 3)]:
        rules = SiblingConfig(min_shared=least, max_siblings=most)
        answer = expected(rows, groups, "q", rules)
        assert siblings_of(engine.snapshot, "q", rules) == answer != []


def test_the_cache_of_siblings_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine.caches.siblings.SIBLINGS_BYTES_MAX", 2_000)
    snapshot = engine_with(rows_of_pairs(q=ONES, s=ONES, t=ONES), {"q": 1, "s": 1, "t": 1}).snapshot
    first = [siblings_by_default(snapshot, name) for name in "qst"]
    assert [siblings_by_default(snapshot, name) for name in "qst"] == first
    assert list(snapshot.siblings.lru) == ["s", "t"]


def test_notes_of_members_that_are_too_many_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.query.graph.siblings.MEMBERS_BYTES_MAX", 10)
    snapshot = engine_with(rows_of_pairs(q=ONES, s=ONES), {"q": 1, "s": 1}).snapshot
    assert [row.name for row in siblings_by_default(snapshot, "q")] == ["s"]
    assert len(snapshot.siblings.members) == 0


def test_a_change_leaves_the_notes_of_other_communities() -> None:
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    engine = engine_with(rows, {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3, "f": 3})
    rules = SiblingConfig(min_shared=1)
    for name in "ace":
        siblings_of(engine.snapshot, name, rules)
    before = dict(engine.snapshot.siblings.members.items())
    assert set(before) == {1, 2, 3}
    engine.apply(Batch(put=(read_note("note 0.md", text_of(["c", "b"])),)))
    siblings_of(engine.snapshot, "e", rules)
    assert dict(engine.snapshot.siblings.members.items()) == {3: before[3]}


def test_the_concept_method_returns_community_and_siblings() -> None:
    engine = engine_with(rows_of_pairs(q=ONES, s=ONES), {"q": 7, "s": 7, "a": 8})
    request = ConceptRequest(concept_name="Q")
    reply = finished(concept(engine.snapshot, request, NOW_S, SiblingConfig()))
    assert reply.community_id == 7
    assert [(row.name, row.community_id) for row in reply.community_siblings] == [("s", 7)]
    communities = {row.name: row.community_id for row in reply.direct_relations}
    assert communities == {"a": 8, "b": None, "c": None, "d": None}
    engine.communities = NO_COMMUNITIES
    reply = finished(concept(engine.snapshot, request, NOW_S, SiblingConfig()))
    assert (reply.community_id, reply.community_revision) == (None, None)
    assert reply.community_siblings == ()
