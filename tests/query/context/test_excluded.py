"""What the caller holds is named in every form of reference, and is left out of a pack."""

import re

import pytest

from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import snapshot_of

NOTES = {
    "C#.md": "# C#\n\ntides of sharp\n",
    "folder/Foo.md": "# Foo\n\ntides one\n\n## Second\n\ntides two\n\ntides three ^block\n",
    "Other.md": "---\naliases: [Another]\n---\ntides other\n",
    "Bar.md": "[[C#]] [[Foo]] moon\n",
}
ALL = {"sharp", "one", "two", "three", "other"}


def shown(notes: dict[str, str], *exclude: str) -> set[str]:
    text = pack(snapshot_of(notes), "tides", exclude=exclude, include_graph_rag=False).context
    return {word for word in ALL if re.search(rf"tides (?:of )?{word}\b", text)}


@for_each_row(
    ("reference", "left_out"),
    [
        ("C#", {"sharp"}),
        ("memory://C%23.md", {"sharp"}),
        ("[[C#]]", {"sharp"}),
        ("Foo", {"one", "two", "three"}),
        ("[[Foo#L3]]", {"one"}),
        ("[[Foo#L3|shown]]", {"one"}),
        ("memory://folder/Foo.md#L3-L7", {"one", "two"}),
        ("Foo#Second", {"two", "three"}),
        ("folder/Foo#^block", {"three"}),
        ("Another", {"other"}),
        ("concept://foo", {"one", "two", "three"}),
        ("memory://folder/Foo.md#L3-L3~00000000", set()),  # it has changed since
    ],
)
def test_a_reference_of_any_form_is_left_out(reference: str, left_out: set[str]) -> None:
    assert shown(NOTES) == ALL
    assert shown(NOTES, reference) == ALL - left_out


def test_a_pack_without_anything_new_says_so() -> None:
    snapshot = snapshot_of({"Wrap.md": "The zeppelin display can be changed."})
    reply = pack(snapshot, "zeppelin display", exclude=("Wrap",), token_budget=100)
    told = "*Nothing new: what the notes say of this is held already.*"
    assert reply.context == f"# Context for: zeppelin display\n\n{told}\n"


def test_lines_that_moved_are_still_held_and_lines_that_changed_are_not() -> None:
    first = pack(snapshot_of(NOTES), "tides three", token_budget=4_000).context
    (held,) = re.findall(r"`(memory://folder/Foo[^`]*)`", first)
    above = NOTES | {"folder/Foo.md": "new line\n\n" + NOTES["folder/Foo.md"]}
    assert shown(above, held) == {"sharp", "other"}
    changed = NOTES | {"folder/Foo.md": NOTES["folder/Foo.md"].replace("one", "one more")}
    assert shown(changed, held) == ALL


def test_references_that_name_nothing_are_listed() -> None:
    unknown = ("Nobody", "Foo#Nowhere", "memory://gone.md#L1-L2~1a2b3c4d", "x" * 4_000)
    reply = pack(snapshot_of(NOTES), "tides", exclude=(*unknown, "Foo"))
    assert set(reply.metadata.unknown_excluded) == {each[:200] for each in unknown}


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["memory://Long.md#L{}-L2000~00000000", "Long#Heading {}", "no {}"]
)
def test_ten_thousand_references_take_bounded_time(form: str) -> None:
    text = "\n".join(f"# Heading {n}\ntides" for n in range(4_000))
    snapshot = snapshot_of({"Long.md": text})
    exclude = tuple(form.format(n + 1) for n in range(10_000))
    pack(snapshot, "tides")
    check_within(6.0, lambda: pack(snapshot, "tides", exclude=exclude), times=1)
