"""A text is found by any of its words, in any script, case or Unicode form."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.text.terms import (
    LANGUAGES,
    WORD_CHARACTERS_MAX,
    count_words,
    phrase_units,
    phrase_words,
    query_words,
    term_of,
    without_accents,
)
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear

STEMMERS = sorted(set(LANGUAGES.values()))

# -- words of a text ----------------------------------------------------------------------------

WORDS = [
    *[
        "graph",
        "Graphs",
        "don't",
        "Ann's",
        "O'Brien",
        "l'amour",
        "aujourd'hui",
        "2026",
        "3rd",
        "x²",
    ],
    *["C++", "C#", ".NET", "20,000", "20k", "M2", "FTS5", "c++20"],
    *["camelCase", "HTTPServer", "Utf8Decoder", "snake_case", "kebab-case", "__init__", "a_b-cD"],
    *["Größe", "naïve", "GrößeBerechnen", "Ｆｕｌｌ", "ﬁle", "İstanbul", "Straße", "RÉSUMÉ", "ﷺ"],
    *["Привет", "Ёлка", "Ελλάς", "Հայերեն", "שָׁלוֹם", "مُحَمَّد", "می\u200cخواهم", "कर्म", "தமிழ்"],
    *[
        "東京都",
        "葛\U000e0100城",
        "カタカナ",
        "ｶﾞｷﾞ",
        "か\u3099ぎ",
        "한국어를",
        "漢",
        "ภาษาไทย",
        "ລາວ",
        "မြန်မာ",
    ],
    *["🎉", "❤\ufe0f", "👩\u200d🚀", "co\u00adoperate", "n\u0303andu\u0301", "İ"],
]
SEPARATORS = [
    " ",
    "\n",
    ", ",
    ". ",
    "/",
    ":",
    " — ",
    "(",
    "”",
    "\u3002",
    "\u3000",
    "\x00",
    "\x1b",
    "‑",
]
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


@st.composite
def texts_with_runs(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a text and a run of its words, perhaps in another case or form."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    between = draw(st.lists(st.sampled_from(SEPARATORS), min_size=len(words), max_size=len(words)))
    pieces = [part for pair in zip(words, between, strict=True) for part in pair]
    first = draw(st.integers(0, len(words) - 1))
    last = draw(st.integers(first, len(words) - 1))
    run = "".join(pieces[2 * first : 2 * last + 1])
    return "".join(pieces), unicodedata.normalize(draw(st.sampled_from(FORMS)), run)


def terms(words: list[str], stemmer: str = "english") -> set[str]:
    return {term_of(word, stemmer) for word in words}


@given(texts_with_runs(), st.sampled_from(STEMMERS))
def test_a_text_is_found_by_every_run_of_its_words(found: tuple[str, str], stemmer: str) -> None:
    text, run = found
    asked = query_words(run)
    assert asked
    assert terms(asked, stemmer) <= terms(list(count_words(text)), stemmer)


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
@example("", "e\u0301t\u0301e", "")
@example("a", "\ufe0f", "")
def test_a_text_is_found_by_any_part_between_two_spaces(before: str, run: str, after: str) -> None:
    asked = query_words(run)
    assert set(asked) <= count_words(f"{before} {run} {after}").keys()


@given(
    st.text(st.sampled_from("東京都立漢字かなカナー한국어"), max_size=12),
    st.integers(0, 11),
    st.integers(1, 12),
)
def test_dense_scripts_are_found_by_any_part(text: str, first: int, count: int) -> None:
    part = text[first : first + count]
    assert set(query_words(part)) <= count_words(text).keys()
    assert bool(query_words(part)) == bool(part)


@given(st.text(st.sampled_from("กขคงจไทยาำุ่้"), max_size=12), st.integers(0, 9), st.integers(2, 9))
def test_syllabic_scripts_are_found_by_any_two_letters(text: str, first: int, count: int) -> None:
    text = unicodedata.normalize("NFKC", text)
    part = text[first : first + count]
    if len(part) > 1 and unicodedata.category(part[0]) != "Mn":
        assert set(query_words(part)) <= count_words("ก" + text).keys()
        assert max(map(len, query_words(part))) == min(3, len(part))


@for_each_row(
    ("identifier", "parts"),
    [
        ("camelCase", ["camelcase", "camel", "case"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("CPUs", ["cpus", "cpu"]),
        ("ÄGUs", ["ägus", "ägu"]),
        ("getURLs", ["geturls", "get", "urls", "url"]),
        ("URLsToFetch", ["urlstofetch", "urls", "url", "to", "fetch"]),
        ("parseHTML5Doc", ["parsehtml5doc", "parse", "html", "5", "doc"]),
        ("Utf8Decoder", ["utf8decoder", "utf", "8", "decoder"]),
        ("iPhone", ["iphone", "i", "phone"]),
        ("GrößeBerechnen", ["grösseberechnen", "grösse", "berechnen"]),
        ("ИмяФайла", ["имяфайла", "имя", "файла"]),
        ("snake_case", ["snakecase", "snake", "case"]),
        ("__init__", ["init"]),
        ("kebab-case", ["kebabcase", "kebab", "case"]),
        ("kebab\u2019s", ["kebab"]),
        ("two-camelParts_x", ["twocamelpartsx", "two", "camel", "parts", "x"]),
        *((each, [each.casefold()]) for each in ("Word", "École", "X", "a1b2c3", "7f3a", "2026")),
        *((each, ["utf8", "utf", "8"]) for each in ("utf8", "Utf8", "UTF8")),
        ("A4", ["a4", "a", "4"]),
        ("FTS5", ["fts5", "fts", "5"]),
        ("20ms", ["20ms", "20", "ms"]),
        ("M2-Tide", ["m2tide", "m2", "m", "2", "tide"]),
        ("20k", ["20k", "20000"]),
        ("5K-run", ["5krun", "5k", "5000", "run"]),
        ("2026-11-22", ["20261122", "2026", "11", "22"]),
        ("ha-ha", ["haha", "ha"]),
        ("NzQzMzJhZTEt", ["nzqzmzjhztet"]),  # a hash
        ("file-NzQzMzJhZTEt", ["filenzqzmzjhztet", "file", "nzqzmzjhztet"]),
        ("parseAToBIn", ["parseatobin", "parse", "a", "to", "b", "in"]),
    ],
)
def test_an_identifier_is_kept_whole_and_split(identifier: str, parts: list[str]) -> None:
    assert query_words(identifier) == parts
    assert list(count_words(identifier)) == parts


@for_each_row(
    ("text", "words"),
    [
        ("the dog's", ["the", "dog"]),
        ("DOG'S", ["dog"]),
        ("dogs'", ["dogs"]),
        ("'quoted'", ["quoted"]),
        ("don\u2019t", ["dont"]),
        ("l'amour", ["lamour", "amour"]),
        ("l\u2019Été's", ["lété", "l", "été"]),
        ("qu'elle", ["quelle", "elle"]),
        ("l'aujourd'hui", ["laujourdhui", "aujourdhui"]),
        ("aujourd'hui", ["aujourdhui"]),
        ("it'll", ["itll"]),
        ("O'Brien", ["obrien", "o", "brien"]),
    ],
)
def test_apostrophes_end_and_begin_words(text: str, words: list[str]) -> None:
    assert query_words(text) == words


@pytest.mark.parametrize("text", ["WHen", "WHat", "tHe", "DOes"])
def test_a_stop_word_in_odd_capitals_is_no_identifier(text: str) -> None:
    assert query_words(text) == [text.casefold()]
    assert query_words(f"get{text}")[1:] != []


@pytest.mark.parametrize("text", ["IT部门", "Aクラス", "ITไทย"])
def test_a_word_of_another_script_behind_a_stop_word_is_kept(text: str) -> None:
    assert set(query_words(text)) > set(query_words(text.lstrip("IAT"))) > set()


@for_each_row(
    ("one", "other"),
    [
        ("FTS 5", "FTS5"),
        ("20,000 samples", "20k samples"),
        ("tide gauge", "Tide-Gauge"),
        ("read tide", "readTide"),
        ("cafe d'Été", "Café été"),
        ("C++ code", "c++-code"),
    ],
)
def test_phrases_with_equal_units_are_one_phrase(one: str, other: str) -> None:
    assert phrase_units(one) == phrase_units(other)


@given(texts_with_runs())
def test_the_words_of_a_phrase_are_words_of_every_text_that_has_it(found: tuple[str, str]) -> None:
    text, run = found
    units, wanted = phrase_units(text), phrase_units(run)
    assert {without_accents(word) for word in phrase_words(run)} <= {
        without_accents(word) for word in count_words(text)
    }
    starts = range(len(units) - len(wanted) + 1)
    assert any(units[at : at + len(wanted)] == wanted for at in starts)


@for_each_row(
    ("text", "words"),
    [
        ("東京都", ["東京", "京都", "東", "京", "都"]),
        ("漢", ["漢"]),
        ("한국어", ["한국", "국어", "한", "국", "어"]),
        ("カナ", ["カナ", "カ", "ナ"]),
        ("ｶﾞｷ", ["ガキ", "ガ", "キ"]),
        ("葛\U000e0100城", ["葛城", "葛", "城"]),
        ("Python入門3版", ["python", "入門", "入", "門", "3", "版"]),
        ("𠮷野家", ["𠮷野", "野家", "𠮷", "野", "家"]),
    ],
)
def test_dense_scripts_are_cut_into_pairs_and_signs(text: str, words: list[str]) -> None:
    assert query_words(text) == words
    assert set(count_words(text)) == set(words)


def test_syllabic_scripts_are_cut_into_triples_and_found_by_pairs_too() -> None:
    assert query_words("ภาษาไทย") == ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย"]
    assert {"ภาษ", "ภา", "าษ"} <= count_words("ภาษาไทย").keys()
    assert query_words("ไป") == ["ไป"]
    assert query_words("ก็") == ["ก็"]


@pytest.mark.parametrize(
    "mark", ["\u0301", "\u0323", "\ufe0f", "\u093f", "\u05b8", "\u064e", "\u20e3"]
)
@given(st.text(st.sampled_from("abcжйקل"), min_size=1, max_size=8))
def test_a_combining_mark_never_splits_a_word(mark: str, letters: str) -> None:
    assert len(query_words(mark.join(letters) + mark)) == len(query_words(letters)) == 1


@for_each_row("text", ["\u0301", "\ufe0f \ufe0f", " \u0301-\u0301_'", "-", "'", "__", "\u200d"])
def test_marks_and_joiners_alone_are_no_words(text: str) -> None:
    assert not count_words(text)
    assert not query_words(text)


@pytest.mark.parametrize("invisible", ["\u00ad", "\u200c", "\u200d", "\ufeff"])
def test_invisible_characters_are_no_part_of_a_word(invisible: str) -> None:
    assert query_words(f"co{invisible}operate") == ["cooperate"]


@for_each_row("control", ["\x00", "\x07", "\x1b", "\x1f", "\x7f", "\x85", "\u200b", "\u2028"])
@for_each_row("letter", ["o", "ö"])
def test_control_characters_separate_words(control: str, letter: str) -> None:
    assert query_words(f"f{letter}{control}bar") == [f"f{letter}", "bar"]


@given(st.text(max_size=200), st.text(max_size=200))
def test_words_are_counted_one_by_one(one: str, two: str) -> None:
    assert count_words(f"{one}\n{two}") == count_words(one) + count_words(two)


@given(st.text(max_size=200))
def test_words_are_folded_bounded_and_can_be_listed(text: str) -> None:
    for word in count_words(text):
        assert 0 < len(word) <= WORD_CHARACTERS_MAX
        assert word == word.casefold()
        assert not set(word) & set(" \n\t\x00")


@given(st.text(max_size=60))
def test_a_word_of_the_index_finds_itself(text: str) -> None:
    """A misspelt word is replaced by a word of the index, so a search for it must succeed."""
    for word in count_words(text):
        if not unicodedata.category(word[0]).startswith("M"):
            assert term_of(word, "english") in terms(query_words(word))


@pytest.mark.parametrize("letter", ["a", "é"])
def test_only_the_parts_of_a_long_identifier_are_indexed(letter: str) -> None:
    long = letter * (WORD_CHARACTERS_MAX + 1)
    assert query_words(long) == []
    assert query_words(f"{long}-tail_{letter * WORD_CHARACTERS_MAX}") == [
        "tail",
        letter * WORD_CHARACTERS_MAX,
    ]


# -- time ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        *("a", "é", "漢", "ก", "\u0301", "-", "_", "'", "a-", "a_", "aB", "éB", "a'", "l'amour'"),
        *("❤\ufe0f", "👩\u200d", "ſt", "\u00ad", "\x00", "Aa1", "漢a", "กa漢"),
    ],
)
@pytest.mark.parametrize("read", [count_words, query_words])
def test_a_text_without_spaces_is_read_in_linear_time(read: object, piece: str) -> None:
    assert callable(read)
    assert_linear(read, piece, 200_000, "")
