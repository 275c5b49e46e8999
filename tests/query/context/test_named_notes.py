"""The beginning of a note that a query names has a place in its pack."""

from clew.query.context.gather import gather
from clew.query.context.linking.named_notes import BEGINNING
from clew.query.slices import finished
from clew.values.requests import Context, Filters
from tests.query.context.packs import pack
from tests.searches import setting
from tests.tables import for_each_row
from tests.vaults import snapshot_of

QUERY = "what is the difference between a pressure sensor and a radar gauge"
BOTH = "The pressure sensor and the radar gauge differ, by {0} mm at pier {0}. " * 6
FILLER = "It weighs all that is above it, and the air as well. " * 60


def vault(head: str = "") -> dict[str, str]:
    """Return notes on two things, and others that speak of both."""
    notes = {f"Pier {number}.md": BOTH.format(number) for number in range(1, 13)}
    end = f"\n\n## How\n\n{FILLER}\n\n## Others\n\nWhat differs at a pier, for a "
    notes["Pressure sensor.md"] = f"{head}It lies on the bottom.{end}radar gauge."
    notes["Radar gauge.md"] = f"It hangs above the water.{end}pressure sensor."
    return notes


def beginning_of(path: str, notes: dict[str, str], query: str, filters: Filters | None) -> float:
    """Return the relevance of a note's first passage as a share of the highest; 0 if none."""
    found = gather(
        snapshot_of(notes), Context(query=query, filters=filters), setting(has_model=False)
    )
    passages = finished(found).passages
    highest = max(passage.relevance for passage in passages)
    firsts = (each for each in passages if (each.note.path, each.part) == (path, 1))
    return next((each.relevance / highest for each in firsts), 0.0)


def test_both_sides_of_a_comparison_are_in_its_pack() -> None:
    text = pack(snapshot_of(vault()), QUERY, token_budget=1_500).context
    assert "It lies on the bottom." in text
    assert "It hangs above the water." in text


@for_each_row(
    ("query", "head", "is_raised"),
    [
        (QUERY, "", True),
        ("radar gauge, or the Probe at the pier?", "---\naliases: [probe]\n---\n", True),
        ("radar gauge, or the probe at the pier?", "---\naliases: [probe]\n---\n", False),  # a word
        ("radar gauge, or sensors of pressure at the pier?", "", False),
        (QUERY, "---\nsuperseded_by: '[[Radar gauge]]'\n---\n", False),
    ],
)
def test_the_beginning_of_a_named_note_has_a_share_of_the_highest_relevance(
    query: str, head: str, *, is_raised: bool
) -> None:
    share = beginning_of("Pressure sensor.md", vault(head), query, None)
    assert (share >= BEGINNING - 1e-9) is is_raised


def test_a_name_that_two_notes_have_raises_neither() -> None:
    notes = {**vault(), "old/Pressure sensor.md": f"It stood on the quay.\n\n## How\n\n{FILLER}"}
    assert beginning_of("Pressure sensor.md", notes, QUERY, None) < BEGINNING


def test_a_named_note_that_does_not_pass_the_filters_stays_out() -> None:
    notes = {f"piers/{path}" if "Pier" in path else path: text for path, text in vault().items()}
    assert beginning_of("Pressure sensor.md", notes, QUERY, Filters(folder="piers")) == 0.0
