"""What may enter a pack: passages ranked as search ranks notes, and properties."""

import re
from dataclasses import replace

import numpy as np
import pytest

from clew.engine.snapshot import Snapshot
from clew.query.context.formulas.relevance import RankedSlots
from clew.query.context.gather import Material, gather
from clew.query.context.passages import Passage, passages_of
from clew.query.slices import finished
from clew.values.requests import Context
from tests.query.context.packs import pack
from tests.query.context.test_pack_budget import THREE
from tests.searches import ask, paths, setting, vault
from tests.vaults import snapshot_of

# Only the language of the query prefers the English note: its text is longer.
GERMAN = "Der Gezeitenpegel steht am Hafen, und er ist nicht sehr alt."
ENGLISH = "The Gezeitenpegel is at the harbour, and it is not so very old."
TRIP = """---
title: Trip
destination: Reykjavik
hotel: Borealis
token: AKIAIOSFODNN7EXAMPLE
tags: [travel]
---
"""


def material(snapshot: Snapshot, query: str) -> Material:
    return finished(gather(snapshot, Context(query=query), setting(has_model=False)))


def packed_paths(snapshot: Snapshot, query: str) -> list[str]:
    """Return the notes of a pack's candidates, best first."""
    found = material(snapshot, query).passages
    return list(dict.fromkeys(passage.note.path for passage in found))


def test_of_equally_relevant_passages_those_of_the_first_paths_are_read() -> None:
    snapshot = snapshot_of({f"{number:03}.md": "the gauge" for number in range(200)})
    slots = np.arange(len(snapshot.passages.slots.note_ids))[::-1]
    relevance = np.where(slots < 100, 0.5, 1.0)
    order = np.argsort(-relevance, kind="stable")
    ranked = RankedSlots(slots[order], relevance[order])
    found = finished(passages_of(snapshot, ranked, [(["gauge"], 1.0)], 10**6, has_details=False))
    found_paths = [passage.note.path for passage in found if passage.relevance >= 0.5]
    of_slot = [snapshot.graph.path(each) for each in snapshot.passages.slots.note_ids.tolist()]
    best = {of_slot[slot] for slot in slots.tolist() if slot >= 100}
    assert found_paths == [*sorted(best), *sorted({*of_slot} - best)]


@pytest.mark.parametrize(
    ("notes", "query"),
    [
        (
            {"a.md": GERMAN, "b.md": ENGLISH},
            "what is the Gezeitenpegel of this?",
        ),
        (
            {
                "a.md": "the gauge of the harbour and the tide",
                "b.md": "---\ntype: decision\n---\nthe gauge of the harbour and the tide, again",
                "c.md": "the tide",
            },
            "decisions on the gauge of the harbour",
        ),
        ({"Gauge.md": "", "a.md": "a gauge", "b.md": "[[Gauge]] in the harbour, gauge"}, "gauge"),
    ],
    ids=["languages", "kinds", "empty notes"],
)
def test_candidates_have_the_order_of_search(notes: dict[str, str], query: str) -> None:
    snapshot = snapshot_of(notes)
    found = paths(ask(snapshot, query, given=setting(has_model=False)))
    with_text = [path for path in found if notes[path]]
    assert packed_paths(snapshot, query) == with_text
    assert len(with_text) > 1


@pytest.mark.parametrize("body", ["", "\n# Trip\n\nIt rained for a week.\n"])
def test_a_note_answers_by_a_property_alone(body: str) -> None:
    snapshot = snapshot_of({"Trip.md": TRIP + body, "b.md": "nothing of the sort"})
    text = pack(snapshot, "reykjavik hotel token").context
    assert "destination: Reykjavik" in text
    assert "#L3-L" in text
    assert "AKIAIOSFODNN7EXAMPLE" not in text
    assert "[REDACTED:" in text


def test_properties_without_a_word_of_the_query_are_left_out_of_a_note_with_text() -> None:
    front = "---\nmobile: true\nrelated:\n  - Reykjavik\ntags: [b]\nhotel: Borealis\n---\n"
    snapshot = snapshot_of({"Trip.md": f"{front}\nIt rained.\n", "Bare.md": front})
    request = {"token_budget": 1_000, "template": "compact"}
    trip, bare = [
        pack(snapshot, f"reykjavik path:{name}", **request).context for name in ("Trip", "Bare")
    ]
    assert "related:\n  - Reykjavik" in trip
    assert "#L3-L9~" in trip
    assert "mobile" not in trip
    assert "Borealis" not in trip
    assert "mobile: true\nrelated:\n  - Reykjavik" in bare


def test_properties_stay_out_where_the_text_says_the_same() -> None:
    snapshot = snapshot_of({"Trip.md": TRIP + "\nA week in Reykjavik, at a hotel.\n"})
    assert "Borealis" not in pack(snapshot, "reykjavik hotel").context


def test_a_list_of_notes_shows_properties_of_notes_without_text() -> None:
    assert "Borealis" in pack(snapshot_of({"Trip.md": TRIP}), "tag:travel").context


def test_the_period_and_the_filter_that_no_note_passes_are_told() -> None:
    snapshot = snapshot_of({"2025-03-01.md": "---\ndate: 2025-03-01\n---\ntide"})
    understood = pack(snapshot, "tide notes from March 2025").metadata
    assert understood.period is not None
    assert (understood.period.since, understood.empty_filter) == ("2025-03-01", None)
    empty = pack(snapshot, "tide notes from March 1987").metadata.empty_filter
    assert empty is not None
    assert empty.filter == "period"
    assert pack(snapshot, "tide").metadata.period is None


QUESTIONS = {
    "how does AuthService validate JWT tokens?": "auth.md",
    "what happens to a failed charge in PaymentService?": "payment.md",
    "what makes CacheManager invalidate an entry?": "cache.md",
}


def test_three_questions_find_their_notes() -> None:
    snapshot = vault(THREE)
    for question, path in QUESTIONS.items():
        found = finished(gather(snapshot, Context(query=question), setting()))
        assert path in [passage.note.path for passage in found.passages][:5]


ROWS = "\n".join(f"| v{number} | {'meaning of it, at some length ' * 4}|" for number in range(30))
LETTERS = "Letters are small, and no space is in them. " * 25
MANUAL = f"""# Manual

Introduction. {LETTERS}

## Names

Each template may use variables. {LETTERS} They are these:

| name | text |
|---|---|
{ROWS}

### Dates

{"A day is written with its year first. " * 40}

### Times

{"An hour is written with two digits. " * 40}

## Printing

{"Paper is put in from the left. " * 40}

## Scanning

{"Glass is wiped with a cloth. " * 40}
"""


def shown_of(query: str) -> list[Passage]:
    """Return the candidates for a pack of the manual, best first."""
    return list(material(snapshot_of({"Manual.md": MANUAL, "b.md": "Garden."}), query).passages)


def test_a_passage_brings_what_goes_on_with_it() -> None:
    found = shown_of("variables of a template")
    texts = [passage.note.text[passage.start : passage.end] for passage in found]
    assert texts[0].endswith("They are these:")
    assert texts[1].startswith("| name | text |\n|---|---|\n| v0 |")
    assert {passage.headings[-1] for passage in found} == {"Manual", "Names", "Dates", "Times"}
    text = pack(snapshot_of({"Manual.md": MANUAL}), "variables of a template").context
    assert "| v0 |" in text
    assert "Paper" not in text


def test_the_beginning_of_a_note_brings_its_first_section() -> None:
    found = shown_of("an introduction")
    assert [passage.headings[-1] for passage in found[:2]] == ["Manual", "Names"]
    assert found[1].relevance > 0.3 * found[0].relevance


def test_a_passage_within_a_section_brings_its_beginning() -> None:
    found = shown_of("the year of a day")
    assert found[0].headings == ("Manual", "Names", "Dates")
    assert {passage.headings[-1] for passage in found} == {"Dates", "Names"}


def test_long_lines_of_data_stand_behind_prose() -> None:
    data = ", ".join(f'"gauge": {number}, "harbour": "A"' for number in range(20))
    notes = {
        "a.md": f"# A\n\n```json\n[{data}]\n```\n",
        "b.md": "# B\n\nThe gauge stands on the quay of the harbour, and has a clock. " * 3,
    }
    snapshot = snapshot_of(notes)
    assert packed_paths(snapshot, "gauge of the harbour")[0] == "a.md"
    references = re.findall(r"memory://(\w+)", pack(snapshot, "gauge of the harbour").context)
    assert references == ["b", "a"]
    short = snapshot_of(notes | {"a.md": notes["a.md"].replace(", ", ",\n")})
    references = re.findall(r"memory://(\w+)", pack(short, "gauge of the harbour").context)
    assert references == ["a", "b"]


KELP = {
    "kelp.md": "---\ndate: 2025-03-01\n---\nkelp",
    "old.md": "---\ndate: 2024-05-02\n---\nmore kelp",
}


def test_a_pack_says_which_notes_are_of_the_period() -> None:
    mixed = pack(snapshot_of(KELP), "kelp in March 2025").context
    assert "*Period: March 2025. 1 of these 2 notes are of it.*" in mixed
    assert "*2025-03-01*" in mixed
    assert "*2024-05-02, not of the period*" in mixed
    compact = pack(snapshot_of(KELP), "kelp in March 2025", template="compact").context
    assert "(2025-03-01)" in compact
    assert "(2024-05-02, not of the period)" in compact
    only = pack(snapshot_of(KELP), "notes from March 2025 about kelp").context
    assert "*Period: March 2025.*" in only
    assert "old.md" not in only
    other = pack(snapshot_of(KELP), "kelp notes since April 2025").context
    assert "*Period: the time since 2025-04-01. These notes are of other times.*" in other
    season = pack(snapshot_of(KELP), "kelp in summer 2025").context
    assert "*No days are known of summer 2025: these notes may be of any time.*" in season
    assert "Period:" not in pack(snapshot_of(KELP), "kelp").context


@pytest.mark.parametrize(
    ("words", "budget", "tokens_min", "count_min"),
    [
        (10, 256, 0, 32),  # few tokens together: as many as always
        (200, 512, 6_000, 0),  # fewer, as they have many tokens
        (200, 8_000, 12_000, 0),  # half as many again as the budget
    ],
)
def test_passages_are_looked_at_until_there_are_enough_for_the_budget(
    words: int, budget: int, tokens_min: int, count_min: int
) -> None:
    snapshot = snapshot_of({f"{n}.md": f"gauge {n}" + " tide" * words for n in range(80)})
    request = Context(query="gauge", token_budget=budget)
    found = finished(gather(snapshot, request, setting(has_model=False))).passages
    tokens = [passage.tokens for passage in found]
    assert sum(tokens) >= tokens_min
    assert len(tokens) >= count_min
    assert sum(tokens[:-1]) < tokens_min or len(tokens) - 1 < count_min


def test_words_count_in_full_in_packs_though_links_tell_of_the_same_notes() -> None:
    """So that the share of a leg before the graph leg changes no pack, but a page of search."""
    notes = {
        "a.md": "The tide gauge has a clock. [[b]]",
        "b.md": "The clock of the harbour. [[a]]",
        "c.md": "A tide gauge, and its clock.",
    }
    snapshot, given = snapshot_of(notes), setting(has_model=False)
    request = Context(query="tide gauge clock")
    packs = []
    for share in (given.before, 1.0):
        found = finished(gather(snapshot, request, replace(given, before=share))).passages
        packs.append([(passage.note.path, passage.relevance) for passage in found])
    assert packs[0] == packs[1] != []
