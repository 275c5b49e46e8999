"""Recall: turns by words and meaning, fused; admitted by evidence."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embed.quantized import QuantizedVectors, quantize
from clew.query.sessions.features import TurnModel, new_feature_cache
from clew.query.sessions.recall import last_turns, newest_turns, ranked, recall
from clew.query.slices import finished
from clew.text.languages.languages import Languages
from clew.values.errors import InvalidParams
from clew.values.memory.turns import Session, Turn, new_turn
from tests.tables import for_each_row

ENGLISH = Languages(("english",))
DAY_S = 86_400.0
WITHOUT_MODEL = TurnModel(ENGLISH, None)
MEANINGS = {"clock": 0, "watch": 0, "tide": 1, "moon": 1, "bread": 2}


def encode(texts: Sequence[str]) -> QuantizedVectors:
    """Return vectors in which words of one meaning are alike."""
    rows = np.zeros((len(texts), 3), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word, meaning in MEANINGS.items():
            row[meaning] += word in text.casefold()
    return quantize(rows)


def encode_otherwise(texts: Sequence[str]) -> QuantizedVectors:
    """Return the vectors of another model, to which tides are bread."""
    return encode([text.replace("tide", "bread") for text in texts])


def talk(session_id: str, *texts: str, day: float = 0.0) -> Session:
    turns = (
        new_turn(session_id, number, "user", text, day * DAY_S + number)
        for number, text in enumerate(texts, 1)
    )
    return Session(session_id, tuple(turns))


def texts_of(
    turns: Sequence[Turn], query: str, *, has_model: bool = True, limit: int = 5
) -> list[str]:
    model = TurnModel(ENGLISH, encode if has_model else None)
    found = recall(turns, query, model, now_s=0.0, session_id=None, limit=limit)
    return [each.turn.text for each in finished(found)]


TALKS = [
    talk("a", "the clock is slow", "bread and butter", "nothing at all", day=1),
    talk("b", "my watch stopped", "the tide is high", day=2),
]
TURNS = newest_turns(TALKS)


def test_turns_with_the_words_come_before_those_with_the_meaning() -> None:
    assert texts_of(TURNS, "clock") == ["the clock is slow", "my watch stopped"]
    assert texts_of(TURNS, "moon") == ["the tide is high"]


def test_without_a_model_words_alone_recall() -> None:
    assert texts_of(TURNS, "slow clocks", has_model=False) == ["the clock is slow"]
    assert texts_of(TURNS, "moon", has_model=False) == []


def test_what_nobody_spoke_of_is_not_recalled() -> None:
    assert texts_of(TURNS, "quartz crystals") == []
    assert texts_of([], "clock") == []


def test_a_query_without_words_is_an_error() -> None:
    with pytest.raises(InvalidParams):
        texts_of(TURNS, "the of")


def test_the_limit_cuts_the_list() -> None:
    assert texts_of(TURNS, "clock", limit=1) == ["the clock is slow"]


def test_equal_turns_come_newest_first() -> None:
    turns = newest_turns([talk("a", "clock", "clock", day=1), talk("b", "clock", day=2)])
    found = finished(ranked(turns, "clock", TurnModel(ENGLISH, encode))).turns
    assert [(turn.session_id, turn.number) for turn in found] == [("b", 1), ("a", 2), ("a", 1)]


def test_turns_of_the_present_session_are_more_relevant() -> None:
    model = TurnModel(ENGLISH, encode)
    found = finished(recall(TURNS, "clock", model, now_s=2 * DAY_S, session_id="b", limit=5))
    of_a, of_b = found
    assert of_a.similarity > of_b.similarity
    assert of_a.relevance < of_b.relevance


def test_only_the_first_characters_count_for_the_meaning() -> None:
    turns = newest_turns([talk("a", "x" * 1_000 + " clock"), talk("b", "x" * 900 + " clock")])
    found = finished(ranked(turns, "watch", TurnModel(ENGLISH, encode)))
    assert [turn.session_id for turn in found.turns] == ["b", "a"]
    assert found.similarities[1] == 0.0


def test_the_last_turns_of_a_session() -> None:
    session = talk("a", "1", "2", "3")
    assert [turn.text for turn in last_turns(session, 2)] == ["2", "3"]
    assert last_turns(session, 9) == session.turns
    assert last_turns(session, 0) == last_turns(Session("x"), 3) == ()


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(0, 60))
def test_of_many_turns_the_newest_sessions_are_searched(sizes: list[int], most: int) -> None:
    sessions = [talk(f"{at}", *["x"] * size, day=at) for at, size in enumerate(sizes)]
    turns = newest_turns(sessions, most)
    assert len(turns) == min(most, sum(sizes))
    kept = [session.id for session in reversed(sessions) if session.turns]
    assert list(dict.fromkeys(turn.session_id for turn in turns)) == [
        each for each in kept if each in {turn.session_id for turn in turns}
    ]
    assert turns == newest_turns(list(reversed(sessions)), most)


def test_the_newest_twenty_thousand_turns_are_searched() -> None:
    (turn,) = talk("a", "x").turns
    assert len(newest_turns([Session("a", (turn,) * 20_001)])) == 20_000


def test_of_sessions_that_were_used_last_at_the_same_time_the_first_by_name_is_searched() -> None:
    sessions = [talk(name, "x") for name in "bac"]
    assert [turn.session_id for turn in newest_turns(sessions, 2)] == ["a", "b"]


def test_equal_turns_of_one_moment_come_last_said_first() -> None:
    turns = [new_turn("a", number, "user", "clock", 0.0) for number in (1, 3, 2)]
    found = finished(ranked(turns, "clock", TurnModel(ENGLISH, encode))).turns
    assert [turn.number for turn in found] == [3, 2, 1]


@for_each_row("count", [5, 9, 11])
def test_turns_with_equally_rare_words_come_newest_first(count: int) -> None:
    """Sums of equal shares may differ in their last bits."""
    words = [f"{letter}ozu" for letter in "bcdfgjklmpqrtv"]
    texts = [" ".join((words + words)[at : at + count]) for at in range(len(words))]
    found = finished(ranked(newest_turns([talk("a", *texts)]), " ".join(words), WITHOUT_MODEL))
    assert [turn.text for turn in found.turns] == texts[::-1]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    turns = newest_turns([talk("a", "a zebra", "a clock", "my clock", "the clock")])
    found = finished(ranked(turns, "zebra clock", TurnModel(ENGLISH, None))).turns
    assert found[0].text == "a zebra"


def test_most_of_the_words_count_more_than_the_same_meaning() -> None:
    turns = newest_turns([talk("a", "slow and dull", "my watch stopped", "the clock is right")])
    found = finished(ranked(turns, "a slow, dull clock", TurnModel(ENGLISH, encode))).turns
    assert [turn.text for turn in found][1:] == ["slow and dull", "my watch stopped"]


def test_a_role_is_a_word_of_its_turns() -> None:
    turns = [new_turn("a", 1, role, "what now?", 0.0) for role in ("user", "pilot")]
    found = finished(ranked(turns, "pilot", WITHOUT_MODEL)).turns
    assert [turn.role for turn in found] == ["pilot", "user"]


def test_words_are_looked_for_in_the_first_characters_of_a_turn() -> None:
    texts = ["x" * 3_990 + " clock", "x" * 4_000 + " clock"]
    assert texts_of(newest_turns([talk("a", *texts)]), "clock", has_model=False) == texts[:1]


def test_what_is_cached_of_turns_is_that_of_the_model_and_the_languages() -> None:
    cache, german = new_feature_cache(), Languages(("german",))
    for languages, model in (
        *((ENGLISH, encode), (ENGLISH, encode_otherwise)),
        *((german, encode_otherwise), (german, encode)),
    ):
        for query in ("stopped", "moon"):
            cached = TurnModel(languages, model, model.__name__, cache=cache)
            anew = TurnModel(languages, model)
            assert finished(ranked(TURNS, query, cached)) == finished(ranked(TURNS, query, anew))
