"""Which tags a note has."""

from hypothesis import given
from hypothesis import strategies as st

from tests.data import Case, cases
from tests.examples import examples
from tests.parsing import parse_note
from tests.tables import for_each_row


@for_each_row("case", cases("tags.md"))
def test_a_note_is_tagged(case: Case) -> None:
    assert list(parse_note("a.md", "", case.text).tags) == sorted(case.expected)


word = st.text("abÄé日7-_", min_size=1, max_size=6)


@examples()
@given(st.lists(st.lists(word, min_size=1, max_size=3).map("/".join), max_size=5))
def test_tags_are_listed_lower_case_sorted_and_once(tags: list[str]) -> None:
    note = parse_note("a.md", "", " ".join(f"#{tag}" for tag in tags))
    assert list(note.tags) == sorted({tag.lower() for tag in tags if not tag.isdecimal()})
