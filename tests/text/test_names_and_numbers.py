"""Names with signs, initials, numbers and amounts as words of the index and of queries."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from clew.text.terms import count_words, query_words
from clew.text.written_forms import number_forms
from tests.tables import for_each_row

SIGNED = ["C++", "C#", "F#", ".NET", "C", "F", "net", "g++", "A*", "D*", "B+", "C+"]


@given(st.lists(st.sampled_from(SIGNED), min_size=1, max_size=6), st.sampled_from(SIGNED))
def test_names_with_signs_are_words_of_their_own(names: list[str], asked: str) -> None:
    for text in (" ".join(names), ", ".join(names), f"({'/'.join(names)})", "\n\n".join(names)):
        words = count_words(text)
        assert words == Counter(name.casefold() for name in names)
        assert (query_words(asked)[0] in words) == (asked in names)
        assert query_words(text) == [name.casefold() for name in names]


@for_each_row(
    ("text", "words"),
    [
        ("C++20 and c++17.", ["c++", "20", "and", "c++", "17"]),
        ("ASP.NET 8, .net, .Net8", ["asp", ".net", "8", ".net", ".net", "8"]),
        ("example.net tides.Net .network", ["example", "net", "tides", "net", "network"]),
        ("C#! 'C#' \u2018C++\u2019 'C++'s", ["c#", "c#", "c++", "c++"]),
        ("# C\n#c C## C#x C+++", ["c", "c", "c", "c", "x", "c"]),
        ("[[C#History]]", ["c", "history"]),
        ("abc# notepad++ objective-C++", ["abc", "notepad", "objectivec", "objective", "c"]),
        ("A* and D*, `A*` or A\\*", ["a*", "and", "d*", "a*", "or", "a*"]),
        ("* plan A* is *vitamin A*", ["plan", "a*", "is", "vitamin", "a"]),
        ("**plan A** *A* a*b 2*x* dir*", ["plan", "a", "a", "a", "b", "2", "x", "dir"]),
        ("B+ tree B+-tree Ctrl+A 1+ b+c", ["b+", "tree", "b+", "tree", "ctrl", "a", "1", "b", "c"]),
        ("i+=1 x*=2", ["i", "1", "x", "2"]),
        ("C/A* A/C++ Q&A*", ["c", "a*", "a", "c++", "q", "a*"]),
        ("用C++写 用C#写 用.NET写", ["用", "c++", "写", "用", "c#", "写", "用", ".net", "写"]),
        ("用A*写 这*计A*的", ["用", "a*", "写", "这", "计", "a", "的"]),
    ],
)
def test_signs_count_only_where_they_end_a_name(text: str, words: list[str]) -> None:
    assert query_words(text) == words
    assert count_words(text).keys() == set(words)


@for_each_row(
    ("text", "words"),
    [
        ("R&D", "r&d r d"),
        ("at&t", "at&t at t"),
        ("the Q&A.", "the q&a q a"),
        ("I/O, bound", "i/o i o bound"),
        ("(A/B test)", "a/b a b test"),
        ("24/7", "24/7 24 7"),
        ("C/F and/or TCP/IP", "c f and or tcp ip"),
        ("12/03/2024 a/b/c r&d&x dogs&a", "12 03 2024 a b c r d x dogs a"),
        ("'R&D' and R&D's", "r&d r d and r&d r d"),
        ("he's/I'm 7'7&x", "he im 77 x"),
        ("https://ab.de/?q=1&b=2&t=12", "https ab de q 1 b 2 t 12"),
        ("Ｑ&Ａ At&T", "q&a q a at&t at t"),
        ("书Q&A页 ไA/B 夏&冬", "书 q&a q a 页 ไ a/b a b 夏 冬"),
    ],
)
def test_short_names_joined_by_a_sign_are_words_beside_their_parts(text: str, words: str) -> None:
    assert query_words(text) == words.split()
    assert count_words(text).keys() == set(words.split())


@for_each_row(
    ("text", "asked", "indexed"),
    [
        ("J. R. R. Tolkien", "jrr tolkien", "jrr j r tolkien"),
        ("J.R.R.Tolkien", "jrr tolkien", "jrr j r tolkien"),
        ("E. M. Forster", "em e m forster", "em e m forster"),
        ("U.S.A.", "usa", "usa u s a"),
        ("U.S. and W.H.O.", "us u s and who w h o", "us u s and who w h o"),
        ("Plan B. It e.g. Ph.D.", "plan b it e g ph d", "plan b it e g ph d"),
    ],
)
def test_initials_are_a_word(text: str, asked: str, indexed: str) -> None:
    assert query_words(text) == asked.split()
    assert count_words(text).keys() == set(indexed.split())


@given(st.integers(1, 999_999), st.sampled_from(["", "about ", "(", "~", "-"]))
def test_thousands_are_found_however_they_are_written(number: int, before: str) -> None:
    written = [f"{number}000", f"{number:,},000", f"{number}k", f"{number}K"]
    for text in written:
        for query in written:
            assert query_words(query)[-1] in count_words(f"{before}{text} samples.")
    assert f"{number}000" in number_forms(f"{number}000")


@for_each_row(
    ("text", "words"),
    [
        ("20,000", ["20000"]),
        ("1,200,300", ["1200300"]),
        ("1,2345 12345,678", ["1", "2345", "12345", "678"]),
        ("v2,000", ["v2", "v", "2", "000"]),
        ("2024, 100, 200", ["2024", "100", "200"]),
        ("0k 05k", ["0k", "0", "k", "05k", "05", "k"]),
    ],
)
def test_only_digits_in_groups_of_three_are_one_number(text: str, words: list[str]) -> None:
    assert query_words(text) == words
    assert set(words) <= count_words(text).keys()


def test_parts_of_a_number_are_found_too() -> None:
    assert count_words("20,000") == Counter(["20", "000", "20000"])


@for_each_row(
    ("text", "words"),
    [
        *((each, ["1.2", "1", "2"]) for each in ("1.2", "1,2", "1.2.", "(1.2)")),
        ("0.05", ["0.05", "0", "05"]),
        ("v3.11", ["3.11", "v3", "v", "3", "11"]),
        ("3.11.2", ["3.11.2", "3.11", "3", "11", "2"]),
        ("192.168.20.14", ["192.168.20.14", "192.168", "192", "168", "20", "14"]),
        *((each, ["1", "2", "3"]) for each in ("1,2,3", "1. 2. 3")),
        ("a1.2", ["a1", "a", "1", "2"]),
        ("1.2e", ["1", "2e", "2", "e"]),
        ("end.2", ["end", "2"]),
    ],
)
def test_decimals_and_versions_are_words_beside_their_parts(text: str, words: list[str]) -> None:
    assert query_words(text) == words
    assert set(count_words(text)) == set(words)


@for_each_row("unit", ["mA", "µA", "kWh", "GiB", "Hz"])
def test_an_amount_is_found_with_and_without_a_space_before_its_unit(unit: str) -> None:
    assert query_words(f"4{unit}")[1:] == query_words(f"4 {unit}")[:2]
    assert set(count_words(f"4 {unit}")) >= set(query_words(f"4{unit}")[1:])
