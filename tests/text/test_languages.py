"""The language of a text is found by its function words."""

import os
import subprocess
import sys

from clew.text.languages.function_words import FUNCTION_WORDS, LANGUAGES_BY_WORD
from clew.text.languages.guess import language_of_note, language_of_query
from clew.text.terms import LANGUAGES, count_words
from tests.data import rows
from tests.tables import for_each_row


@for_each_row(("language", "text"), rows("languages.tsv"))
def test_a_sentence_tells_its_language(language: str, text: str) -> None:
    assert (language_of_note(None, count_words(text)) or "-") == language


def test_each_language_with_a_stemmer_has_its_own_function_words() -> None:
    assert FUNCTION_WORDS.keys() | {"none"} == LANGUAGES.keys()
    for language, words in FUNCTION_WORDS.items():
        unique = [word for word in words.split() if LANGUAGES_BY_WORD[word] == (language,)]
        assert len(unique) >= 8, language


@for_each_row("word", sorted(LANGUAGES_BY_WORD))
def test_a_function_word_is_a_word_of_the_index(word: str) -> None:
    assert count_words(word) == {word: 1}


@for_each_row(
    ("stated", "language"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("nb", "no"),
        ("ja", None),
        ("none", None),
        ("German", None),
        ("", None),
    ],
)
def test_what_a_note_states_comes_first(stated: str, language: str | None) -> None:
    words = count_words("this is what the house was for")
    assert (language_of_note(stated, words), language_of_note(None, words)) == (language, "en")


@for_each_row(
    ("query", "language"),
    [
        ("where is the clock", "en"),
        ("wo ist die Uhr", "de"),
        ("was ist GPS", "de"),
        ("the GPS", "en"),
        ("GPS", None),
        ("in Berlin", None),
        ("où est la montre", None),
    ],
)
def test_one_word_of_a_query_tells_its_language(query: str, language: str | None) -> None:
    assert language_of_query(count_words(query), ("de", "en")) == language


def test_the_language_of_a_text_is_the_same_in_every_process() -> None:
    assert len({guessed_with_hash_seed(seed) for seed in range(4)}) == 1


# Sets of strings are in another order with each hash seed.
GUESSES = """
import random
from clew.text.languages.function_words import FUNCTION_WORDS
from clew.text.languages.guess import language_of_note
chance = random.Random(1)
words = [text.split() for text in FUNCTION_WORDS.values() if len(text.split()) >= 20]
for _ in range(20_000):
    mine, others = chance.sample(words, 2)
    text = chance.sample(mine, 7 + chance.randrange(8)) + chance.sample(others, 5)
    print(language_of_note(None, text))
"""


def guessed_with_hash_seed(seed: int) -> str:
    env = {**os.environ, "PYTHONHASHSEED": str(seed)}
    return subprocess.check_output([sys.executable, "-c", GUESSES], text=True, env=env)
