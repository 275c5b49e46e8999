"""In a small budget the piece with the words of the query comes before all others."""

import pytest
from msgspec import structs

from clew.query.context.pieces import Piece
from clew.query.context.shown.shortened import shortened
from clew.text.tokens import count_tokens
from tests.query.context.note_pieces import pieces_by_text
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

BATCH = "Charge temperature {} degrees, first crack at 8:25. Balanced and sweet, nothing to report."


@pytest.mark.parametrize("words", range(0, 24, 4))
def test_what_answers_is_in_every_pack_that_can_have_it(words: int) -> None:
    batches = [
        f"## Batch {number}: Sumatra\n\n{BATCH.format(200 + number)}" for number in range(24)
    ]
    batches[13] += f" Second crack came early{', or late' * words}, as the thermocouple slipped."
    log = "# Coffee roasting log\n\n" + "\n\n".join(batches)
    snapshot = snapshot_of({"Notes/Coffee roasting log.md": log})
    for budget in range(100, 200, 3):
        assert "thermocouple" in pack(snapshot, "coffee thermocouple", token_budget=budget).context


def test_a_piece_without_the_words_is_not_shown_in_place_of_one_that_is_too_long() -> None:
    long = "The thermocouple of the drum " + "and its wire and the clamp that holds it " * 12
    vault = {"Log.md": f"# Log\n\nShort and sweet.\n\n{long}.\n\nAnother short one.\n"}
    found = pack(snapshot_of(vault), "thermocouple", token_budget=100)
    assert "The thermocouple of the drum" in found.context
    assert found.metadata.total_tokens > 90


def test_items_below_one_of_an_earlier_passage_keep_their_indent_and_its_line() -> None:
    spoons = "\n".join(f"    - spoon number {number} with its handle" for number in range(50))
    text = f"# Packing\n\n- Kitchen\n{spoons}\n- Garage\n    - torque wrench\n"
    snapshot = snapshot_of({"Packing.md": text})
    for budget in range(150, 900, 50):
        lines = pack(snapshot, "torque wrench", token_budget=budget).context.split("\n")
        items = [line for line in lines if line.lstrip().startswith("- ")]
        assert items[0] == "- Kitchen"
        assert {"- Garage", "    - torque wrench"} <= set(items)
        assert all(line.startswith("    ") for line in items if "spoon" in line)


TEXT = (
    f"{'Drift and surge. ' * 20}Then the gauge of the pier failed at noon. {'Quay by quay. ' * 20}"
)


def piece_of(text: str) -> Piece:
    (piece,) = pieces_by_text("x")[1].values()
    return structs.replace(piece, text=text, end=len(text), terms=frozenset([0, 1]))


@for_each_row(
    ("most", "beginning"),
    [(150, "Drift and surge."), (30, "Then the gauge of the pier"), (6, "Then the gauge")],
)
def test_a_part_begins_with_the_sentence_that_has_the_rarest_word(
    most: int, beginning: str
) -> None:
    terms = [(["surge"], 1.0), (["gauge"], 2.0)]
    part = shortened(piece_of(TEXT), terms, lambda part: count_tokens(part.text) <= most)
    assert part is not None
    assert part.text.startswith(beginning)
    assert TEXT[part.start : part.end] == part.text
    assert most - 3 <= count_tokens(part.text) <= most
    assert part.begins is (beginning == TEXT[:16])
    assert not part.ends


def test_a_part_of_a_script_without_spaces_is_cut_between_characters() -> None:
    part = shortened(piece_of("潮" * 100), [([], 0.0)] * 2, lambda part: len(part.text) <= 7)
    assert part is not None
    assert part.text == "潮" * 7


def test_nothing_is_shown_where_no_word_fits() -> None:
    assert shortened(piece_of("gauge"), [([], 0.0)] * 2, lambda _: False) is None
