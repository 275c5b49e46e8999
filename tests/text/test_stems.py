"""Words that are forms of one word share a stem, however their accents are written."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from clew.text.terms import query_words, term_of
from tests.tables import for_each_row
from tests.text.test_terms import STEMMERS, terms


@for_each_row(
    ("stemmer", "words"),
    [
        ("english", ["graph", "graphs", "graphing"]),
        ("english", ["cafe", "café", "cafés", "cafe\u0301"]),
        ("english", ["résumé", "resume", "resumes"]),
        ("english", ["cliche", "clichés"]),
        ("german", ["häuser", "hauser"]),
        ("french", ["continuellement", "continuelle"]),
        ("english", ["книга", "книги", "книгу"]),
        ("", ["ёлка", "елка"]),
        ("english", ["λόγος", "λογος", "λόγοσ"]),
        ("english", ["كتاب", "كِتَاب", "كتــاب"]),
        ("english", ["שלום", "שָׁלוֹם"]),
        ("", ["ñandu", "nandu", "ñandú"]),
        ("turkish", ["kitap", "kitabı"]),
        ("french", ["cœur", "coeur", "cœurs", "coeurs"]),
        ("english", ["łódź", "lodz"]),
        ("danish", ["smørrebrød", "smorrebrod"]),
        ("english", ["encyclopædia", "encyclopaedia"]),
        ("turkish", ["ışık", "isik"]),
        ("english", ["đorđević", "dordevic"]),
        ("english", ["þingvellir", "thingvellir"]),
    ],
)
def test_inflected_and_accented_forms_share_a_term(stemmer: str, words: list[str]) -> None:
    assert len(terms(words, stemmer)) == 1


@for_each_row("stemmer", STEMMERS)
@for_each_row("pair", [("か", "が"), ("は", "ぱ"), ("हक", "हिक"), ("ค่า", "ค้า"), ("한", "하")])
def test_marks_that_make_another_letter_are_kept(stemmer: str, pair: tuple[str, str]) -> None:
    assert term_of(pair[0], stemmer) != term_of(pair[1], stemmer)


@given(st.text(min_size=1, max_size=20), st.sampled_from(STEMMERS))
def test_a_term_does_not_depend_on_how_its_accents_are_written(text: str, stemmer: str) -> None:
    for word in query_words(text):
        written = query_words(unicodedata.normalize("NFD", word))
        if not unicodedata.category(word[0]).startswith("M"):
            assert term_of(word, stemmer) in terms(written, stemmer)


@given(st.text(st.sampled_from("aeioubcdstéèüñ\u0301"), min_size=1, max_size=12))
def test_accents_do_not_change_a_term_in_english(text: str) -> None:
    for word in query_words(text):
        bare = unicodedata.normalize("NFD", word).encode("ascii", "ignore").decode()
        assert term_of(word, "english") == term_of(bare, "english")


def test_without_a_stemmer_latin_words_are_unchanged() -> None:
    assert term_of("graphs", "") == "graphs"
    assert term_of("cafés", "") == "cafes"
