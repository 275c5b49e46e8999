"""What continues a passage enters a pack with it: the rest of a short note, sections by links."""

from collections.abc import Sequence

import pytest

from clew.query.context.gather import gather
from clew.query.context.linking import continuing
from clew.query.slices import finished
from clew.values.requests import Context, Filters
from tests.query.context.packs import pack
from tests.searches import setting
from tests.vaults import snapshot_of

LOG = """# Two bolts disagree

The bolts on the quay disagree by three centimetres. Why do the bolts disagree?

## Step 1

The loop closes to a millimetre, so it is not the telescope.

## Step 2

The wall has no crack, so it has not sunk.

## Step 3 (revises step 1)

Both sums are right. In 2024 the staff stood on the plate, today on the dome.

## What follows

A mark is the highest point of the dome.
"""
OTHERS = {
    f"Bolts {number}.md": f"# Bolts {number}\n\n"
    + "\n\n".join(f"Two bolts of pier {number} disagree by {line} mm." for line in range(12))
    for number in range(12)
}


@pytest.mark.parametrize("template", ["default", "compact"])
def test_a_short_note_is_shown_with_all_its_sections(template: str) -> None:
    snapshot = snapshot_of({"Two bolts disagree.md": LOG, **OTHERS})
    text = pack(snapshot, "two bolts disagree", token_budget=2_000, template=template).context
    for line in ("not the telescope", "no crack", "today on the dome", "the highest point"):
        assert line in text
    assert "pier" in text


@pytest.mark.parametrize("template", ["default", "compact"])
def test_the_best_note_has_more_of_a_pack_than_weak_ones_if_it_is_a_little_longer(
    template: str,
) -> None:
    steps = LOG.replace("telescope.", f"telescope. {'It was looked at from both sides. ' * 60}")
    snapshot = snapshot_of({"Two bolts disagree.md": steps, **OTHERS})
    text = pack(snapshot, "two bolts disagree", token_budget=1_600, template=template).context
    for line in ("not the telescope", "no crack", "today on the dome", "the highest point"):
        assert line in text
    assert "pier" in text


def test_a_note_that_would_take_most_of_a_pack_is_not_short() -> None:
    filler = "\n\n".join(f"## Part {number}\n\nIt rained for a while. " * 8 for number in range(9))
    snapshot = snapshot_of({"Bolts.md": f"# Bolts\n\nTwo bolts disagree.\n\n{filler}", **OTHERS})
    text = pack(snapshot, "two bolts disagree", token_budget=1_000, template="compact").context
    assert "Two bolts disagree." in text
    assert text.count("It rained") < 10


def handbook(link: str) -> dict[str, str]:
    """Return a note with a link to a long one, which has no word of the question."""
    parts = (f"## Step {number}\n\n{'Turn the knob slowly. ' * 300}" for number in range(1, 9))
    return {
        "notes/Late.md": f"# Late\n\nIf the gauge is late, set its clock: {link}.",
        "book/Handbook.md": "# Handbook\n\nAll of it.\n\n" + "\n\n".join(parts),
        **{f"notes/{number}.md": "The gauge is late. " * 30 for number in range(12)},
    }


def sections_of_handbook(link: str, filters: Filters | None = None) -> list[str]:
    return sections_of(handbook(link), filters)


def sections_of(notes: dict[str, str], filters: Filters | None = None) -> list[str]:
    request = Context(query="the gauge is late", filters=filters)
    found = gather(snapshot_of(notes), request, setting(has_model=False))
    passages = finished(found).passages
    return [each.headings[-1] for each in passages if each.note.path == "book/Handbook.md"]


@pytest.mark.parametrize("link", ["[[Handbook#Step 5]]", "[step 5](../book/Handbook.md#step-5)"])
def test_a_section_that_a_link_names_is_a_candidate(link: str) -> None:
    assert "Step 5" in sections_of_handbook(link)
    assert "Step 5" not in sections_of_handbook("[[Handbook]]")
    assert "Step 5" not in sections_of_handbook("[[Handbook#Step 50]]")


def test_a_section_of_a_note_that_search_does_not_find_is_no_candidate() -> None:
    assert sections_of_handbook("[[Handbook#Step 5]]", Filters(folder="notes")) == []


def test_the_links_to_sections_that_are_followed_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    links = "[[Handbook#Step 2]] and [[Handbook#Step 5]]"
    assert {"Step 2", "Step 5"} <= {*sections_of_handbook(links)}
    for bound in ("FRAGMENTS_MAX", "NAMED_MAX"):
        with monkeypatch.context() as patch:
            patch.setattr(continuing, bound, 1)
            assert "Step 2" in sections_of_handbook(links)
            assert "Step 5" not in sections_of_handbook(links)


def test_a_section_that_a_link_names_has_a_share_of_the_relevance_of_the_link() -> None:
    request = Context(query="the gauge is late")
    found = gather(snapshot_of(handbook("[[Handbook#Step 5]]")), request, setting(has_model=False))
    relevances = {each.headings[-1:]: each.relevance for each in finished(found).passages}
    share = relevances[("Step 5",)] / relevances[("Late",)]
    assert share == pytest.approx(continuing.NAMED)
    assert share > 0.25, "else a section that a link names would hardly enter a pack"


def test_passages_beside_one_in_its_section_have_a_small_share_of_its_relevance() -> None:
    text = "\n\n".join(f"Part {part}. {'It went well. ' * 60}" for part in range(40))
    log = text.replace("Part 20.", "Part 20. The gauge is late.")
    request = Context(query="the gauge is late")
    snapshot = snapshot_of({"Log.md": f"# Log\n\n## Days\n\n{log}", "b.md": "Bread."})
    passages = finished(gather(snapshot, request, setting(has_model=False))).passages
    best = max(passages, key=lambda each: each.relevance)
    beside = [each for each in passages if abs(each.part - best.part) == 1]
    shares = [each.relevance / best.relevance for each in beside]
    assert shares == pytest.approx([continuing.NEIGHBOUR] * 2)
    assert 0.05 < min(shares) < 0.3


def test_a_link_to_lines_leads_to_the_section_that_ends_with_them() -> None:
    assert sections_of_handbook("[[Handbook#L23]]") == sections_of_handbook("[[Handbook#Step 5]]")


def test_links_of_passages_that_search_does_not_find_lead_nowhere() -> None:
    notes = handbook("")
    for place, is_followed in (
        (" [[Handbook#Step 5]]", True),
        ("\n\n{rest}[[Handbook#Step 5]]", False),
    ):
        rest = f"# Knob\n\n{'Turn it. ' * 900}\n\n"
        notes["notes/Late.md"] = f"The gauge is late.{place.format(rest=rest)}"
        assert ("Step 5" in sections_of(notes)) == is_followed


def test_a_link_to_lines_of_a_note_without_text_continues_nothing() -> None:
    for text in ("", "---\ntags: [gauge]\n---\n", "---\nstatus: late\n---\n"):
        notes = {"Late.md": "The gauge is late, see [[Gauge#L1]].", "Gauge.md": text}
        assert "The gauge is late" in pack(snapshot_of(notes), "late gauge").context


def sections_under(headings: Sequence[str], query: str) -> list[str]:
    """Return the headings of the passages of a long note that may enter a pack, best first."""
    filler = "It is said that nobody knows the whole of it, and that it is long. " * 40
    texts = ["The cost of a use falls."] * (len(headings) - 1) + ["For soap one asks otherwise."]
    parts = "".join(
        f"## {heading}\n\n{text} {filler}\n\n"
        for heading, text in zip(headings, texts, strict=True)
    )
    request = Context(query=query, token_budget=2_000)
    vault = snapshot_of({"Buying.md": f"# Buying\n\n{parts}"})
    found = finished(gather(vault, request, setting(has_model=False)))
    return [each.headings[-1] for each in found.passages]


def test_a_section_whose_heading_has_most_of_the_question_is_a_candidate() -> None:
    """Search counts these words for the whole note, so it may prefer its other sections."""
    parts = [f"Part {n}" for n in range(12)]
    assert "Heuristics" in sections_under([*parts, "Heuristics"], "cost of use heuristics")
    costs = [f"Cost of part {n}" for n in range(12)]
    found = sections_under([*costs, "Cost heuristics"], "cost of use heuristics")
    assert "Cost heuristics" in found
