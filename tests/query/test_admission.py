"""Admission of hits by evidence: queries that nothing answers, names, suggestions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.query.search.finding.setting import Setting
from clew.values.requests import Filters, Search
from clew.values.search_replies import SearchReply
from tests.examples import examples
from tests.searches import SEARCH, ask, paths, setting, vault
from tests.tables import for_each_row
from tests.vaults import snapshot_of

PLAIN = setting(has_model=False)
EXACT = replace(SEARCH, fuzzy=False)

VAULT = {
    "tide.md": "# Tide\nThe tide rises at the harbour twice a day.",
    "clock.md": "# Clock drift\nA clock drifts in the cold, and the harbour [[Tide]] waits.",
    "ghost.md": "Linked with [[Clock drift]] and nothing else at all.",
    "lunch.md": "# Lunch\nBread, cheese and an apple.",
}
SNAPSHOT = vault(VAULT)


def asked(query: str, request: Search = SEARCH, given: Setting | None = None) -> SearchReply:
    return ask(SNAPSHOT, query, request, given=given)


@for_each_row("mode", ["hybrid", "keyword", "semantic", "graph"])
@for_each_row("query", ["xyzzy123", "kubernetes deployment", "quantum chromodynamics lattice"])
def test_nothing_is_shown_where_nothing_answers(query: str, mode: str) -> None:
    reply = asked(query, replace(SEARCH, mode=mode))
    assert (reply.answered, reply.results, reply.total) == ("no", (), 0)
    assert asked("harbour", replace(SEARCH, mode=mode)).answered == "yes"


def test_a_note_is_admitted_by_its_words_and_tells_which() -> None:
    reply = asked("clock harbour", given=PLAIN)
    assert reply.answered == "yes"
    matched = {row.title: row.matched for row in reply.results}
    assert matched["Clock drift"] == ("clock", "harbour")
    assert matched["Tide"] == ("harbour",)
    confidences = {row.title: row.confidence for row in reply.results}
    assert confidences["Clock drift"] > confidences["Tide"] > 0


def test_a_linked_note_is_admitted_with_the_note_that_it_is_linked_with() -> None:
    assert "ghost.md" in paths(asked("clock drifts in the cold"))
    assert "ghost.md" not in paths(asked("apple cheese"))
    assert "lunch.md" not in paths(asked("clock drifts in the cold"))


def test_a_misspelt_word_counts_less_than_the_right_one() -> None:
    right, wrong = asked("harbour", given=PLAIN), asked("harbuor", given=PLAIN)
    assert paths(right) == paths(wrong)
    assert right.results[0].confidence > wrong.results[0].confidence


def test_a_part_of_a_longer_word_counts_less_than_the_word() -> None:
    whole, part = asked("harbour", given=PLAIN), asked("arbou", given=PLAIN)
    assert part.search_metrics.tier == "trigram"
    assert whole.results[0].confidence > part.results[0].confidence


@for_each_row("query", ["Blutdruck", "messgerät", "Stadt", "Wald", "rechnung"])
def test_a_part_of_a_compound_is_answered_though_the_model_knows_nothing_of_it(query: str) -> None:
    notes = {
        "Arzt.md": "Das Blutdruckmessgerät zeigte 140. Im Stadtwald. Handwerkerrechnungen.",
        **{f"{number}.md": f"Garden party {number} with {number} guests." for number in range(9)},
    }
    reply = ask(vault(notes), query)
    assert reply.answered in ("weak", "yes")
    assert paths(reply)[0] == "Arzt.md"


def test_a_word_by_chance_inside_another_is_no_answer() -> None:
    notes = {f"{number}.md": f"capacityreservations {number}" for number in range(3)}
    assert ask(vault(notes), "tyres").answered == "no"


def test_an_identifier_of_known_parts_counts_as_these() -> None:
    assert asked("clockDrift", given=PLAIN).results[0].confidence > 0.9


def test_without_a_known_word_one_edit_is_made_in_all() -> None:
    slips = asked("clok harbuor", given=PLAIN).fuzzy_correction
    assert slips is not None
    assert slips.to == "clock harbour"
    reply = asked("clack harbeur", given=PLAIN)
    assert reply.fuzzy_correction is not None
    assert len(reply.fuzzy_correction.corrections) == 1
    assert asked("xclcok harbxuxr", given=PLAIN).fuzzy_correction is None


@pytest.mark.parametrize(
    ("query", "near"), [("clock drft qqqq wwww", "Clock drift"), ("zzzzzz appple", "apple")]
)
def test_names_and_words_that_are_near_are_suggested(query: str, near: str) -> None:
    reply = asked(query, replace(EXACT, mode="keyword"), PLAIN)
    assert reply.answered == "no"
    assert near in reply.suggestions


def test_no_stop_word_is_suggested() -> None:
    notes = {f"{number}.md": "who would go there, and words of it" for number in range(3)}
    reply = ask(vault(notes), "woulx wordx therx", replace(EXACT, mode="keyword"), given=PLAIN)
    assert reply.answered == "no"
    assert reply.suggestions == ("words",)


@for_each_row(
    ("query", "near"),
    [
        ("wie berechnet man eine Subnetzmaske", ()),
        ("qué es una clave primaria", ()),
        ("man qqqq wwww", ("man",)),  # no language is told by one word
        ("eine qqqq wwww", ("eine",)),
    ],
)
def test_function_words_of_other_languages_are_not_suggested(query: str, near: tuple[str]) -> None:
    notes = {"a.md": "the man in the middle", "b.md": "eine kleine and quu", "c.md": "una donna"}
    reply = ask(vault(notes | {f"{n}.md": "ships and harbours" for n in range(8)}), query)
    assert (reply.answered, reply.suggestions) == ("no", near)


def test_the_rarest_words_of_the_query_that_notes_have_are_suggested() -> None:
    notes = {
        "a.md": "the docker image of the tide gauge",
        **{f"{number}.md": f"a tide gauge and its clock {number}" for number in range(9)},
    }
    reply = ask(vault(notes), "docker gauge qqqq wwww zzzz", given=PLAIN)
    assert (reply.answered, reply.suggestions) == ("no", ("docker", "gauge"))


@for_each_row(
    ("query", "near"),
    [
        ("量子色力学検潮電流磁気学理論物理", ()),
        ("น้ำมันเบนซินราคาแพงมาก", ()),
        ("도커 컴포즈 쿠버네티스 설정", ("도커",)),
    ],
)
def test_parts_of_words_of_scripts_without_spaces_are_not_suggested(
    query: str, near: tuple[str]
) -> None:
    notes = {"a.md": "検潮所の水位を読む", "b.md": "น้ำขึ้นน้ำลง", "c.md": "도커 컨테이너"}
    reply = ask(vault(notes), query, given=PLAIN)
    assert (reply.answered, reply.suggestions) == ("no", near)


@pytest.mark.parametrize("query", ["type:note", "tag:tide", "latest notes", "yesterday"])
def test_a_period_or_operators_alone_admit_their_notes(query: str) -> None:
    reply = asked(query)
    assert reply.total == reply.search_metrics.candidates
    assert reply.answered == ("yes" if reply.total else "no")
    assert all(row.confidence == 1 for row in reply.results)


WORDS = ["tide", "clock", "ebb", "harbour", "cold"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
QUERIES = st.lists(
    st.sampled_from([*WORDS, "zebra", "quagga"]), min_size=1, max_size=4, unique=True
)


@examples(100)
@given(st.lists(TEXTS, min_size=1, max_size=6), QUERIES, st.integers(0, 5))
def test_a_filter_never_raises_the_confidence_of_a_note(
    texts: list[str], words: list[str], first: int
) -> None:
    notes = {f"{'in' if n >= first else 'out'}/{n}.md": text for n, text in enumerate(texts)}
    snapshot, query = snapshot_of(notes), " ".join(words)
    whole = ask(snapshot, query, EXACT, given=PLAIN)
    narrowed = ask(snapshot, query, EXACT, Filters(folder="in"), given=PLAIN)
    before = {row.uri: row.confidence for row in whole.results}
    assert all(row.confidence <= before.get(row.uri, 0) for row in narrowed.results)
    order = ["no", "weak", "yes"]
    assert order.index(narrowed.answered) <= order.index(whole.answered)


@examples(100)
@given(st.lists(TEXTS, min_size=1, max_size=6), QUERIES, st.integers(1, 40))
def test_unrelated_notes_never_turn_a_no_into_a_yes(
    texts: list[str], words: list[str], count: int
) -> None:
    """They make the query's words rarer, so that those found count more beside those that are not.

    The share of the weight rises at most to the share of the words: to ``weak``, not further.
    """
    notes = {f"{n}.md": text for n, text in enumerate(texts)}
    others = {f"other{n}.md": "bread and cheese" for n in range(count)}
    query = " ".join(words)
    before = ask(snapshot_of(notes), query, EXACT, given=PLAIN)
    after = ask(snapshot_of(notes | others), query, EXACT, given=PLAIN)
    assert before.answered != "no" or after.answered != "yes"


def test_a_period_beside_words_is_no_evidence() -> None:
    dated = {path: f"---\ncreated: 2024-03-01\n---\n{text}" for path, text in VAULT.items()}
    reply = ask(vault(dated), "apple cheese in March 2024")
    assert "lunch.md" in paths(reply)
    assert "temporal" in reply.results[0].legs
    assert "tide.md" not in paths(reply)


def test_a_slip_with_the_stem_of_another_word_is_corrected_if_nothing_answers() -> None:
    notes = {
        "Harmonic analysis.md": "harmonic analysis of tides",
        "es.md": "el análisis de la marea y del puerto",
        **{f"{number}.md": "the weather" for number in range(4)},
    }
    reply = ask(snapshot_of(notes), "harmonic analisys", given=PLAIN)
    assert paths(reply)[0] == "Harmonic analysis.md"
    assert reply.fuzzy_correction is not None
    assert reply.fuzzy_correction.to == "harmonic analysis"
    literal = ask(snapshot_of(notes), "análisis", given=PLAIN)
    assert (paths(literal), literal.fuzzy_correction) == (["es.md"], None)


def test_an_unknown_word_that_is_similar_to_a_known_one_takes_nothing_from_it() -> None:
    notes = {"n.md": "barometer reading", "m.md": "barometric notes", "o.md": "barometrist"}
    snapshot = snapshot_of(notes | {f"{n}.md": "other text" for n in range(6)})
    reply = ask(snapshot, "barometer reading barometerical", given=PLAIN)
    assert reply.answered == "yes"
    assert set(reply.results[0].matched) >= {"barometer", "reading"}


def test_the_name_of_a_concept_answers_only_by_the_notes_it_leads_to() -> None:
    """Here by another of its names, which no note has: only links lead from it to notes."""
    tides = snapshot_of({"a.md": "[[Tides]]", "b.md": "sand"}, '[merge]\ntides = ["marea"]\n')
    for mode, answered, found in (("hybrid", "yes", ["a.md"]), ("keyword", "no", [])):
        reply = ask(tides, "marea", replace(SEARCH, mode=mode), given=PLAIN)
        assert (reply.answered, paths(reply)) == (answered, found)


def test_operators_alone_that_find_nothing_have_no_names_near() -> None:
    reply = ask(snapshot_of({"a.md": "[[Tide]]"}), "tag:none", given=PLAIN)
    assert (reply.answered, reply.suggestions) == ("no", ())


def test_notes_whose_script_the_model_does_not_know_are_judged_by_their_words() -> None:
    notes = {f"{number}.md": f"第{number}個港口的觀測站記錄" for number in range(8)}
    notes |= {
        "潮.md": "潮汐的時間由月亮和太陽的位置決定。",
        "radar.md": "A radar gauge in the harbour.",
    }
    reply = ask(vault(notes), "radar 潮汐的時間怎麼決定")
    assert reply.answered != "no"
    assert "潮.md" in paths(reply)


def test_a_note_of_properties_alone_answers_by_what_they_say() -> None:
    """Its name is near to nothing that they say, so it is embedded with them."""
    film = '---\ndirector: "[[Ridley Scott]]"\ncast: [Harrison Ford]\nyear: 1982\n---\n'
    others = {
        f"{n}.md": f"# Walk {n}\nA walk along the film of ice by the sea.\n" for n in range(9)
    }
    reply = ask(vault({**others, "Blade Runner.md": film}), "film by Ridley Scott")
    assert reply.answered == "yes"
    assert paths(reply)[0] == "Blade Runner.md"
    named = vault({**others, "Ridley Scott talks of film.md": "---\ntitle: Scott\n---\n"})
    assert ask(named, "Ridley and other directors whom nobody knows").answered == "no"


def test_a_note_of_lists_alone_answers_by_what_its_properties_say() -> None:
    """As pages of people and genres are written: properties, and views that list other notes."""
    person = "---\ntype: Authors\norg: Lighthouse\ntwitter: kepano\n---\n"
    lists = "## Articles\n![[Articles.base]]\n"
    snapshot = vault({**VAULT, "Steph.md": person + lists})
    reply = ask(snapshot, "author with the twitter name kepano")
    assert reply.answered != "no"
    assert paths(reply)[0] == "Steph.md"


def test_a_word_of_a_note_of_properties_is_no_answer_to_a_long_question() -> None:
    film = "---\ndirector: Ridley Scott\nyear: 1982\n---\n"
    snapshot = vault({**VAULT, "Blade Runner.md": film})
    assert ask(snapshot, "which harvester combine did Scott repair in Nebraska").answered == "no"


def test_the_words_of_a_short_query_in_passages_of_one_note_are_an_answer() -> None:
    parts = (
        "The train was late again, so we read the news and shared a lemon. " * 20,
        "Whoever wants to paint the house must be quick, and needs a ladder. " * 20,
        "In the end all went home by the river, where a goose was seen. " * 20,
    )
    others = {f"{n}.md": "bread and cheese" for n in range(20)}
    apart = {f"part{n}.md": text for n, text in enumerate(parts)}
    one = {"diary.md": "".join(f"# Part {n}\n{text}\n" for n, text in enumerate(parts))}
    assert ask(vault(apart | others), "lemon ladder goose").answered == "no"
    reply = ask(vault(one | others), "lemon ladder goose")
    assert (reply.answered != "no", paths(reply)) == (True, ["diary.md"])
    # Without a model nothing tells that they are not what the note is about.
    assert ask(vault(one | others), "lemon ladder goose qqqq wwww", given=PLAIN).answered == "no"


@for_each_row(
    ("query", "answered"),
    [
        ("who wrote the machine stops qqqq wwww", "weak"),
        ("qqqq wwww zzzz of the machine stops", "weak"),
        ("when does the machine run qqqq wwww", "no"),
        ("who invented kestrels qqqq wwww zzzz", "no"),  # a single word may mean another thing
        ("what wwww qqqq zzzz happens in chapter 1", "no"),
        ("wwww qqqq zzzz on 2025-01-20", "no"),
        ("qqqq wwww zzzz of the who", "no"),
    ],
)
def test_a_name_of_several_words_in_a_query_is_answered_by_its_note(
    query: str, answered: str
) -> None:
    notes = {f"{n}.md": "bread, cheese and a machine that stops in a chapter" for n in range(9)}
    for name in ("The Machine Stops", "Kestrels", "Chapter 1", "2025-01-20", "The Who", "The Run"):
        notes[f"{name}.md"] = "Soup."
    reply = ask(vault(notes), query, EXACT)
    assert reply.answered == answered
    assert paths(reply)[:1] == (["The Machine Stops.md"] if answered == "weak" else [])
