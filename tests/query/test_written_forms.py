"""How search finds names with signs, and numbers written in several ways."""

import pytest
from msgspec.structs import replace

from tests.searches import SEARCH, ask, paths
from tests.tables import for_each_row
from tests.vaults import snapshot_of

KEYWORD = replace(SEARCH, mode="keyword", limit=100)
LANGUAGES = ["C++", "C#", "F#", ".NET", "C", "F", "net", "A*", "D*", "B+", "B"]


def found(notes: dict[str, str], query: str) -> set[str]:
    return set(paths(ask(snapshot_of(notes), query, KEYWORD)))


@for_each_row("language", LANGUAGES)
def test_a_name_with_signs_finds_its_own_notes_only(language: str) -> None:
    notes = {
        f"n{n}-{copy}.md": f"Written in {name}."
        for n, name in enumerate(LANGUAGES)
        for copy in range(3)  # so many that no longer words are tried
    }
    wanted = {f"n{LANGUAGES.index(language)}-{copy}.md" for copy in range(3)}
    for asked in (language, language.lower(), f'"{language}"', f"in {language}!"):
        assert found(notes, asked) == wanted
    assert found(notes, f"written -{language}") == notes.keys() - wanted


@pytest.mark.parametrize("name", ["A*", "A\\*", "B+", "R&D", "r&d", "I/O", "i/o", "AT&T", "4/4"])
def test_a_short_name_with_a_sign_answers_alone(name: str) -> None:
    written = {
        "a.md": "A*",
        "b.md": "B+",
        "r.md": "R&D",
        "i.md": "I/O",
        "t.md": "AT&T",
        "4.md": "4/4",
    }
    notes = {path: f"All about {text} in boats." for path, text in written.items()}
    notes |= {f"n{n}.md": "R, D, B, O, T and 4 of the boats in 4 ports." for n in range(9)}
    answer = ask(snapshot_of(notes), name, KEYWORD)
    (wanted,) = (path for path, text in written.items() if text == name.upper().replace("\\", ""))
    assert paths(answer)[0] == wanted
    assert answer.answered == "yes"
    assert written[wanted] in answer.results[0].snippet


@pytest.mark.parametrize(
    "asked", ["J. R. R. Tolkien", "J.R.R. Tolkien", "JRR Tolkien", "jrr tolkien"]
)
@pytest.mark.parametrize("written", ["J. R. R. Tolkien", "J.R.R. Tolkien", "JRR Tolkien"])
def test_a_name_is_found_however_its_initials_are_written(asked: str, written: str) -> None:
    notes = {f"n{n}.md": f"Number {n} has the letters R and J." for n in range(12)}
    answer = ask(snapshot_of({"a.md": f"A book by {written}.", **notes}), asked, KEYWORD)
    assert (answer.answered, paths(answer)) == ("yes", ["a.md"])


SPELLINGS = [["20k", "20000", "20,000", "20K"], ["FTS5", "fts 5", "FTS-5"], ["20ms", "20 ms"]]


@pytest.mark.parametrize("spellings", SPELLINGS)
def test_each_spelling_finds_and_shows_all_others(spellings: list[str]) -> None:
    filler = "Nothing is said here. " * 40
    notes = {f"n{n}.md": f"{filler} It has {text} of it." for n, text in enumerate(spellings)}
    for asked in spellings:
        rows = ask(snapshot_of(notes), asked, KEYWORD).results
        assert len(rows) == len(spellings)
        assert all("of it." in row.snippet for row in rows)
        assert found(notes, f'"has {asked} of"') == notes.keys()


@pytest.mark.parametrize("written", ["4.200 €", "4 200 €", "4\u202f200 €", "4.200,50 €"])
def test_digits_in_groups_are_found_without_their_signs(written: str) -> None:
    notes = {"a.md": f"The keel cost {written} in the end.", "b.md": "A keel of 4.2 or 42 metres."}
    for asked in ("4200", "4,200"):
        (row,) = ask(snapshot_of(notes), asked, KEYWORD).results
        assert row.uri == "memory://a.md"
        assert row.snippet == notes["a.md"].replace("\u202f", " ")
    assert found(notes, '"keel cost"') == {"a.md"}


@pytest.mark.parametrize("written", ["4.2001", "0.200", "14.200.1.5", "x4.200", "4.200b", "4 2000"])
def test_other_numbers_are_not_joined(written: str) -> None:
    assert not found({"a.md": f"It has {written} of it."}, "4200")
