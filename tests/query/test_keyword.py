"""The keyword leg compared with BM25 counted word by word, and the source of its statistics."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.derived.layout import NO_SLOT
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency
from clew.query.search.legs.keyword import keyword_hits
from clew.query.search.legs.word_scores import candidates, score_words, scores_by_note
from clew.query.search.narrowing.narrowed import narrowed
from clew.query.search.passage_hits import HITS_MAX, PassageHits
from clew.query.search.search_config import SearchConfig
from clew.query.slices import finished
from clew.text.passages import chunk_text
from clew.text.terms import term_of
from clew.values.arrays import BoolArray
from clew.values.note import Chunk
from clew.values.requests import Filters
from clew.values.vault import Batch
from tests.examples import examples
from tests.searches import ask, setting
from tests.tables import for_each_row
from tests.vaults import CLOCK, engine_of, read_note, snapshot_of

K1, B = 1.2, 0.75
BONUS = 1 / 3  # the share of the score of the whole note
# Weights of a word in a title, a heading, the text, and a property.
NAME, HEADING, BODY, VALUE = 3, 2, 1, 0.5
LONG = "filler " * 300  # words: two chunks


def hits_of(
    snapshot: Snapshot, words_by_term: Sequence[Sequence[int]], allowed: BoolArray | None = None
) -> PassageHits:
    """Return the hits of terms, each given as the ids of its words."""
    scores = finished(score_words(snapshot, [words for words in words_by_term if words]))
    return finished(keyword_hits(snapshot, scores, allowed))


def by_terms(snapshot: Snapshot, terms: Sequence[str]) -> dict[str, float]:
    """Return the leg's score of each note, by path."""
    ids = [snapshot.passages.keyword.ids_of_term(term_of(term, "english")) for term in terms]
    hits = hits_of(snapshot, ids)
    found = (snapshot.graph.path(note) for note in hits.note_ids.tolist())
    return dict(zip(found, hits.note_scores.tolist(), strict=True))


def expected(
    notes: Mapping[str, str], terms: Sequence[str], values: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Return the BM25 scores by path, for notes whose names contain no word of the query.

    A line of ``---`` separates the chunks of a text. A chunk is scored together with its note's
    head. For whole notes k1 depends on the mean count of a word in the notes whose text has it.
    ``values``: of a property ``about`` of each note.
    """
    heads, bodies = {}, {}
    for path, text in notes.items():
        heads[path] = Counter[str]({path.removesuffix(".md"): NAME})
        for word in ["about", *values[path].split()] if values else ():
            heads[path][word] += VALUE  # type: ignore[assignment] # halves
        bodies[path] = [Counter(part.split()) for part in text.split("\n---\n") if part.strip()]
    whole = {path: sum(bodies[path], heads[path]) for path in notes}
    chunks = {path: [heads[path] + part for part in bodies[path] or [Counter()]] for path in notes}
    mean_note = sum(map(Counter.total, whole.values())) / len(notes)
    sizes = [part.total() for parts in chunks.values() for part in parts]
    mean_chunk = sum(sizes) / len(sizes)
    found = {}
    k1s = {}
    for term in terms:
        in_texts = [words[term] for words in whole.values() if words[term] >= 1]
        mean_count = sum(in_texts) / len(in_texts) if in_texts else 0.0
        k1s[term] = K1 * min(1.5, max(0.75, math.log(1 + mean_count) / math.log(2.5)))
    for path in notes:
        weights = {}
        for term in terms:
            frequency = sum(term in words for words in whole.values())
            if whole[path][term] >= 1:
                frequency = sum(words[term] >= 1 for words in whole.values())
            weights[term] = math.log(1 + (len(notes) - frequency + 0.5) / (frequency + 0.5))

        def score(
            words: Counter[str],
            mean: float,
            k1s: Mapping[str, float],
            weights: dict[str, float] = weights,
        ) -> float:
            norm = 1 - B + B * words.total() / mean
            return sum(
                w * words[t] * (k1s[t] + 1) / (words[t] + k1s[t] * norm) for t, w in weights.items()
            )

        same = dict.fromkeys(terms, K1)
        total = BONUS * score(whole[path], mean_note, k1s)
        total += max(score(part, mean_chunk, same) for part in chunks[path])
        if total > 0:
            found[path] = total
    return found


WORDS = st.sampled_from(["tide", "gauge", "clock", "ebb"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
VAULTS = st.lists(TEXTS, min_size=1, max_size=8)


def name(number: int) -> str:
    """Return the path of a note whose name is one word."""
    return f"n{chr(ord('a') + number)}.md"


@for_each_row("query", ["batch log slipped", "batch log thermocouple slipped", "slipped batch"])
@for_each_row("title", ["Batch log", "Log"])
def test_words_of_the_title_choose_no_passage(title: str, query: str) -> None:
    batches = [f"## Batch {number}\n\n{LONG}\n" for number in range(4)]
    batches[2] += "The thermocouple had slipped.\n"
    snapshot = snapshot_of(
        {"log.md": f"# {title}\n\nEach batch of this log.\n\n{''.join(batches)}", "b.md": "batch"}
    )
    (row, *_) = ask(snapshot, query, given=setting(config=SearchConfig(recency=0.0))).results
    lines = snapshot.note("log.md").text.split("\n")
    shown = "\n".join(lines[row.lines[0] - 1 : row.lines[1]])
    assert "slipped" in shown


@examples(200)
@given(VAULTS, st.sets(WORDS, min_size=1).map(sorted))
def test_scores_are_those_of_the_formula(texts: list[str], terms: list[str]) -> None:
    notes = {name(number): text for number, text in enumerate(texts)}
    assert by_terms(snapshot_of(notes), terms) == pytest.approx(expected(notes, terms))


@examples(200)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), st.sets(WORDS, min_size=1))
def test_a_word_in_properties_alone_is_as_frequent_as_in_all_notes(
    texts: list[tuple[str, str]], words: set[str]
) -> None:
    notes = {name(number): text for number, (_, text) in enumerate(texts)}
    values = {name(number): value for number, (value, _) in enumerate(texts)}
    written = {path: f"---\nabout: {values[path]}\n---\n{notes[path]}" for path in notes}
    scores = expected(notes, sorted(words), values)
    assert by_terms(snapshot_of(written), sorted(words)) == pytest.approx(scores)


@examples(60)
@given(VAULTS, VAULTS, st.sets(WORDS, min_size=1).map(sorted))
def test_deleted_and_changed_notes_leave_no_statistics(
    before: list[str], after: list[str], terms: list[str]
) -> None:
    engine = engine_of({name(number): text for number, text in enumerate(before)})
    notes = {name(number): text for number, text in enumerate(after)}
    gone = tuple(name(number) for number in range(len(after), len(before)))
    engine.apply(Batch(put=tuple(read_note(*each) for each in notes.items()), dropped=gone))
    assert by_terms(engine.snapshot, terms) == pytest.approx(expected(notes, terms))


def test_a_note_is_as_good_as_its_best_chunk() -> None:
    """Words close together score more than the same words far apart."""
    near = f"# N\n\n{LONG}\n\n## One\n\n{LONG}\n\ntide gauge\n\n## Two\n\n{LONG}\n"
    far = f"# N\n\n{LONG}\n\ntide\n\n## One\n\n{LONG}\n\ngauge\n\n## Two\n\n{LONG}\n"
    snapshot = snapshot_of({"far.md": far, "near.md": near})
    assert len(snapshot.note("far.md").chunks) >= 3
    found = by_terms(snapshot, ["tide", "gauge"])
    assert found["near.md"] > found["far.md"]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("# Tide\n\nclock", "# Clock\n\ntide"),
        ("# A\n\n## Tide\n\nclock", "# A\n\n## Clock\n\ntide"),
        ("---\naliases: [tide]\n---\nclock", "---\naliases: [clock]\n---\ntide"),
        ("---\ntitle: Tide\n---\nclock", "---\nplace: Tide\n---\nclock"),
    ],
)
def test_names_weigh_more_than_text(more: str, less: str) -> None:
    found = by_terms(snapshot_of({"x1.md": more, "x2.md": less}), ["tide"])
    assert found["x1.md"] > found["x2.md"]


@for_each_row(
    ("text", "term"),
    [
        ("---\ntitle: Tide\n---\n", "tide"),
        ("# A\n\n## The tide\n", "tide"),
        ("---\naliases: [tide]\n---\n", "tide"),
        ("a #tide/high", "tide"),
        ("---\nplace: tide\n---\n", "tide"),
        ("[[Other|tide]]", "tide"),
        ("![tide](x.png)", "tide"),
        ("`tideGauge()`", "gauge"),
        ("tide_gauge", "gauge"),
        ("tide-gauge", "tidegauge"),
        ("the tides", "tide"),
        ("Tıde TIDE", "tide"),
    ],
)
def test_every_part_of_a_note_can_be_found(text: str, term: str) -> None:
    assert "n.md" in by_terms(snapshot_of({"n.md": text, "m.md": "ebb"}), [term])


def test_hits_are_the_best_notes_up_to_a_bound() -> None:
    notes = {f"{number:03}.md": "tide" for number in range(HITS_MAX + 50)}
    found = by_terms(snapshot_of({**notes, "zz.md": "tide tide tide"}), ["tide"])
    assert list(found) == ["zz.md", *sorted(notes)[: HITS_MAX - 1]]


@examples(60)
@given(VAULTS, st.sets(WORDS, min_size=1).map(sorted))
def test_a_filter_leaves_scores_as_they_are(texts: list[str], terms: list[str]) -> None:
    notes = {f"{'in' if n % 2 else 'out'}/n{n}.md": text for n, text in enumerate(texts)}
    snapshot = snapshot_of(notes)
    ids = [snapshot.passages.keyword.ids_of_term(term_of(term, "english")) for term in terms]
    allowed = finished(narrowed(snapshot, Filters(folder="in"), (), CLOCK)).allowed
    hits = hits_of(snapshot, ids, allowed)
    found = {
        snapshot.graph.path(n): s for n, s in zip(hits.note_ids, hits.note_scores, strict=True)
    }
    whole = by_terms(snapshot, terms)
    assert found == {path: score for path, score in whole.items() if path.startswith("in/")}


PARAGRAPHS = st.lists(TEXTS, min_size=1, max_size=6)


@examples(150)
@given(TEXTS, PARAGRAPHS, WORDS)
def test_the_best_passage_contains_the_word_if_any_does(
    title: str, paragraphs: list[str], word: str
) -> None:
    text = "".join(f"## {n}\n\n{LONG}\n\n{each}\n\n" for n, each in enumerate(paragraphs))
    snapshot = snapshot_of({"n.md": f"# N {title}\n\n{text}", "other.md": "moon"})
    keyword = snapshot.passages.keyword
    hits = hits_of(snapshot, [keyword.ids_of_term(word)])
    for note, slot in zip(hits.note_ids.tolist(), hits.slots[:, 0].tolist(), strict=True):
        assert snapshot.graph.path(note) == "n.md"
        chunks = snapshot.note("n.md").chunks
        holding = [n for n, each in enumerate(chunks, 1) if word in chunk_text_of(snapshot, each)]
        part = slot - snapshot.passages.slots.slots_of(snapshot.graph.note_ids["n.md"]).start
        assert part in holding if holding else slot == NO_SLOT


def chunk_text_of(snapshot: Snapshot, chunk: Chunk) -> list[str]:
    return chunk_text(snapshot.note("n.md"), chunk).split()


SUBJECTS = ("tide", "gauge", "clock", "harbour", "moon", "filler")


def random_notes(seed: int, count: int) -> dict[str, str]:
    """Return notes with these words in their names and headings, some with several chunks."""
    rng = Random(seed)

    def words(most: int) -> str:
        return " ".join(rng.choices(SUBJECTS, k=rng.randrange(most)))

    return {
        f"{words(3)} {number}.md": f"---\nx: {words(3)}\n---\n# {words(3)}\n\n{words(30)}"
        f"\n\n{LONG * rng.randrange(3)}"
        f"\n\n## {words(3)}\n\n{words(30)}"
        for number in range(count)
    }


@pytest.mark.slow
@for_each_row("seed", range(6))
@for_each_row("most", [1, 4, 15])
def test_the_best_notes_are_among_those_that_are_scored_with_their_heads(
    seed: int, most: int
) -> None:
    snapshot = snapshot_of(random_notes(seed, 60))
    keyword, layout = snapshot.passages.keyword, snapshot.derived.layout
    ids = [keyword.ids_of_term(term_of(word, "english")) for word in SUBJECTS[seed % 3 :: 2]]
    scores = finished(score_words(snapshot, [each for each in ids if each]))
    every_note = np.arange(layout.note_slots)
    by_note = finished(scores_by_note(layout, scores, every_note))
    found = finished(candidates(scores, None, most))
    bound = np.sort(by_note)[-most]
    assert set(np.flatnonzero(by_note >= bound).tolist()) <= set(found.tolist())
    assert (
        by_note[found].tolist() == finished(scores_by_note(layout, scores, found))[found].tolist()
    )


def test_heads_are_added_only_in_notes_that_can_be_among_the_best() -> None:
    """Notes that have the word in their names alone score less than those that are full of it."""
    notes = {f"n{number}.md": "tide " * 40 for number in range(5)}
    notes |= {f"tide {number}.md": f"{LONG}\n\n## {LONG}" for number in range(20)}
    snapshot = snapshot_of(notes)
    ids = snapshot.passages.keyword.ids_of_term(term_of("tide", "english"))
    scores = finished(score_words(snapshot, [ids]))
    found = map(snapshot.graph.path, finished(candidates(scores, None, 5)).tolist())
    assert sorted(found) == [f"n{number}.md" for number in range(5)]


def test_a_word_that_all_properties_have_is_as_rare_as_it_is_in_texts() -> None:
    texts = {f"{n}.md": f"---\npublish: true\n---\n\nText {n} of tides." for n in range(6)}
    for texts_with_it, frequency in ((0, 6), (1, 1), (2, 2)):
        for n in range(texts_with_it):
            texts[f"{n}.md"] = "---\npublish: true\n---\n\nHow to publish tides."
        snapshot = snapshot_of(texts)
        word_id = snapshot.passages.keyword.id_of("publish")
        assert word_id is not None
        scores = finished(score_words(snapshot, [[word_id]]))
        assert scores.terms[0].weight == inverse_frequency(6, frequency)


def test_a_property_that_most_notes_have_does_not_outweigh_what_is_asked_for() -> None:
    notes = {f"{n}.md": f"---\nzone: amber\n---\nText {n} of tides." for n in range(20)}
    notes |= {f"plan {n}.md": f"Plan {n}: the clock is moved." for n in range(5)}
    snapshot = snapshot_of({**notes, "lamp.md": "The lamp is amber."})
    found = by_terms(snapshot, ["clock", "amber"])
    assert max(found, key=found.__getitem__) == "lamp.md"
    plans = min(score for path, score in found.items() if "plan" in path)
    assert all(score < plans for path, score in found.items() if path[0].isdigit())
