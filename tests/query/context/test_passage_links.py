"""Which passages of a pack lead to which others, by links and unlinked mentions."""

from collections.abc import Mapping
from math import sqrt

import pytest

from clew.engine.snapshot import Snapshot
from clew.index.names import NameIndex
from clew.query.context.gather import Material, gather
from clew.query.context.linking.passage_links import LINKS_MAX
from clew.query.slices import finished
from clew.values.requests import Context
from tests.query.context.packs import pack
from tests.searches import setting
from tests.tables import for_each_row
from tests.vaults import snapshot_of

STONES = "Stones lie beside the river everywhere, and sand. " * 22
SECTIONS = "".join(f"## {name}\n\n{STONES}\n\n" for name in ("Upper", "Step 5: lower", "Gate"))


def material_of(snapshot: Snapshot, query: str) -> Material:
    request = Context(query=query, token_budget=8_000)
    return finished(gather(snapshot, request, setting(has_model=False)))


def led_to(vault: Mapping[str, str], query: str, source: str) -> dict[str, float]:
    """Return what the passages of a note lead to: notes, with the last heading above the passage.

    Each with its share.
    """
    material = material_of(snapshot_of(vault), query)
    passages = material.passages
    named = [
        "#".join((each.note.path.removesuffix(".md"), *each.headings[-1:])) for each in passages
    ]
    return {
        named[link.target]: link.share
        for link in material.links
        if passages[link.source].note.path == f"{source}.md"
    }


def test_links_and_mentions_lead_to_other_notes() -> None:
    vault = {
        "Bubye.md": "The Bubye river leaves [[Shona land]] at [[Old mill]] for [[Nowhere]].",
        "Shona land.md": "A country with a river. [[Bubye]] is in its south.",
        "Old mill.md": "The wheel of the river turned here, as Shona land knew.",
    }
    query = "country of the Bubye river"
    assert led_to(vault, query, "Bubye") == {"Shona land": 1 / sqrt(3), "Old mill": 1 / sqrt(3)}
    assert led_to(vault, query, "Old mill") == {"Shona land": 1.0}
    assert led_to(vault, query, "Shona land") == {"Bubye": 1.0}


def test_a_link_leads_to_the_note_in_its_own_folder() -> None:
    vault = {
        "a/River.md": "A river. [[Mill]]",
        "a/Mill.md": "A mill at a river.",
        "project/River.md": "Another river. [[Mill]]",
        "project/Mill.md": "Another mill at a river.",
    }
    assert led_to(vault, "a mill at a river", "a/River") == {"a/Mill": 1.0}
    assert led_to(vault, "a mill at a river", "project/River") == {"project/Mill": 1.0}


@for_each_row(
    ("link", "target"),
    [
        ("[[Places#Gate]]", "Places#Gate"),
        ("[[Places#Step 5 lower]]", "Places#Step 5: lower"),
        ("[x](Places.md#step-5-lower)", "Places#Step 5: lower"),
        ("[[Places#Gate|through  it]]", "Places#Gate"),
        ("[[Places#No such part]]", "Places#Places"),
        ("[[Places]]", "Places#Places"),
    ],
)
def test_a_link_to_a_section_leads_to_its_passage(link: str, target: str) -> None:
    vault = {"Bubye.md": f"The Bubye river, {link}.", "Places.md": f"# Places\n\n{SECTIONS}"}
    assert list(led_to(vault, "river Bubye upper", "Bubye")) == [target]


def test_a_short_section_is_found_in_a_passage_of_several() -> None:
    text = f"# Places\n\n## Falls\n\nHigh.\n\n## Mill\n\nOld river mill.\n\n{STONES}\n\n{SECTIONS}"
    vault = {"Bubye.md": "The Bubye river, [[Places#Falls]].", "Places.md": text}
    material = material_of(snapshot_of(vault), "river Bubye gate")
    (target,) = (
        material.passages[link.target]
        for link in material.links
        if material.passages[link.source].note.path == "Bubye.md"
    )
    assert target.part == 1


def test_a_note_is_led_to_by_its_text_and_not_by_its_properties() -> None:
    places = "---\nriver: Bubye\n---\n" + "Nothing but stones and sand lies here. " * 5
    vault = {"Bubye.md": "The Bubye river, [[Places]].", "Places.md": places}
    material = material_of(snapshot_of(vault), "river Bubye")
    assert [material.passages[link.target].part for link in material.links] == [1]
    assert 0 in [passage.part for passage in material.passages]


def test_a_name_in_a_longer_word_is_no_mention() -> None:
    vault = {
        "Bubye.md": f"Ada saw the river.\n\n{STONES}\n\nIn Canada rivers are cold. {STONES}",
        "Ada.md": "She measured each river.",
    }
    material = material_of(snapshot_of(vault), "river")
    sources = [material.passages[link.source].part for link in material.links]
    assert sources == [1]


def test_a_passage_has_no_links_of_others_on_its_line() -> None:
    text = f"The Bubye river. {STONES}" + "Far away, behind [[Far]], a river begins. " + STONES
    vault = {"Bubye.md": text, "Far.md": "A river."}
    material = material_of(snapshot_of(vault), "river")
    sources = [material.passages[link.source] for link in material.links]
    assert len([each for each in material.passages if each.note.path == "Bubye.md"]) > 1
    assert ["[[Far]]" in each.note.text[each.start : each.end] for each in sources] == [True]


@pytest.mark.parametrize(("count", "is_led_to"), [(LINKS_MAX, True), (LINKS_MAX + 1, False)])
def test_a_list_leads_nowhere(count: int, *, is_led_to: bool) -> None:
    links = " ".join(f"[[{number}]]" for number in range(count - 1))
    vault = {"Bubye.md": f"river [[Far]] {links}", "Far.md": "A river."}
    assert led_to(vault, "river", "Bubye") == ({"Far": 1 / sqrt(count)} if is_led_to else {})


def test_links_to_notes_without_passages_are_not_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    seen_from = NameIndex.seen_from

    def counted(self: NameIndex, target: str, source_path: str) -> str:
        seen.append(target)
        return seen_from(self, target, source_path)

    links = " ".join(f"[[{number}]]" for number in range(20))
    vault = {"a/Bubye.md": f"A river. [[Far]] {links}", "a/Far.md": "A river. [[0]]"}
    snapshot = snapshot_of(vault)
    monkeypatch.setattr(NameIndex, "seen_from", counted)
    assert len(material_of(snapshot, "river").links) == 1
    assert seen == ["Far"]


def test_a_list_of_notes_stays_in_its_order() -> None:
    vault = {f"{name}.md": f"#tide {name} [[c]]" for name in "abc"}
    material = material_of(snapshot_of(vault), "tag:tide")
    assert (len(material.passages), list(material.links)) == (3, [])


def test_the_note_with_the_name_of_the_query_stays_first() -> None:
    vault = {"Swell.md": "A swell reaches [[A Guarda]].", "A Guarda.md": "A harbour in the south."}
    vault |= {f"{number}.md": f"The swell of day {number}, a long one." for number in range(20)}
    shown = pack(snapshot_of(vault), "Swell", token_budget=300).context
    assert shown.index("### Swell (note)") < shown.index("### A Guarda (note)")


def test_a_link_to_one_of_several_notes_of_a_name_leads_to_the_one_it_means() -> None:
    far = {f"{folder}/Far.md": "A river." for folder in "ab"}
    vault = {"b/Bubye.md": "A river. [[Far]]", **far}
    assert led_to(vault, "river", "b/Bubye") == {"b/Far": 1.0}
