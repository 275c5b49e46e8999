"""The ages of many notes are set like those of one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from clew.index.formulas.decay import DecayFunction
from clew.index.formulas.note_dates import DateSource, NoteDates
from clew.index.notes.ages import NoteAge, NoteAges

NOTES = 4
times_s = st.sampled_from((0.0, 1.5e9, 1.6e9))
sources = st.sampled_from(DateSource)
dates = st.builds(NoteDates, times_s, sources, times_s, sources, st.integers(0, 31))
ages = st.builds(NoteAge, times_s, dates, st.sampled_from((0.0, 28.0)), st.booleans())


def new() -> NoteAges:
    return NoteAges(DecayFunction.POWER_LAW, 30.0)


@given(
    st.lists(ages, min_size=NOTES, max_size=NOTES),
    st.dictionaries(st.integers(0, NOTES - 1), ages),
    st.integers(0, NOTES),
)
def test_many_ages_are_set_like_one_after_the_other(
    first: list[NoteAge], later: dict[int, NoteAge], known_count: int
) -> None:
    later |= {note_id: first[note_id] for note_id in range(known_count, NOTES)}
    many, single = new(), new()
    for note_id, age in enumerate(first):
        single.put({note_id: age})
    many.put(dict(enumerate(first[:known_count])))
    before = many.copy()
    many.put(dict(reversed(later.items())))
    for note_id, age in later.items():
        single.put({note_id: age})
    expected = [get_stored(later.get(note_id, age)) for note_id, age in enumerate(first)]
    assert list(map(many.get, range(NOTES))) == expected
    assert list(map(single.get, range(NOTES))) == expected
    assert list(map(before.get, range(known_count))) == list(map(get_stored, first[:known_count]))
    assert (many.weights(1.7e9, NOTES) == single.weights(1.7e9, NOTES)).all()


def test_the_digest_of_weights_is_made_once_and_tells_others_apart() -> None:
    old, newer = (
        NoteAge(touched_s, NoteDates(0.0, DateSource.FILE, 0.0, DateSource.FILE, 0), 0.0, False)
        for touched_s in (1.5e9, 1.6e9)
    )
    ages = new()
    ages.put({0: old, 1: old})
    before = ages.copy()
    first = ages.weights_digest(1.7e9, 2)
    assert ages.weights_digest(1.7e9, 2) is first  # to make one takes long in a large vault
    assert ages.weights_digest(1.8e9, 2) != first
    ages.put({1: newer})
    assert ages.weights_digest(1.7e9, 2) != first
    assert before.weights_digest(1.7e9, 2) == first


def get_stored(age: NoteAge) -> NoteAge:
    """Return an age as it is after it was stored once."""
    one = new()
    one.put({0: age})
    return one.get(0)
