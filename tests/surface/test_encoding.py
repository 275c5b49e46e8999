"""The rows of long replies are encoded in slices."""

from clew.query.slices import SLICE_ROWS, finished
from clew.surface.server.answers.encoding import with_encoded_rows
from clew.values.replies import ConceptRow, Concepts
from clew.values.wire import encode_result
from tests.tables import for_each_row


def concepts(count: int) -> Concepts:
    rows = tuple(
        ConceptRow(
            name=f"n{number}",
            display_name=f'"{number}", é',
            note_count=number,
            mention_count=number,
            community_id=None,
            aliases=("a", "b"),
        )
        for number in range(count)
    )
    return Concepts(revision=1, concepts=rows, total=count, start=0, cursor=None)


@for_each_row("count", [0, 1, SLICE_ROWS, SLICE_ROWS + 1, 2 * SLICE_ROWS, 3 * SLICE_ROWS + 7])
def test_a_reply_is_the_same_whether_its_rows_are_encoded_in_slices(count: int) -> None:
    reply = concepts(count)
    assert encode_result(1, finished(with_encoded_rows(reply))) == encode_result(1, reply)


def test_there_is_a_pause_after_each_run_of_rows() -> None:
    assert len(list(with_encoded_rows(concepts(4 * SLICE_ROWS)))) == 4
    assert not list(with_encoded_rows(concepts(SLICE_ROWS)))
